"""A team at work, for a person who watches: its task list as a tree, and what was spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.console import Console
from rich.text import Text

from flows.core.chat import Usage
from flows.core.events import Event, StepErred, StepFinished, StepStarted
from flows.core.limits import Limits
from flows.ui.board import Board, TaskShown, changes_of
from flows.ui.live import LiveScreen
from flows.ui.page import Page, duration
from flows.ui.terminal_text import one_line
from flows.ui.tree import Tree

_CHARS: Final = 400


class TeamScreen(LiveScreen):
    """A listener that shows the tasks of a run. On a terminal they are a tree that is drawn again
    while it changes; elsewhere each change is a line."""

    def __init__(self, console: Console, *, limits: Limits | None = None) -> None:
        super().__init__(console, TeamView(), limits=limits)


class TeamView:
    """The tasks of a run as a tree, and as lines."""

    def __init__(self) -> None:
        self._board = Board()
        self._listed = False

    @property
    def usage(self) -> Usage:
        """What the models have used."""
        return self._board.usage

    def clock(self) -> float:
        """Seconds."""
        return self._board.clock()

    def take(self, event: Event) -> None:
        """Follow an event."""
        self._board.take(event)

    def shown_inputs(self, inputs: Mapping[str, Any]) -> Mapping[str, Any]:
        """All of them."""
        return inputs

    def lines(self, width: int, most: int, *, ascii_only: bool) -> Sequence[Text]:
        """The tree of the tasks."""
        return Tree(self._board, width, ascii_only=ascii_only).lines(most)

    def tell(self, page: Page, event: Event, *, drawn: bool) -> None:
        """What was changed of the list; undrawn also what becomes of each task."""
        if isinstance(event, StepFinished) and (said := changes_of(event.outputs)):
            page.bullets("Changed", [one_line(each, _CHARS) for each in said])
        if not drawn and isinstance(event, StepStarted | StepFinished | StepErred):
            self._tell_step(page, event)

    def _tell_step(self, page: Page, event: StepStarted | StepFinished | StepErred) -> None:
        self._list(page)
        task = self._board.task_at(event.address)
        if task is not None:
            self._tell_task(page, task, event)
        elif (phase := self._board.phases.get(event.address)) and phase.seconds is not None:
            words = f"{phase.name}: {phase.text.rstrip('.')} … {duration(phase.seconds * 1000)}"
            page.remark(words)

    def _list(self, page: Page) -> None:
        """The task list, once it is known."""
        if self._listed or not self._board.goals:
            return
        self._listed = True
        tasks = [each for goal in self._board.goals.values() for each in goal.tasks.values()]
        lines = [_described(each) for each in tasks]
        page.block("Tasks", page.wrapped("\n".join(lines)))

    def _tell_task(self, page: Page, task: TaskShown, event: Event) -> None:
        match event:
            case StepStarted():
                page.text("Begun", f"{task.number} {task.name}", label_style="dim")
            case StepErred():
                text = f"{task.number} {task.name}: {event.message}"
                page.text("Failed", text, label_style="bold yellow")
            case _:
                took = duration((task.seconds or 0.0) * 1000)
                page.text("Done", f"{task.number} {task.name} … {took}", label_style="green")


def _described(task: TaskShown) -> str:
    after = "" if task.after is None else f" (after {task.after})"
    return f"{task.number}  {task.name}{after}: {task.text}"
