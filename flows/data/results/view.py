"""A table at a glance, as analysts look at a file: shape, types, numbers, gaps, first rows."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from flows.core.observation import Cell
from flows.data.tables import Column, Table

HEAD_ROWS = 5
_WIDEST = 24
_MOST_COLUMNS = 60
_MEASURES = ("count", "mean", "std", "min", "25%", "50%", "75%", "max")


class TableView(BaseModel):
    """What is known of a table as plain data.

    `shape` is rows and columns; `head` the first rows as columns of values; `describe` the summary
    of each column of numbers, None for what is not known; `memory_usage` that of all rows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    table: str
    shape: tuple[int, int]
    columns: tuple[str, ...]
    dtypes: dict[str, str]
    head: dict[str, tuple[Cell, ...]]
    describe: dict[str, dict[str, Cell]]
    null_counts: dict[str, int]
    memory_usage: str | None

    def text(self) -> str:
        """The view in words and aligned columns, for a prompt or a plain screen."""
        rows, columns = self.shape
        size = f", {self.memory_usage}" if self.memory_usage else ""
        lines = [f"{self.table}: {rows:,} rows, {columns:,} columns{size}", "", "columns:"]
        shown = self.columns[:_MOST_COLUMNS]
        lines += _aligned(
            [(name, self.dtypes[name], f"{self.null_counts[name]:,} missing") for name in shown]
        )
        if len(shown) < columns:
            lines.append(f"  and {columns - len(shown):,} more")
        summary = [name for name in shown if name in self.describe]
        if summary:
            lines += ["", "numbers:"]
            numbers = [(name, *map(_number, self.describe[name].values())) for name in summary]
            lines += _aligned([("", *_MEASURES), *numbers])
        if any(self.head.values()):
            lines += ["", "first rows:"]
            cells = [tuple(_cell(cell) for cell in row) for row in self._rows(shown)]
            lines += _aligned([tuple(_cell(name) for name in shown), *cells])
        return "\n".join(lines)

    def _rows(self, names: Sequence[str]) -> list[tuple[Cell, ...]]:
        return list(zip(*(self.head[name] for name in names), strict=True))


def csv_view(table: Table) -> TableView:
    """The view of a profiled table: of its profile, so that nothing is read again."""
    names = tuple(column.name for column in table.columns)
    head = table.sample[:HEAD_ROWS]
    return TableView(
        table=table.name,
        shape=(table.rows, len(names)),
        columns=names,
        dtypes={column.name: column.type for column in table.columns},
        head={name: tuple(row[place] for row in head) for place, name in enumerate(names)},
        describe={
            column.name: _summary(column)
            for column in table.columns
            if column.type in ("integer", "real")
        },
        null_counts={column.name: column.missing for column in table.columns},
        memory_usage=None if table.bytes is None else size_text(table.bytes),
    )


def size_text(size: int) -> str:
    """A number of bytes as a person reads it: `1.25 MB`."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1e3:.1f} kB" if size < 1e5 else f"{size / 1e6:,.2f} MB"


def _summary(column: Column) -> dict[str, Cell]:
    found = column.quantiles
    values: tuple[Cell, ...] = (
        column.rows - column.missing,
        column.mean,
        column.std,
        column.minimum,
        found.p25 if found else None,
        found.p50 if found else None,
        found.p75 if found else None,
        column.maximum,
    )
    return dict(zip(_MEASURES, values, strict=True))


def _number(value: Cell) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return "-" if value is None else _cell(value)


def _cell(value: Cell) -> str:
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in rows
    )
    return [f"  {line.rstrip()}" for line in lines]
