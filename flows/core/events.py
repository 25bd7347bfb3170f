"""The closed union of what a run tells the outside while it goes on.

Events are frozen. Screens, logs and traces consume them and cannot change a run. Each carries `run`
(its id), `seq` (from 1, without gaps), `address` (the step's path of names and call counters, ""
for the run itself) and `round` (of the nearest circular flow, from 1; 0 outside of one).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from flows.core.chat import Message, ToolCall, Usage

Status = Literal["finished", "unfinished", "waiting", "degraded", "failed"]


class RunStarted(NamedTuple):
    """A run begins, or goes on when `resumed`. `title` is the top flow's name."""

    run: str
    seq: int
    address: str
    round: int
    title: str
    folder: str
    inputs: Mapping[str, Any]
    resumed: bool


class RoundStarted(NamedTuple):
    """A circular flow at `address` begins round `round` of at most `max_rounds` (0: no limit)."""

    run: str
    seq: int
    address: str
    round: int
    max_rounds: int


class StepStarted(NamedTuple):
    """A flow is called. `goal` is the topology's label, or the flow's own description."""

    run: str
    seq: int
    address: str
    round: int
    flow: str
    goal: str
    inputs: Mapping[str, Any]


class StepFinished(NamedTuple):
    """A flow returned. `reused` says that its outputs came from the journal."""

    run: str
    seq: int
    address: str
    round: int
    flow: str
    outputs: Mapping[str, Any]
    elapsed_ms: float
    usage: Usage | None
    reused: bool


class StepErred(NamedTuple):
    """A flow raised. The run goes on if the composite above knows how."""

    run: str
    seq: int
    address: str
    round: int
    flow: str
    error: str
    message: str


class TextArrived(NamedTuple):
    """A piece of a model's reply while it is streamed."""

    run: str
    seq: int
    address: str
    round: int
    text: str


class ModelCalled(NamedTuple):
    """A model was asked and answered, or failed with the error class `error`. `kind` is the class
    of the model, `answered_as` its name by its own account, `finish` why the reply ended,
    `tool_calls` the functions that it
    asks to call, left out where there are none."""

    run: str
    seq: int
    address: str
    round: int
    kind: str
    model: str
    answered_as: str
    messages: tuple[Message, ...]
    text: str
    finish: str
    error: str
    usage: Usage
    elapsed_ms: float
    tool_calls: tuple[ToolCall, ...] = ()


class Retrying(NamedTuple):
    """A step failed in a way that may pass, and is tried again after `wait_s` seconds."""

    run: str
    seq: int
    address: str
    round: int
    attempt: int
    wait_s: float
    message: str


class Notice(NamedTuple):
    """Something that the person should know, in a sentence; an `alarm` is shown in red."""

    run: str
    seq: int
    address: str
    round: int
    text: str
    alarm: bool = False


class ArtifactSaved(NamedTuple):
    """A table, figure or file was written to the run's folder."""

    run: str
    seq: int
    address: str
    round: int
    name: str
    path: str
    description: str


class RunEnded(NamedTuple):
    """The run is over, or waits. `reason` says why when the status is not `finished`."""

    run: str
    seq: int
    address: str
    round: int
    status: Status
    reason: str


Event = (
    RunStarted
    | RoundStarted
    | StepStarted
    | StepFinished
    | StepErred
    | TextArrived
    | ModelCalled
    | Retrying
    | Notice
    | ArtifactSaved
    | RunEnded
)
Listener = Callable[[Event], None]
