"""The graphs that a run had before its session was changed, and which call belongs to which."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flows.core.rows import Row

_STEP: Final = ("intent", "call", "outcome", "failure")


@dataclass(frozen=True, slots=True)
class Edition:
    """A graph that a change took the place of: its flows by their paths. `seq` is the number of the
    change's row, `asked` the addresses of the steps that stood at a question then. `record` is what
    the graph is made of, for those that were built again from the journal."""

    flows: Mapping[str, Any]
    seq: int
    asked: tuple[str, ...]
    record: Mapping[str, Any] = field(default_factory=dict)

    def holds(self, address: str, began: int) -> bool:
        """Whether a call had come to its end before the change; `began` is its first row. What asks
        at the time, and the composites above it, go on as they are after the change."""
        if began > self.seq or not address:
            return False
        return not any(each == address or each.startswith(f"{address}/") for each in self.asked)


class Editions:
    """The editions of a run, the oldest first. A call that was over before a change is told again
    by the graph of its time, so that its steps are those that are recorded."""

    def __init__(self, past: Sequence[Edition], rows: Sequence[Row]) -> None:
        self.past = past
        self.began: dict[str, int] = {}
        for row in rows:
            if row.kind in _STEP:
                for address in with_composites(row.address):
                    self.began.setdefault(address, row.seq)

    def flow_at(self, address: str, flow: Any) -> Any:
        """The flow that the call at the address belongs to; `flow` is what it is now."""
        edition = self.edition_of(address)
        return flow if edition is None else edition.flows.get(flow.path, flow)

    def digest_at(self, address: str, digest: str, steps: Mapping[str, Row]) -> str:
        """The digest of a step's inputs as it is recorded, for a step that was over before a
        change: what the composites above it are now may give it others, which it never saw."""
        if self.edition_of(address) is None or (row := steps.get(address)) is None:
            return digest
        return row.digest

    def edition_of(self, address: str) -> Edition | None:
        """The edition that the call at the address belongs to; None for the graph of now."""
        began = self.began.get(address)
        if began is None:
            return None
        return next((each for each in self.past if each.holds(address, began)), None)


def with_composites(address: str) -> list[str]:
    """The address and those of the composites above it."""
    parts = address.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
