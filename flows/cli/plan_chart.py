"""The plans of a run of the planner as the text of a Mermaid flowchart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from flows.cli.mermaid import INDENT, label
from flows.library.interpreter.config import PlanRecord


def plan_chart(steps: Sequence[PlanRecord]) -> str:
    """A subgraph for the plan of each turn. An arrow goes to each step from those that come before
    it, with the place in the result that a value is taken from; a dotted one takes none."""
    nodes = {id(step): f"n{number}" for number, step in enumerate(steps, 1)}
    lines = ["flowchart TD"]
    for turn, plan in groupby(steps, key=lambda each: each.turn):
        lines.append(f"{INDENT}subgraph t{turn}[{label(f'Plan of turn {turn}')}]")
        lines.append(f"{INDENT * 2}direction TB")
        lines += [f"{INDENT * 2}{nodes[id(each)]}[{label(_told(each))}]" for each in plan]
        lines.append(f"{INDENT}end")
    for step in steps:
        known = {each.step: nodes[id(each)] for each in steps if each.turn <= step.turn}
        lines += [f"{INDENT}{each}" for each in _arrows(step, known, nodes[id(step)])]
    return "\n".join(lines) + "\n"


def _told(step: PlanRecord) -> str:
    """The step in words: its id, its function, and the calls that it came to."""
    if not step.calls:
        return f"{step.step}: {step.function} (not made)"
    word = "call" if len(step.calls) == 1 else "calls"
    return f"{step.step}: {step.function} ({word} {', '.join(map(str, step.calls))})"


def _arrows(step: PlanRecord, known: dict[str, str], here: str) -> Iterator[str]:
    for link in step.after:
        if link.step not in known:
            continue
        if link.path is None:
            yield f"{known[link.step]} -.-> {here}"
        else:
            yield f"{known[link.step]} -->|{label(link.path or 'its result')}| {here}"
