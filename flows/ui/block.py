"""A label with something beside it, or under it where there is no room."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment


@dataclass(frozen=True, slots=True)
class LabelledBlock:
    """Renders `body` indented by `indent` cells, with `label` in its first line or above it.

    Lines have no blanks at their ends, so that a log of a run can be compared and searched.
    """

    body: RenderableType
    label: str = ""
    style: str = ""
    indent: int = 0
    above: bool = False

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        inner = options.update(width=max(1, options.max_width - self.indent), height=None)
        label = Segment(self.label, console.get_style(self.style))
        gap = max(1, self.indent - cell_len(self.label))
        if self.label and self.above:
            yield from (label, Segment.line())
        for number, line in enumerate(console.render_lines(self.body, inner, pad=False)):
            kept = trimmed(line)
            if number == 0 and self.label and not self.above:
                yield from (label, Segment(" " * gap))
            elif kept:
                yield Segment(" " * self.indent)
            yield from kept
            yield Segment.line()


def trimmed(line: Iterable[Segment]) -> list[Segment]:
    """The line without blanks at its end."""
    kept = list(line)
    while kept and not kept[-1].text.rstrip(" "):
        kept.pop()
    if kept:
        last = kept[-1]
        kept[-1] = Segment(last.text.rstrip(" "), last.style, last.control)
    return kept
