"""A graph of flows as the text of a Mermaid flowchart."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence

from flows.core.circular import InRounds, Rounds
from flows.core.flow import CompositeFlow, Flow
from flows.core.map import MapFlow
from flows.core.parallel import ParallelFlow
from flows.core.sequential import SequentialFlow
from flows.core.topology import Step

INDENT = "  "
LONGEST = 80
# All that may stand in a quoted label as it is; the rest is written as `#code;`.
HARMLESS = frozenset(" _.,-()/+=!?'")
# Signs that mean something where they stand, even in quotes: Markdown's lists and emphasis, and
# `direction LR`, which Mermaid's lexer finds anywhere in a line.
SIGNS = re.compile(r"^\d+([.)])|^([-+])|(?<![^\W_])(_)|(_)(?![^\W_])|(d)irection\s")
START = "start"


def flowchart(flow: Flow) -> str:
    """The flowchart of a flow with all below it."""
    return "\n".join(["flowchart TD", *_Chart().flow(flow, INDENT)]) + "\n"


def label(text: str) -> str:
    """Any text as a quoted label of one line, in which nothing is read as Mermaid or HTML."""
    from flows.ui.terminal_text import one_line

    line = one_line(text, LONGEST)
    signs = {found.start(found.lastindex or 0) for found in SIGNS.finditer(line)}
    written = (_coded(char, at in signs) for at, char in enumerate(line))
    return f'"{"".join(written) or " "}"'


def _coded(char: str, is_sign: bool) -> str:
    # Marks belong to the letter before them; a code of their own would take them from it.
    is_text = unicodedata.category(char)[0] in "LNM" or char in HARMLESS
    return char if is_text and not is_sign else f"#{ord(char)};"


class _Chart:
    """Gives every flow an identifier that is no word of Mermaid's, and draws it once."""

    def __init__(self) -> None:
        self.count = 0

    def _new(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def flow(self, flow: Flow, indent: str, own: str = "") -> Iterator[str]:
        """The lines of a flow: a node, or a subgraph with what is inside."""
        own = own or self._new()
        children = flow.children()
        if not children:
            yield f"{indent}{own}[{label(flow.name)}]"
            return
        yield f"{indent}subgraph {own}[{label(_title(flow))}]"
        inner = indent + INDENT
        yield f"{inner}direction TB"
        names = {name: self._new() for name in children}
        for name, child in children.items():
            yield from self.flow(child, inner, names[name])
        yield from self._arrows(flow, names, inner)
        yield f"{indent}end"

    def _arrows(self, flow: Flow, names: dict[str, str], indent: str) -> Iterator[str]:
        if isinstance(flow, ParallelFlow):
            yield from self._after(flow, names, indent)
        elif isinstance(flow, SequentialFlow):
            yield from self._in_order(flow.steps, names, indent)
        elif isinstance(flow, InRounds):
            yield from self._in_order(flow.rounds.steps, names, indent, flow.rounds)
        elif isinstance(flow, MapFlow):
            start = self._new()
            yield f"{indent}{start}(({label(START)}))"
            each = f"each of {flow.config.over}"
            yield f"{indent}{start} ==>|{label(each)}| {names[flow.subflow.name]}"
        elif isinstance(flow, CompositeFlow) and flow.branches:
            fork = self._new()
            yield f"{indent}{fork}{{{label('which branch?')}}}"
            for name in flow.subflows:
                yield f"{indent}{fork} -->|{label(name)}| {names[name]}"

    def _in_order(
        self,
        steps: Sequence[Step],
        names: dict[str, str],
        indent: str,
        rounds: Rounds | None = None,
    ) -> Iterator[str]:
        """An arrow to each step from the one before it; in a circle one back to the first."""
        if not steps:
            return
        before = self._new()
        yield f"{indent}{before}(({label(START)}))"
        for number, step in enumerate(steps, 1):
            here = names[step.flow.name]
            yield f"{indent}{before} -->|{label(f'({number}) {step.goal}')}| {here}"
            before = here
        if rounds is not None and rounds.most != 1:
            first = names[steps[0].flow.name]
            yield f"{indent}{before} -.->|{label(_again(rounds))}| {first}"

    def _after(self, flow: ParallelFlow, names: dict[str, str], indent: str) -> Iterator[str]:
        """Arrows to each step from those that it comes after; the first of them has the goal."""
        start = self._new()
        yield f"{indent}{start}(({label(START)}))"
        after = {item.flow: item.after for item in flow.config.topology}
        for step in flow.steps:
            here, goal = names[step.flow.name], f"|{label(step.goal)}| "
            for before in after[step.flow.name] or (START,):
                origin = names[before] if before in names and after[step.flow.name] else start
                yield f"{indent}{origin} -->{goal or ' '}{here}"
                goal = ""


def _title(flow: Flow) -> str:
    """The flow's name and what kind of flow it is."""
    kind = type(flow.config).__name__.removesuffix("Config")
    return flow.name if flow.name.casefold() == kind.casefold() else f"{flow.name} ({kind})"


def _again(rounds: Rounds) -> str:
    key, most = rounds.exit_key, rounds.most
    until = f"again, until {key}" if key else "again"
    return f"{until} (no limit of rounds)" if most is None else f"{until} (at most {most} rounds)"
