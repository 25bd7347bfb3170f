"""A team at work as its events tell it, for the tests of its screen; as a program on a terminal.

Usage: python -m tests.ui.team_story [SECONDS BETWEEN EVENTS]
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from flows.core.chat import Usage
from flows.core.events import Event, ModelCalled, StepErred
from flows.core.limits import Limits
from flows.semantics.findings import Finding, Task, TaskResult, TaskStatus
from flows.ui.console import make_console
from flows.ui.team import TeamScreen
from tests.ui.story import RUN_ID, Story

QUESTION = "What drives the yield?"
SQL, PYTHON, CHART = "DataProcessorSQLAgent", "PythonDataAgent", "PlotlyVisualizerAgent"
TASKS = (
    Task(task_id=0, name=SQL, description="Get all of the farm"),
    Task(task_id=1, name=PYTHON, description="Correlate the yield", data_dependency=0),
    Task(task_id=2, name=CHART, description="Draw\x1b[2J the yield", data_dependency=1),
)
MORE = Task(task_id=3, name=PYTHON, description="Correlate it again", data_dependency=0)
TEAM = "Goal#1/Team#1"


def result(task: Task, status: TaskStatus, seconds: float, said: str = "Done.") -> TaskResult:
    finding = Finding(output_type="text", response=said)
    return TaskResult(task=task, status=status, finding=finding, seconds=seconds)


class TeamStory(Story):
    """Also tells of model calls and of failed agents."""

    def called(self, tokens: int) -> None:
        usage = Usage(model_calls=1, input_tokens=tokens, output_tokens=tokens // 2, cost=0.25)
        what = {"kind": "OpenAIModel", "model": "m", "answered_as": "m", "messages": ()}
        rest = {"text": "", "finish": "stop", "error": "", "usage": usage, "elapsed_ms": 1.0}
        given: dict[str, Any] = {**what, **rest}
        self._listener(ModelCalled(RUN_ID, self._next(), "Goal#1", 0, **given))

    def fail(self, address: str, message: str) -> None:
        flow = address.rpartition("/")[2].partition("#")[0]
        told = (RUN_ID, self._next(), address, 0, flow, "CodeFailed", message)
        self._listener(StepErred(*told))

    def worked(self, task: Task, number: int = 1) -> None:
        at = f"{TEAM}/{task.name}#{number}"
        self.begin(at, task=task.description, data="", question=QUESTION)
        self.begin(f"{at}/plan_generation#1", "Plans the code")
        self.finish(f"{at}/plan_generation#1", {})
        self.finish(at, {"finding": None})


def scenes(listener: Callable[[Event], None]) -> Iterator[TeamStory]:
    """A run that stops for a moment where something is to be seen."""
    story = TeamStory(listener)
    story.start(question=QUESTION)
    story.step("RAGAgent#1", {}, task=QUESTION)
    story.begin("Goal#1", task=QUESTION)
    story.begin("Goal#1/ManagerAgent#1", "Breaks it down", question=QUESTION, agents=())
    story.called(1000)
    story.finish("Goal#1/ManagerAgent#1", {"tasks": TASKS, "understood": "", "changes": ()})
    story.begin(TEAM, question=QUESTION, tasks=TASKS, context="")
    yield story
    story.worked(TASKS[0])
    at = f"{TEAM}/{PYTHON}#1"
    story.begin(at, task=TASKS[1].description, data="t", question=QUESTION)
    story.begin(f"{at}/python_code_generation#1", "Writes code")
    yield story
    story.fail(at, "KeyError: 'yeild'")
    changed = {"tasks": (MORE,), "changes": ("Task 2 cannot be done any more.",)}
    story.step(
        f"{TEAM}/SharedMemory#1", changed, results=(result(TASKS[0], "done", 2.5),), tasks=()
    )
    yield story
    story.worked(MORE, 2)
    story.finish(TEAM, {"results": (result(MORE, "done", 1.5),), "changes": (), "stopped": ""})
    story.step("Goal#1/SummarizerAgent#1", {}, results=())
    story.finish("Goal#1", {})
    story.step("Report#1", {})
    story.end()
    yield story


if __name__ == "__main__":
    with TeamScreen(make_console(), limits=Limits(model_calls=20, wall_time=60)) as screen:
        for _ in scenes(screen):
            time.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 0)
