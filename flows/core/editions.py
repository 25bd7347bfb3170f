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
        self.kinds: dict[str, str] = {}  # of the flow that was called last at a path
        self.began: dict[str, int] = {}
        for row in rows:
            if row.kind in _STEP:
                for address in with_composites(row.address):
                    self.began.setdefault(address, row.seq)

    def flow_at(self, address: str, flow: Any) -> Any:
        """The flow that the call at the address belongs to; `flow` is what it is now."""
        edition = self.edition_of(address)
        return flow if edition is None else edition.flows.get(flow.path, flow)

    def payload_at(
        self, address: str, caller: Any, payload: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        """The payload of a call as it was in the graph of its time: what the calling flow's graph
        gives, such as the list of its commands, is that of the flow which stood there then."""
        edition = self.edition_of(address)
        then = edition.flows.get(caller.path) if edition is not None else None
        if then is None or type(then) is not type(caller):
            return payload
        given, before = caller.graph_values(), then.graph_values()
        return {
            key: next((before[name] for name, own in given.items() if own is value), value)
            for key, value in payload.items()
        }

    def take_place(self, flow: Any, states: dict[str, Any]) -> None:
        """Have the flow called at its path. What a flow of another kind has kept there, and the
        flows below it, is forgotten."""
        kind = kind_name(flow)
        before = self.kinds.get(flow.path)
        if before != kind:
            self.kinds[flow.path] = kind
            if before is not None:
                forget_below(states, flow.path)

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


def kind_name(flow: Any) -> str:
    """The full name of a flow's class, which is the same in each plan of a run."""
    return f"{type(flow).__module__}.{type(flow).__qualname__}"


def forget_below(states: dict[str, Any], path: str) -> None:
    """Take out the folded states of the flow at the path and of all that were ever below it."""
    below = f"{path}/" if path else ""
    for each in [each for each in states if each == path or each.startswith(below)]:
        del states[each]


def with_composites(address: str) -> list[str]:
    """The address and those of the composites above it."""
    parts = address.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
