"""What a run and its workers tell each other: one JSON object a line.

To a worker: `Setup` once, then `Item`s, `{"cancel": item}`, and answers to what it asked:
`{"answer": ask}`, with `limit` where a budget of the run refuses it.
From a worker: `{"ready": true}` or `{"refused": why}` once, then for an item `{"item", "rows"}`,
with `ask` where it goes on only after an answer, and `turn` where it wants to ask a model; at its
end `{"item", "rows", "done": true}`, with `walls` where a sandbox was used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter
from pydantic_core import from_json, to_json

from flows.core.artifacts import Artifact
from flows.core.events import ModelCalled, Notice, Retrying, TextArrived
from flows.core.rows import Kind
from flows.core.values import Values
from flows.core.workers import WorkEvent

_EVENTS: Final[Mapping[str, TypeAdapter[WorkEvent]]] = {
    each.__name__: TypeAdapter(each) for each in (ModelCalled, TextArrived, Retrying, Notice)
}


class SentRow(NamedTuple):
    """A row for the run's journal, as a worker would have written it. `events` are those that were
    told at its address since the row before it there."""

    kind: Kind
    address: str
    digest: str
    body: str
    durable: bool
    events: tuple[tuple[str, str], ...] = ()


class Setup(BaseModel):
    """What a worker builds the flow from: the `record` that the run's journal keeps of it, and the
    words of `--trust` that allow what the run was allowed; and where the run is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: Values
    trust: tuple[str, ...]
    run_id: str
    folder: str
    durable: bool


class Item(BaseModel):
    """One call of the flow at `path`. `rows` are those of its steps that are done, `artifacts`
    those that the run had before, `used` and `rounds` what it has used so far; the item `tells`
    what happens where somebody listens."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: int
    path: str
    address: str
    round: int
    inputs: Values
    apart: bool
    rows: tuple[SentRow, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    used: float
    rounds: int
    tells: bool


def line_of(message: object) -> bytes:
    """A message as a line."""
    return to_json(message, inf_nan_mode="constants") + b"\n"


def read_line(line: bytes) -> Values:
    """The message of a line."""
    message: Values = from_json(line)
    return message


def event_text(event: WorkEvent) -> tuple[str, str]:
    """The name of an event, and its fields as JSON."""
    name = type(event).__name__
    return name, _EVENTS[name].dump_json(event).decode()


def read_event(name: str, text: str) -> WorkEvent:
    """An event as it was told in a worker."""
    return _EVENTS[name].validate_json(text)
