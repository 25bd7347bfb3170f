"""Where the steps of a run are done: in its own process, or beforehand in workers elsewhere."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, Field

from flows.core.events import ModelCalled, Notice, Retrying, TextArrived
from flows.core.rows import Row

# What a step tells while it is done; that it begins and ends is told where it is taken.
WorkEvent = ModelCalled | TextArrived | Retrying | Notice


class RunnerConfig(BaseModel):
    """The keys of the runner in a run file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["local", "ray"] = Field(
        default="local", description="local: this machine; ray: the nodes of a Ray cluster"
    )
    processes: int | None = Field(
        default=None, ge=1, le=10_000, strict=True,
        description="processes that do the elements of maps and the steps of parallel flows; "
        "without it local does them in the run's own process, and ray has one a core",
    )  # fmt: skip
    address: str | None = Field(
        default=None, description="a running Ray cluster; without it one is started on this machine"
    )
    at_once: int = Field(
        default=8, ge=1, le=1000, strict=True,
        description="elements that a process has at once; the others wait in the run",
    )  # fmt: skip


class PreparedStep(NamedTuple):
    """A step that a worker has done in this session and that the run has not come to yet: its row,
    those of the steps that it has called itself, and what it told meanwhile."""

    row: Row
    inner: tuple[Row, ...] = ()
    events: tuple[WorkEvent, ...] = ()


class StepWorkers(Protocol):
    """Does calls of subflows before the run itself does: what came of their steps stands in the
    journal when it comes to them, and is taken from there. What is not done is left to the run."""

    async def prepare(
        self, path: str, address: str, round_number: int, inputs: Any, *, apart: bool
    ) -> None:
        """Do the steps of one call of the flow at the path. Errors: `JournalError`."""
        ...
