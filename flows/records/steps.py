"""The steps of a run, as its rows tell them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from pydantic_core import to_jsonable_python

from flows.core.artifacts import Artifact
from flows.core.chat import Usage
from flows.core.rows import Row

CameTo = Literal["done", "failed", "waiting", "stopped", "began"]
_KINDS: Final = ("intent", "call", "outcome", "failure")
_COUNTER = re.compile(r"#\d+(?=/|$)")
_OPEN: Final[dict[str, CameTo]] = {
    "Waiting": "waiting", "SessionChanged": "waiting", "LimitReached": "stopped"
}  # fmt: skip


def flow_path(address: str) -> str:
    """The path in the graph of the flow that is called at an address."""
    return _COUNTER.sub("", address)


@dataclass(slots=True)
class StepRecord:
    """One step: `flow` is its path in the graph, `came_to` how its last try ended, if it did.

    `seconds` is the time since the row before it, of all its tries; steps that run at once share
    that. `ended` is when its last try did, in seconds since 1970. `once` says that it must not be
    done twice, `models` are those that it asked, `tries` counts how often it began; a wait for a
    person and what came after it is one try.
    """

    address: str
    came_to: CameTo = "began"
    once: bool = False
    error: str = ""
    message: str = ""
    seconds: float = 0.0
    ended: float | None = None
    tries: int = 0
    usage: Usage | None = None
    models: dict[str, None] = field(default_factory=dict)
    artifacts: tuple[Artifact, ...] = ()

    @property
    def flow(self) -> str:
        return flow_path(self.address)

    def as_json(self) -> dict[str, object]:
        """Plain data for `--json`."""
        return {
            "address": self.address,
            "flow": self.flow,
            "came_to": self.came_to,
            "once": self.once,
            "tries": self.tries,
            "seconds": round(self.seconds, 6),
            "usage": to_jsonable_python(self.usage),
            "models": list(self.models),
            "artifacts": [each.path for each in self.artifacts],
            **({"error": self.error, "message": self.message} if self.error else {}),
        }


def read_steps(rows: Sequence[Row]) -> tuple[StepRecord, ...]:
    """The steps in the order in which they were first recorded."""
    found: dict[str, StepRecord] = {}
    before = 0.0
    began: dict[str, float] = {}
    for row in rows:
        if row.kind == "start":
            began.clear()
        if row.kind in _KINDS:
            step = found.setdefault(row.address, StepRecord(row.address))
            if row.address not in began:
                began[row.address] = before
                step.tries += step.came_to != "waiting"
            _note(step, row)
            if row.kind in ("outcome", "failure"):
                step.seconds += max(0.0, row.at - began.pop(row.address))
                step.ended = row.at
        before = row.at
    return tuple(found.values())


def _note(step: StepRecord, row: Row) -> None:
    body = row.data()
    if row.kind == "intent":
        step.once, step.came_to = True, "began"
        return
    if row.kind == "call":
        step.models[str(body.get("model", ""))] = None
        step.came_to = "began"
        return
    if "usage" in body:
        used = Usage.model_validate(body["usage"])
        step.usage = used if step.usage is None else step.usage + used
    step.came_to, step.error, step.message = "done", "", ""
    if row.kind == "failure":
        step.error, step.message = body["type"], body["message"]
        step.came_to = _OPEN.get(step.error, "failed")
    step.artifacts = tuple(Artifact.model_validate(each) for each in body.get("saved", ()))
