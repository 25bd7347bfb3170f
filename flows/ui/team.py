"""A team at work, for a person who watches: its task list as a tree, and what was spent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock
from types import TracebackType
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from flows.core.events import (
    Event,
    Notice,
    Retrying,
    RunEnded,
    RunStarted,
    StepErred,
    StepFinished,
    StepStarted,
)
from flows.core.limits import Limits
from flows.ui.board import Board, TaskShown, changes_of
from flows.ui.console import can_animate
from flows.ui.page import Page, duration
from flows.ui.spending import limits_used, spent
from flows.ui.terminal_text import as_text, one_line
from flows.ui.tree import Tree

_A_SECOND: Final = 5
_INPUT_CHARS: Final = 400
_ROOM_BELOW: Final = 3


class TeamScreen:
    """A listener that shows the tasks of a run. On a terminal they are a tree that is drawn again
    while it changes; elsewhere each change is a line.

    As a context manager, or closed, it leaves the tree as it was last. `limits` are the run's.
    """

    def __init__(self, console: Console, *, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._page = Page(console)
        self._board = Board()
        self._lock = RLock()  # The tree is drawn by a thread, so that time goes on in long steps.
        self._animated = can_animate(console)
        self._live: Live | None = None
        self._began: float | None = None
        self._still = 0.0
        self._listed = False
        self._asking = False
        self._held: list[Event] = []

    def __enter__(self) -> TeamScreen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        with self._lock:
            self._board.take(event)
        # Nothing is written under the lock: the thread that draws holds the console's.
        if self._asking:
            self._held.append(event)
        else:
            self._write(event)

    def _write(self, event: Event) -> None:
        match event:
            case RunStarted():
                self._introduce(event)
            case RunEnded():
                self.close()
            case Notice():
                label, style = ("Alarm", "red") if event.alarm else ("Note", "cyan")
                self._page.text(label, event.text, label_style=f"bold {style}")
            case Retrying():
                text = f"{event.message} Attempt {event.attempt + 1} in {event.wait_s:.1f} s."
                self._page.text("Again", text, label_style="yellow")
            case StepFinished() if said := changes_of(event.outputs):
                self._page.bullets("Changed", [one_line(each, _INPUT_CHARS) for each in said])
                self._tell(event)
            case StepStarted() | StepFinished() | StepErred():
                self._tell(event)
            case _:
                pass

    def close(self) -> None:
        """Stop drawing; what was drawn last stays."""
        if self._live is not None:
            self._live.stop()
            self._live = None
            self._began = None

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Make room for a question: the tree is gone meanwhile, and its time stands still."""
        live, began = self._live, self._board.clock()
        if live is not None:
            live.transient = True
            live.stop()
        self._asking = True
        try:
            yield
        finally:
            self._asking = False
            self._still += self._board.clock() - began
            for event in self._held:
                self._write(event)
            self._held.clear()
            if live is not None and self._live is live:
                self._live = self._draw()

    def _introduce(self, event: RunStarted) -> None:
        self._page.rule(event.title, "bold cyan")
        for name, value in event.inputs.items():
            label = one_line(name, 9).capitalize()
            self._page.text(label, one_line(as_text(value), _INPUT_CHARS), label_style="dim")
        self._page.text("Run", event.run, style="dim", label_style="dim")
        if event.resumed:
            self._page.text("Note", "The run goes on. What it did before comes from its journal.")
        self._began = self._board.clock()
        if self._animated:
            self._live = self._draw()

    def _draw(self) -> Live:
        live = Live(
            console=self._page.console, get_renderable=self._frame, refresh_per_second=_A_SECOND,
            vertical_overflow="crop",
        )  # fmt: skip
        live.start()
        return live

    def _frame(self) -> Group:
        console = self._page.console
        with self._lock:
            plain = console.options.ascii_only
            below = self._spent()
            room = console.height - _ROOM_BELOW - below.cell_len // console.width
            tree = Tree(self._board, console.width - 1, ascii_only=plain).lines(max(4, room))
        return Group(Text(), *tree, below)

    def _spent(self) -> Text:
        """What was used so far, and of the run's limits how much."""
        now = self._board.clock()
        seconds = 0.0 if self._began is None else now - self._began - self._still
        usage = self._board.usage
        parts = [spent(usage, None, seconds)]
        for name, used, allowed in limits_used(self.limits, usage, None, seconds):
            if name != "rounds":
                parts.append(f"{name}: {used} of {allowed}")
        return Text(" · ".join(parts), style="dim")

    # Where nothing can be drawn twice.

    def _tell(self, event: StepStarted | StepFinished | StepErred) -> None:
        if self._animated:
            return
        self._list()
        task = self._board.task_at(event.address)
        if task is not None:
            self._tell_task(task, event)
        elif (phase := self._board.phases.get(event.address)) and phase.seconds is not None:
            words = f"{phase.name}: {phase.text.rstrip('.')} … {duration(phase.seconds * 1000)}"
            self._page.remark(words)

    def _list(self) -> None:
        """The task list, once it is known."""
        if self._listed or not self._board.goals:
            return
        self._listed = True
        page = self._page
        tasks = [each for goal in self._board.goals.values() for each in goal.tasks.values()]
        lines = [_described(each) for each in tasks]
        page.block("Tasks", page.wrapped("\n".join(lines)))

    def _tell_task(self, task: TaskShown, event: Event) -> None:
        match event:
            case StepStarted():
                self._page.text("Begun", f"{task.number} {task.name}", label_style="dim")
            case StepErred():
                text = f"{task.number} {task.name}: {event.message}"
                self._page.text("Failed", text, label_style="bold yellow")
            case _:
                took = duration((task.seconds or 0.0) * 1000)
                self._page.text("Done", f"{task.number} {task.name} … {took}", label_style="green")


def _described(task: TaskShown) -> str:
    after = "" if task.after is None else f" (after {task.after})"
    return f"{task.number}  {task.name}{after}: {task.text}"
