"""The operations of a document that a run file offers, and a word on those that are left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol

from flows.errors import ConfigError, nearest
from flows.tools.sources.openapi.operation import Operation

_MOST_TOLD: Final = 5


class OfferConfig(Protocol):
    """The keys that say which operations of a document are offered."""

    @property
    def document(self) -> Path: ...

    @property
    def operations(self) -> tuple[str, ...] | None: ...

    @property
    def read_only(self) -> bool: ...

    @property
    def most_operations(self) -> int: ...


@dataclass
class Offer:
    """The operations that are offered, and `notes` on what is left out, a line each."""

    operations: list[Operation] = field(default_factory=list)
    notes: tuple[str, ...] = ()


def offered(found: Iterable[Operation | ConfigError], total: int, config: OfferConfig) -> Offer:
    """Those that the config names or, without names, the first `most_operations` of the `total`;
    no more are read. Errors: `ConfigError` for a name that is none, with the reason where its
    operation cannot be called."""
    offer, faults, beyond = Offer(), [], 0
    names: dict[str, Operation] = {}
    for each in found:
        if isinstance(each, ConfigError):
            faults.append(each)
        else:
            names[each.description.name] = each
        if config.operations is None and len(names) >= config.most_operations:
            beyond = max(0, total - len(names) - len(faults))
            break
    for wanted in config.operations or ():
        if wanted not in names:
            raise _unknown(wanted, names, faults, config.document)
    chosen = names.values() if config.operations is None else [names[n] for n in config.operations]
    offer.operations = [
        each for each in chosen if not config.read_only or each.method in ("get", "head")
    ]
    offer.notes = tuple(_notes(config, offer, faults, beyond))
    return offer


def _unknown(
    wanted: str, names: Iterable[str], faults: Sequence[ConfigError], document: Path
) -> ConfigError:
    known = tuple(sorted(names))
    problem = f"{document.name} has no operation {wanted!r} that can be called"
    if why := next((each for each in faults if each.problem.startswith(f"{wanted} (")), None):
        return ConfigError(f"{problem}: {why}", path="operations")
    return ConfigError(problem, path="operations", allowed=known, meant=nearest(wanted, known))


def _notes(
    config: OfferConfig, offer: Offer, faults: Sequence[ConfigError], beyond: int
) -> list[str]:
    """What is left out; of operations that are named only what these say less."""
    told = [f"{each.description.name}: {note}" for each in offer.operations for note in each.notes]
    if config.operations is None:
        told = [*(f"left out: {each}" for each in faults), *told]
    notes = told[:_MOST_TOLD]
    if len(told) > _MOST_TOLD:
        notes.append(
            f"{config.document.name}: {len(told) - _MOST_TOLD:,} more such notes; all of them: "
            f"flows functions index {config.document.name}"
        )
    if beyond:
        notes.append(
            f"{config.document.name}: {beyond:,} operations after the first "
            f"{config.most_operations:,} are left out; name those that are needed with operations, "
            "or raise most_operations"
        )
    return notes
