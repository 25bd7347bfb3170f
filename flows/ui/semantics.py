"""A semantic model on a terminal: datasets with their fields, relationships, metrics, calendar."""

from __future__ import annotations

from calendar import month_name
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from flows.semantics.model import Calendar, Dataset, SemanticField, SemanticModel
from flows.ui.meanings import (
    cleaning_text,
    expression_text,
    metric_text,
    relationship_text,
    row_text,
    values_text,
)
from flows.ui.page import Page, counted
from flows.ui.terminal_text import one_line

_NARROW = 72
_NAME = 32
_TEXT = 400


def show_model(console: Console, model: SemanticModel) -> None:
    """The whole model: a table of fields for each dataset, then what connects and measures them."""
    page = Page(console)
    for dataset in model.datasets:
        _show_dataset(page, dataset)
    if model.relationships:
        _section(page, "Relationships")
        _lines(page, [(e.name, relationship_text(e, model)) for e in model.relationships])
    if model.metrics:
        _section(page, "Metrics")
        lines = []
        for each in model.metrics:
            said = f"\n{one_line(each.description, _TEXT)}" if each.description else ""
            lines.append((each.name, metric_text(each, model) + said))
        _lines(page, lines)
    _section(page, "Calendar")
    page.flush(page.wrapped(calendar_text(model.calendar), flush=True))
    console.print()


def calendar_text(calendar: Calendar) -> str:
    """Which day is today, and when a fiscal year and a week begin where they are not as usual."""
    today = {"data": "the last date in the data", "clock": "what the clock says"}
    said = f"today is {today.get(str(calendar.today), calendar.today)}"
    if calendar.fiscal_start > 1:
        said += f"; a fiscal year begins in {month_name[calendar.fiscal_start]}"
    return said + ("; a week begins on Sunday" if calendar.week_start == "sunday" else "")


def _section(page: Page, title: str) -> None:
    page.rule(title, "bold cyan")


def _show_dataset(page: Page, dataset: Dataset) -> None:
    name = one_line(dataset.name, 200)
    page.rule(f"{name} · {counted(len(dataset.fields), 'field')}", "bold cyan")
    if dataset.description:
        page.text("About", dataset.description)
    page.text("Row", one_line(row_text(dataset), _TEXT))
    if dataset.words:
        page.text("Also", ", ".join(one_line(each, 60) for each in dataset.words))
    for field, values in dataset.totals:
        rows = ", ".join(one_line(each, 60) for each in values)
        page.text("Left out", f"rows with {rows} in {field}: they are sums of others")
    if page.console.width < _NARROW:
        page.flush(_stacked(page, dataset.fields))
    else:
        page.flush(_fields(dataset.fields))


def _fields(fields: Sequence[SemanticField]) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    grid.add_column("field", header_style="bold", overflow="fold", max_width=_NAME)
    grid.add_column("role", header_style="bold", no_wrap=True)
    grid.add_column("type", header_style="bold", no_wrap=True)
    units = any(each.unit for each in fields)
    if units:
        grid.add_column("unit", header_style="bold", no_wrap=True)
    grid.add_column("means", header_style="bold", overflow="fold", ratio=1)
    for each in fields:
        unit = [one_line(each.unit, 12)] if units else []
        role = Text(each.role), Text(each.type, style="dim")
        grid.add_row(Text(_name(each.name), style="bold"), *role, *unit, _meaning(each))
    return grid


def _stacked(page: Page, fields: Sequence[SemanticField]) -> Text:
    """Each field as a short paragraph, for a narrow screen."""
    parts: list[Text] = []
    for each in fields:
        facts = ", ".join(filter(None, (each.role, each.type, one_line(each.unit, 12))))
        parts.append(Text.assemble((_name(each.name), "bold"), f": {facts}"))
        parts += [
            Text(f"  {line.plain}", style="dim")
            for line in _meaning(each).wrap(page.console, max(10, page.console.width - 2))
            if line.plain
        ]
    return Text("\n").join(parts)


def _meaning(field: SemanticField) -> Text:
    """What a field means, is made of and holds, each on a line of its own."""
    made = "" if field.expression is None else f"= {expression_text(field.expression) or '…'}"
    named = f"column {one_line(field.column, 60)}" if field.column not in ("", field.name) else ""
    cleaned = "; ".join(map(cleaning_text, field.cleaning))
    told = one_line(field.description, _TEXT) if field.description else ""
    parts = [(told, "italic"), (named, ""), (made, ""), (cleaned, "yellow")]
    lines = [Text(text, style=style) for text, style in parts if text]
    return Text("\n").join([*lines, *([Text(shown)] if (shown := values_text(field)) else [])])


def _lines(page: Page, lines: Sequence[tuple[str, str]]) -> None:
    grid = Grid(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    if page.console.width < _NARROW:
        for name, text in lines:
            page.flush(page.wrapped(f"{_name(name)}: {text}", flush=True))
        return
    grid.add_column(style="bold", overflow="fold", max_width=_NAME)
    grid.add_column(overflow="fold", ratio=1)
    for name, text in lines:
        grid.add_row(Text(_name(name)), Text(text))
    page.flush(grid)


def _name(name: str) -> str:
    return one_line(name, 200) or '""'
