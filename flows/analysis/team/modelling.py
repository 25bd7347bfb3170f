"""Tasks of a modeller: which column is learned, from which others, over which rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from flows.analysis.methods.key_drivers.arguments import KeyDrivers
from flows.analysis.methods.key_drivers.cue import CUE
from flows.analysis.methods.read import read_as, read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.supervised import Supervised
from flows.analysis.reading.read import Unread
from flows.analysis.team.wording import plainly
from flows.data.tables import Table

_NAME: Final = r"(?:\"(?P<quoted>[^\"]+)\"|(?P<bare>\w+))"
_ROLE: Final = r"(?:target|dependent|response|outcome|output)(?: (?:variable|column|feature))?"
# Where a task says which column is to be learned, what is surest first.
_TARGETS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?:\b(?:with|using|taking|setting|where)\s+)?(?:the\s+)?{_NAME}\s+(?:is |being |are )?"
        rf"(?:as |for |to be )?(?:the |its |our |an? )?{_ROLE}\b(?!\s+\")",
        rf"(?:\b(?:with|and|the|where)\s+)*\b{_ROLE}\s*(?:being|is|=|:|of)?\s*(?:the )?{_NAME}",
        r"\b(?:to |that |for |which )?(?:predict|explain|estimate|forecast|classify|model)"
        rf"(?:s|ing)?\s+(?:the\s+)?{_NAME}",
        r"\b(?:that |which )?(?:drivers? (?:of|behind|for)|driv(?:es?|ing)|affect(?:s|ing)?|"
        r"influenc(?:es?|ing)|impact(?:s|ing)?|determin(?:es?|ing)|explaining|"
        r"important (?:for|to))"
        rf"\s+(?:the\s+)?{_NAME}",
        rf"\b(?:model|regression|regressor|classifier|classification)\s+(?:of|for|on)\s+{_NAME}",
    )
)
_Model = Literal["random forest", "gradient boosting", "linear regression", "logistic regression"]
_MODELS: Final[tuple[_Model, ...]] = (
    "random forest",
    "gradient boosting",
    "linear regression",
    "logistic regression",
)
_NO_TARGETS: Final = frozenset(["the", "a", "an", "model", "which", "what", "how", "all", "by"])


def read_model(task: str, tables: Sequence[Table]) -> Specification[KeyDrivers] | Unread:
    """The model that a task asks for."""
    text = plainly(task, tables)
    found = read_as(CUE, _with_target_first(text, tables), tables)
    if not isinstance(found, Unread):
        drivers = _drivers(found.made, text)
        return Specification(found.table, drivers, found.where, found.notes)
    other = read_study(text, tables)
    if not isinstance(other, Specification):
        return found
    given = other.arguments
    if not isinstance(given, Supervised):
        return found
    drivers = _drivers(given, text)
    return Specification(other.table, drivers, other.where, other.notes)


def _drivers(given: Supervised, text: str) -> KeyDrivers:
    """What a column is learned from, by the model that the task names, if it names one."""
    named = next((each for each in _MODELS if re.search(rf"\b{each}", text, re.IGNORECASE)), None)
    fits = named and (named != ("linear regression" if given.classes else "logistic regression"))
    return KeyDrivers(
        target=given.target,
        fields=given.fields,
        classes=given.classes,
        model=named if named and fits else "",
    )


def _with_target_first(text: str, tables: Sequence[Table]) -> str:
    """The text with its target where every reading looks for it; as it is where it names none."""
    known = {column.name.casefold() for table in tables for column in table.columns}
    spaced = {each.replace("_", " ") for each in known}
    for pattern in _TARGETS:
        for found in pattern.finditer(text):
            name = found["quoted"] or found["bare"]
            is_known = name.casefold() in known | spaced
            if not is_known and (found["bare"] or name.casefold() in _NO_TARGETS):
                continue
            rest = f"{text[: found.start()]} {text[found.end() :]}"
            return f'predict "{name}", {_uncapital(rest)}'
    return _uncapital(text)


def _uncapital(text: str) -> str:
    """A text that began a sentence, as it is written inside of one."""
    plain = text.strip(" ,")
    return f"{plain[:1].lower()}{plain[1:]}" if plain[1:2].islower() else plain
