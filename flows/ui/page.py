"""The layout of all that is written about a run: a label to the left, its text beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.rule import Rule
from rich.text import Text

from flows.core.observation import Observation, Preview
from flows.ui.block import LabelledBlock
from flows.ui.sql import render_sql
from flows.ui.tables import render_table
from flows.ui.terminal_text import clean, one_line, shorten

LABEL_WIDTH = 9
_GAP = 2
_NARROW = 60
_WIDEST_PROSE = 100
_PLAIN_RULE = "──"
_TEXT_CHARS = 1200
_TEXT_LINES = 14
_KINDS = {"ok": ("Result", "bold"), "empty": ("Nothing", "yellow"), "error": ("Error", "bold red")}


class Page:
    """Writes labelled blocks to a console, beside the label or under it when there is no room."""

    def __init__(self, console: Console) -> None:
        self.console = console

    @property
    def narrow(self) -> bool:
        return self.console.width < _NARROW

    @property
    def width(self) -> int:
        """The columns that a block has."""
        return self.console.width - (2 if self.narrow else LABEL_WIDTH + _GAP)

    def rule(self, title: str, style: str = "bold") -> None:
        """A heading. On a terminal the line goes to its edge; a pipe has no edge."""
        heading = one_line(title, max(10, self.console.width - 8))
        self.console.print()
        if self.console.is_terminal:
            start = Text.assemble((f"{_PLAIN_RULE} ", "dim"), (heading, style))
            self.console.print(Rule(start, style="dim", align="left"))
        else:
            self.console.print(Text(f"{_PLAIN_RULE} {heading} {_PLAIN_RULE}"))

    def block(self, label: str, body: RenderableType, style: str = "bold") -> None:
        indent = self.console.width - self.width
        self.console.print(LabelledBlock(body, label, style, indent, above=self.narrow))

    def commands(self, label: str, lines: Sequence[str]) -> None:
        """Lines to type, never broken, so that each can be copied whole."""
        indent = self.console.width - self.width
        head = f"{label}\n{' ' * indent}" if self.narrow else label.ljust(indent)
        for line in lines:
            shown = clean(line, keep_newlines=False)
            self.console.print(Text.assemble((head, "bold"), (shown, "bold cyan")), soft_wrap=True)
            head = " " * indent

    def flush(self, body: RenderableType) -> None:
        """Something without a label, from the left edge."""
        self.console.print(LabelledBlock(body))

    def text(self, label: str, text: str, *, style: str = "", label_style: str = "bold") -> None:
        """A block of prose, no wider than reads well, cut when it is long."""
        self.block(label, self.prose(text, style), label_style)

    def bullets(self, label: str, texts: list[str]) -> None:
        """A list, each of its items hanging from a dot."""
        width = min(self.width, _WIDEST_PROSE) - 2
        lines = [
            ("• " if number == 0 else "  ") + line.plain
            for text in texts
            for number, line in enumerate(Text(clean(text)).wrap(self.console, width))
        ]
        self.block(label, Text("\n".join(lines), no_wrap=True))

    def prose(self, text: str, style: str = "") -> Text:
        shown = shorten(text, chars=_TEXT_CHARS, lines=_TEXT_LINES)
        return self.wrapped(shown, style)

    def wrapped(self, text: str, style: str = "", *, flush: bool = False) -> Text:
        width = min(self.console.width if flush else self.width, _WIDEST_PROSE)
        lines = Text(clean(text), style=style).wrap(self.console, width, overflow="fold")
        return Text("\n").join(lines)

    def remark(self, text: str, style: str = "dim") -> None:
        """A sentence that belongs to what stands above."""
        self.block("", self.wrapped(text, style))

    def observe(self, found: Observation, detail: str) -> None:
        """What a command gave back; `detail` says how long it took and where all of it is."""
        label, style = _KINDS[found.kind]
        body: list[RenderableType] = []
        if found.text.strip() and not (found.tabled and found.table is not None):
            body.append(self.prose(found.text, "red" if found.kind == "error" else ""))
        if found.table is not None and found.table.columns:
            body += self.table(found.table)
        if detail:
            body.append(self.wrapped(detail, "dim"))
        self.block(label, Group(*body), style)
        if found.table is not None and found.table.sql:
            self.sql(found.table.sql)

    def table(self, preview: Preview) -> list[RenderableType]:
        if not preview.rows:
            return [self.wrapped(f"columns: {', '.join(preview.columns)}", "dim")]
        table, left = render_table(preview, self.width)
        return [table, *(self.wrapped(sentence, "dim") for sentence in left)]

    def sql(self, sql: str, label: str = "SQL") -> None:
        self.block(label, render_sql(sql, min(self.width, _WIDEST_PROSE)))


def duration(milliseconds: float) -> str:
    """A time as a person says it."""
    if milliseconds < 10:
        return f"{milliseconds:.1f} ms"
    if milliseconds < 1000:
        return f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {seconds} s"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def shown_path(path: Path) -> str:
    """A path as it can be typed here: relative to the working directory when it lies in it."""
    try:
        return clean(str(path.absolute().relative_to(Path.cwd())), keep_newlines=False)
    except (ValueError, OSError):
        return clean(str(path), keep_newlines=False)
