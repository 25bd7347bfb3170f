"""The steps of a recorded run as a tree, with what each took and what it used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich import box
from rich.table import Table
from rich.text import Text

from flows.core.chat import Usage
from flows.records.steps import StepRecord
from flows.ui.page import duration
from flows.ui.spending import cost, tokens
from flows.ui.terminal_text import one_line

_STYLES = {"done": "", "failed": "red", "waiting": "yellow", "stopped": "yellow", "began": "yellow"}
_WORDS = {"done": "", "began": "no outcome"}
_NAME_CHARS = 60


@dataclass
class _Node:
    """A step, or a composite of which only the steps below are recorded."""

    name: str
    step: StepRecord | None = None
    below: dict[str, _Node] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        own = self.step.seconds if self.step is not None else 0.0
        return own + sum(each.seconds for each in self.below.values())

    @property
    def usage(self) -> Usage:
        own = self.step.usage if self.step is not None else None
        return sum((each.usage for each in self.below.values()), own or Usage())


def render_steps(steps: Sequence[StepRecord]) -> Table:
    """The tree: names to the left, then time, what it came to, and what it used."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(Text("step", style="bold"), no_wrap=True, overflow="ellipsis")
    table.add_column(Text("time", style="bold"), justify="right", no_wrap=True)
    table.add_column(Text("came to", style="bold"), overflow="fold")
    _add(table, _tree(steps), 0)
    return table


def _tree(steps: Sequence[StepRecord]) -> _Node:
    top = _Node("")
    for step in steps:
        node = top
        for name in step.address.split("/") if step.address else ("(the flow itself)",):
            node = node.below.setdefault(name, _Node(name))
        node.step = step
    return top


def _add(table: Table, node: _Node, depth: int) -> None:
    for each in node.below.values():
        name = "  " * depth + one_line(each.name, _NAME_CHARS)
        table.add_row(Text(name), Text(duration(each.seconds * 1000), style="dim"), _came_to(each))
        _add(table, each, depth + 1)


def _came_to(node: _Node) -> Text:
    """How it ended, what it used, and which files it left."""
    step, used = node.step, node.usage
    state = step.came_to if step is not None else "done"
    words = [_WORDS.get(state, state)]
    if step is not None and step.message and state != "waiting":
        words[0] += f": {one_line(step.message, 200)}"
    if step is not None and step.tries > 1:
        words.append(f"{step.tries} tries")
    if step is not None and step.models:
        words.append(one_line(", ".join(step.models), 80))
    words += [tokens(used) if used.input_tokens or used.output_tokens else "", cost(used)]
    if step is not None:
        words += [one_line(each.path, 120) for each in step.artifacts]
    return Text(" · ".join(word for word in words if word), style=_STYLES[state])
