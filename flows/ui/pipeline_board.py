"""Where the phases of a pipeline stand, as the events of its run tell it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flows.analysis.prediction.work import AgentScore, PhaseRecord, PhaseWork
from flows.core.chat import Usage
from flows.core.events import Event, ModelCalled, StepErred, StepFinished, StepStarted
from flows.ui.terminal_text import one_line

_CHARS: Final = 300


@dataclass
class PhaseShown:
    """A phase: its agents with their status, the score of its last try, its unit tests, since when
    it is worked on and how long, and what its last step is."""

    name: str
    title: str
    agents: dict[str, str]
    status: str = "planned"
    score: float | None = None
    tries: int = 0
    passed: int = 0
    tests: int = 0
    began: float | None = None
    seconds: float | None = None
    step: str = ""

    def took(self, now: float) -> float | None:
        """Seconds so far."""
        if self.status == "running" and self.began is not None:
            return now - self.began
        return self.seconds

    def try_again(self, number: int) -> None:
        """A try begins: no agent has done anything in it."""
        if number > self.tries:
            self.tries = number
            self.agents = dict.fromkeys(self.agents, "planned")

    def judge(self, work: PhaseWork, scores: Sequence[AgentScore]) -> None:
        """What became of the work, as far as it is known."""
        if work.checks:
            self.passed = sum(each.passed for each in work.checks)
            self.tests = len(work.checks)
        if scores:
            self.score = sum(each.score for each in scores) / len(scores)

    def end(self, status: str, now: float) -> None:
        """Nobody works on it any more."""
        if self.began is not None and self.seconds is None:
            self.seconds = now - self.began
        self.status, self.step = status, ""


@dataclass
class PipelineBoard:
    """The phases, and what was spent. It is told events and knows nothing else, but for the phases
    that it may `expect`; `clock` gives seconds."""

    clock: Callable[[], float] = time.monotonic
    phases: dict[str, PhaseShown] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)

    def expect(self, name: str, title: str, agents: Sequence[str]) -> None:
        """A phase that will come, and its agents in order."""
        self.phases[name] = PhaseShown(name, title, dict.fromkeys(agents, "planned"))

    def take(self, event: Event) -> None:
        """Follow an event."""
        match event:
            case StepStarted():
                self._begin(event)
            case StepFinished():
                if event.reused and event.usage is not None:
                    self.usage += event.usage
                self._finish(event.address, event.outputs)
            case StepErred():
                self._fail(event.address)
            case ModelCalled():
                self.usage += event.usage
            case _:
                pass

    def phase_at(self, address: str) -> PhaseShown | None:
        """The phase that the step is, or is a part of."""
        return self.phases.get(_name(address.partition("/")[0]))

    def agent_at(self, address: str) -> str:
        """The agent of a phase that the step is; "" for any other step."""
        phase, parts = self.phase_at(address), address.split("/")
        name = _name(parts[-1])
        return name if phase is not None and len(parts) == 2 and name in phase.agents else ""

    def _begin(self, event: StepStarted) -> None:
        if (phase := self.phase_at(event.address)) is None:
            return
        if "/" not in event.address:
            phase.status, phase.began = "running", self.clock()
        elif agent := self.agent_at(event.address):
            if agent == next(iter(phase.agents)):
                phase.try_again(_number(event.address))
            phase.agents[agent] = "running"
        phase.step = one_line(f"{event.flow}: {event.goal}", _CHARS)

    def _finish(self, address: str, outputs: Mapping[str, Any]) -> None:
        if (phase := self.phase_at(address)) is None:
            return
        record, work = outputs.get("record"), outputs.get("work")
        if "/" not in address and isinstance(record, PhaseRecord):
            phase.judge(record.work, record.scores)
            phase.score, phase.tries = record.score, record.tries
            ran = record.work.ran or not record.steps
            phase.end("done" if ran and not record.kept_best else "weak", self.clock())
        elif agent := self.agent_at(address):
            phase.agents[agent] = "done"
            scores = outputs.get("scores") or ()
            phase.judge(work if isinstance(work, PhaseWork) else PhaseWork(), scores)

    def _fail(self, address: str) -> None:
        if (phase := self.phase_at(address)) is None:
            return
        if "/" not in address:
            phase.end("failed", self.clock())
        elif agent := self.agent_at(address):
            phase.agents[agent] = "failed"


def _name(part: str) -> str:
    return part.partition("#")[0]


def _number(address: str) -> int:
    """Which call of its flow a step is."""
    counter = address.rpartition("#")[2]
    return int(counter) if counter.isdecimal() else 1
