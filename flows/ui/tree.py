"""A task list as a tree: what depends on what, how far each task is, and how long it took."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from rich.text import Text

from flows.ui.board import Board, GoalTasks, Standing, TaskShown
from flows.ui.page import duration

ICONS: Final = {
    "planned": "○", "running": "▶", "done": "✓", "failed": "✗", "skipped": "·", "dropped": "·",
}  # fmt: skip
PLAIN_ICONS: Final = {
    "planned": ".", "running": ">", "done": "+", "failed": "x", "skipped": "-", "dropped": "-",
}  # fmt: skip
LINES: Final = ("├─ ", "└─ ", "│  ")
PLAIN_LINES: Final = ("|- ", "`- ", "|  ")
STYLES: Final = {
    "planned": "dim", "running": "bold cyan", "done": "green", "failed": "bold red",
    "skipped": "dim", "dropped": "dim strike",
}  # fmt: skip
_BEFORE: Final = ("RAGAgent", "Research", "ManagerAgent")


class TreeLine(NamedTuple):
    """A line of the tree. One of a task that is `over` can be left out where room is scarce."""

    text: Text
    over: bool = False


class Tree:
    """Draws a board `width` columns wide; `ascii` for a terminal that knows no other letters."""

    def __init__(self, board: Board, width: int, *, ascii_only: bool = False) -> None:
        self.board = board
        self.width = max(20, width)
        self.icons = PLAIN_ICONS if ascii_only else ICONS
        self.fork, self.last, self.bar = PLAIN_LINES if ascii_only else LINES
        self.now = board.clock()

    def lines(self, most: int | None = None) -> list[Text]:
        """The whole of it, or at most that many lines: first of what is over some are left out."""
        found = list(self._all())
        if most is None or len(found) <= most:
            return [each.text for each in found]
        left_out = 0
        while len(found) + 1 > most:
            over = next((each for each in found if each.over), None)
            if over is None:
                break
            found.remove(over)
            left_out += 1
        texts = [each.text for each in found][: max(1, most - 1)]
        hidden = left_out + len(found) - len(texts)
        return [*texts, Text(f"… {hidden} more", style="dim")]

    def _all(self) -> Iterator[TreeLine]:
        phases = list(self.board.phases.values())
        yield from (self._phase(each) for each in phases if each.name in _BEFORE)
        inner = {task.address for goal in self.board.goals.values() for task in goal.tasks.values()}
        for goal in self.board.goals.values():
            if goal.address not in inner:
                yield from self._level(goal, None, "")
        yield from (self._phase(each) for each in phases if each.name not in _BEFORE)

    def _phase(self, phase: Standing) -> TreeLine:
        return TreeLine(self._line("", phase, f"{phase.name}  "))

    def _level(self, goal: GoalTasks, after: int | None, indent: str) -> Iterator[TreeLine]:
        """The tasks that depend on one, or on none, each with those that depend on it."""
        tasks = [each for each in goal.tasks.values() if _above(goal, each) == after]
        for number, task in enumerate(tasks, 1):
            is_last = number == len(tasks)
            branch, below = (self.last, "   ") if is_last else (self.fork, self.bar)
            head = f"{task.number} {task.name}  "
            yield TreeLine(
                self._line(indent + branch, task, head), task.status in ("done", "dropped")
            )
            if task.status == "running" and task.step:
                text = Text(f"{indent}{below}    {task.step}", style="dim")
                yield TreeLine(self._cut(text, self.width))
            nested = self.board.goals.get(task.address)
            if nested is not None:
                yield from self._level(nested, None, indent + below)
            yield from self._level(goal, task.number, indent + below)

    def _line(self, indent: str, shown: Standing, head: str) -> Text:
        style = STYLES[shown.status]
        left = Text.assemble(
            (indent, "dim"), (self.icons[shown.status] + " ", style), (head, "bold"),
            (shown.text, "" if shown.status == "running" else "dim"),
        )  # fmt: skip
        seconds = shown.took(self.now)
        right = shown.status if shown.status in ("failed", "skipped", "dropped") else ""
        if seconds is not None:
            right = f"{right} {duration(seconds * 1000)}".strip()
        room = self.width - len(right) - 1
        left = self._cut(left, room)
        left.pad_right(max(0, room - left.cell_len) + 1)
        return Text.assemble(left, (right, "dim"))

    def _cut(self, text: Text, width: int) -> Text:
        text.truncate(max(1, width), overflow="ellipsis")
        return text


def _above(goal: GoalTasks, task: TaskShown) -> int | None:
    """The task that one stands below; none where what it depends on is not in the list, or would
    come round to it."""
    at, seen = task.after, {task.number}
    while at is not None:
        if at not in goal.tasks or at in seen:
            return None
        seen.add(at)
        at = goal.tasks[at].after
    return task.after
