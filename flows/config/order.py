"""The order in which the files of a defaults list are laid over each other, as Hydra computes it.

Who builds many runs asks for the same order again and again, and computing it takes longer than all
else that composes a config. An order is kept with all that Hydra was told for it, and holds for as
long as the files say the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from hydra._internal.defaults_list import create_defaults_list
from hydra.core.default_element import ResultDefault
from hydra.core.override_parser.types import Override

from flows.config.groups import Asked, GroupFiles

MOST_KEPT: Final = 128


@dataclass(frozen=True, slots=True)
class DocumentOrder:
    """The documents in the order in which they are laid over each other, the answers that it was
    computed from, and how often a file was loaded for it."""

    documents: Sequence[ResultDefault]
    answers: Mapping[Asked, str]
    loads: int

    def holds(self, files: GroupFiles) -> bool:
        """Whether Hydra would find the same in these files."""
        if files.loads + self.loads > files.limits.files:
            return False
        return all(files.answer(asked) == answer for asked, answer in self.answers.items())


_kept: OrderedDict[str, DocumentOrder] = OrderedDict()


def order_of(files: GroupFiles, name: str, choices: Sequence[Override]) -> Sequence[ResultDefault]:
    """The documents that the defaults list of the one of that name brings in, in the order in which
    they are laid over each other; `choices` are overrides of groups. To be asked under
    `hydra_rules`. Errors: `ConfigError`, and what Hydra raises."""
    key = repr((files.limits, name, files.answer(("file", name)), choices))
    if (kept := _kept.get(key)) is not None and kept.holds(files):
        files.loads += kept.loads
        _kept.move_to_end(key)
        return kept.documents
    before, files.told = files.loads, {}
    found = create_defaults_list(files, name, list(choices), False, False)
    _kept[key] = DocumentOrder(tuple(found.defaults), files.told, files.loads - before)
    if len(_kept) > MOST_KEPT:
        _kept.popitem(last=False)
    return _kept[key].documents
