"""The closed union of what a run tells the outside while it goes on.

Events are frozen. Screens, logs and traces consume them and cannot change a run. Each carries
`address` (the step's path of names and call counters, "" for the run itself), `round` (of the
nearest circular flow, from 1; 0 outside of one) and `seq` (from 1, without gaps).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from flows.core.chat import Usage

Status = Literal["finished", "unfinished", "waiting", "degraded", "failed"]


class RunStarted(NamedTuple):
    """A run begins, or goes on when `resumed`. `title` is the top flow's name."""

    seq: int
    address: str
    round: int
    run_id: str
    title: str
    folder: str
    inputs: Mapping[str, Any]
    resumed: bool


class RoundStarted(NamedTuple):
    """A circular flow at `address` begins round `round` of at most `max_rounds` (0: no limit)."""

    seq: int
    address: str
    round: int
    max_rounds: int


class StepStarted(NamedTuple):
    """A flow is called. `goal` is the topology's label, or the flow's own description."""

    seq: int
    address: str
    round: int
    flow: str
    goal: str
    inputs: Mapping[str, Any]


class StepFinished(NamedTuple):
    """A flow returned. `reused` says that its outputs came from the journal."""

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

    seq: int
    address: str
    round: int
    flow: str
    error: str
    message: str


class TextArrived(NamedTuple):
    """A piece of a model's reply while it is streamed."""

    seq: int
    address: str
    round: int
    text: str


class Retrying(NamedTuple):
    """A step failed in a way that may pass, and is tried again after `wait_s` seconds."""

    seq: int
    address: str
    round: int
    attempt: int
    wait_s: float
    message: str


class Notice(NamedTuple):
    """Something that the person should know, in a sentence."""

    seq: int
    address: str
    round: int
    text: str


class ArtifactSaved(NamedTuple):
    """A table, figure or file was written to the run's folder."""

    seq: int
    address: str
    round: int
    name: str
    path: str
    description: str


class RunEnded(NamedTuple):
    """The run is over, or waits. `reason` says why when the status is not `finished`."""

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
    | Retrying
    | Notice
    | ArtifactSaved
    | RunEnded
)
Listener = Callable[[Event], None]
