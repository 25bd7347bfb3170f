"""The profile of tables on a terminal: a line for each column, keys, joins, first rows."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from flows.core.observation import Preview
from flows.data.results.view import size_text
from flows.data.tables import Column, Join, Table
from flows.ui.cells import exact
from flows.ui.page import Page, counted
from flows.ui.terminal_text import clean, one_line

HEAD_ROWS = 5
_NARROW = 72
_VALUES = 4
_NAME = 32
_VALUE = 24
_TEXT = 400


def show_profiles(console: Console, tables: Sequence[Table], *, first: int | None = None) -> None:
    """All tables, one after the other; of each only the `first` rows may have been looked at."""
    page = Page(console)
    for table in tables:
        _show_table(page, table, first)
    console.print()


def _show_table(page: Page, table: Table, first: int | None) -> None:
    page.rule(heading(table, first), "bold cyan")
    if table.name != table.source:
        page.text("Source", one_line(table.source, 200), label_style="dim")
    if table.description:
        page.text("About", table.description)
    for note in table.notes:
        page.text("Note", one_line(note, _TEXT), style="yellow", label_style="yellow")
    if page.console.width < _NARROW:
        page.flush(_stacked(page, table))
    else:
        page.flush(_columns(table))
    if table.keys:
        page.text("Keys", "; ".join(", ".join(map(_name, key)) for key in table.keys))
    if table.joins:
        page.text("Joins", "\n".join(join_text(each) for each in table.joins))
    if table.sample:
        shown = Preview(
            columns=tuple(column.name for column in table.columns),
            types=tuple(column.type for column in table.columns),
            rows=table.sample[:HEAD_ROWS],
            total_rows=len(table.sample[:HEAD_ROWS]),
        )
        page.console.print()
        for each in page.table(shown):
            page.flush(each)


def heading(table: Table, first: int | None = None) -> str:
    """The name of a table with its size; of one with `first` rows there may be more."""
    preview = first is not None and table.rows >= first
    rows = f"the first {table.rows:,} rows" if preview else counted(table.rows, "row")
    size = "" if table.bytes is None or preview else f", {size_text(table.bytes)} in memory"
    return f"{_name(table.name)} · {rows}, {counted(len(table.columns), 'column')}{size}"


def join_text(join: Join) -> str:
    """A join in words, with how sure it is."""
    here, there = (", ".join(map(_name, each)) for each in (join.columns, join.to_columns))
    sure = "declared" if join.declared else "found"
    share = "" if join.share is None else f", {join.share:.0%} of its values are there"
    return f"{here} -> {_name(join.table)} ({there}): {sure}{share}"


def holds(column: Column) -> str:
    """What the values of a column are, in a few words."""
    filled = column.rows - column.missing
    if not filled:
        return "nothing"
    if column.role in ("measure", "time") and column.minimum is not None:
        unit = f" {column.unit}" if column.unit else ""
        mean = f", mean {column.mean:.6g}" if column.mean is not None else ""
        return f"{_plain(column.minimum)} to {_plain(column.maximum)}{unit}" + (
            mean if column.role == "measure" else ""
        )
    if column.role == "id" or (column.distinct == filled and column.type == "text"):
        texts = column.type == "text" and column.top
        example = f", as {_plain(column.top[0].value)}" if texts else ""
        return ("all different" if column.distinct == filled else "repeated") + example
    if column.top:
        shown = [f"{_plain(each.value)} {each.count / filled:.0%}" for each in column.top[:_VALUES]]
        return ", ".join(shown) + (", …" if column.distinct > len(shown) else "")
    shown = [_plain(each) for each in column.values[:_VALUES]]
    return ", ".join(shown) + (", …" if column.distinct > len(shown) else "")


def missing_text(column: Column) -> str:
    """How much is missing, as a share that is never rounded to nothing or to all."""
    if not column.missing or not column.rows:
        return ""
    share = column.missing / column.rows
    if column.missing == column.rows:
        return "all"
    return "<1%" if share < 0.01 else ">99%" if share > 0.99 else f"{share:.0%}"


def _columns(table: Table) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    missing = any(column.missing for column in table.columns)
    grid.add_column("column", header_style="bold", overflow="fold", max_width=_NAME)
    grid.add_column("type", header_style="bold", no_wrap=True)
    grid.add_column("role", header_style="bold", no_wrap=True)
    if missing:
        grid.add_column("missing", header_style="bold", justify="right", no_wrap=True)
    grid.add_column("distinct", header_style="bold", justify="right", no_wrap=True)
    grid.add_column("holds", header_style="bold", overflow="fold", ratio=1)
    for column in table.columns:
        style = "bold" if (column.name,) in table.keys else ""
        gap = [Text(missing_text(column), style="yellow")] if missing else []
        grid.add_row(
            Text(_name(column.name), style=style),
            Text(column.type, style="dim"),
            column.role,
            *gap,
            f"{column.distinct:,}",
            _held(column),
        )
    return grid


def _stacked(page: Page, table: Table) -> Text:
    """Each column as a short paragraph, for a narrow screen."""
    parts: list[Text] = []
    for column in table.columns:
        facts = [column.type, column.role, f"{column.distinct:,} distinct"]
        if gap := missing_text(column):
            facts.append(f"{gap} missing")
        parts.append(Text.assemble((_name(column.name), "bold"), f": {', '.join(facts)}"))
        parts += [
            Text(f"  {line.plain}", style="dim")
            for line in _held(column).wrap(page.console, max(10, page.console.width - 2))
        ]
    return Text("\n").join(parts)


def _held(column: Column) -> Text:
    told = one_line(column.description, _TEXT) if column.description else ""
    found = holds(column)
    return Text.assemble((f"{told}\n", "italic") if told else "", found)


def _name(name: str) -> str:
    return one_line(name, 200) or '""'


def _plain(value: str | int | float | bool | None) -> str:
    if isinstance(value, str):
        return one_line(clean(value), _VALUE) or '""'
    return f"{value:.6g}" if isinstance(value, float) else exact(value)
