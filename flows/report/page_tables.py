"""The tables of a report as a page shows them: first rows, cited cells, where they come from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flows.core.observation import Cell
from flows.report.cleaning import clean, one_line
from flows.report.column_formats import column_format, exact
from flows.report.evidence import Evidences, EvidenceTable, Target, walk
from flows.report.report import Report
from flows.report.tasks import anchor_of

ROWS: Final = 50
COLUMNS: Final = 40
_CELLS: Final = 1_500
_SHORT: Final = 28
_NUMBERS: Final = ("integer", "real")


@dataclass(frozen=True, slots=True)
class ColumnView:
    name: str
    number: bool
    note: str


@dataclass(frozen=True, slots=True)
class CellView:
    """`look` is n for numbers, s for short texts. `id` is set for a cell that a number of the
    report comes from; `exact` is its whole value."""

    text: str
    look: str
    id: str = ""
    exact: str = ""


@dataclass(frozen=True, slots=True)
class RowView:
    """`number` counts from 1; `gap` says that rows before it are left out."""

    number: str
    gap: bool
    cells: tuple[CellView, ...]


@dataclass(frozen=True, slots=True)
class HashView:
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class EvidenceView:
    """A table of the evidence, with what made it; `same_code` is the table before it that was made
    by the same code, which stands there."""

    key: str
    title: str
    size: str
    columns: tuple[ColumnView, ...]
    rows: tuple[RowView, ...]
    more: str
    task: str | None
    anchor: str
    query: str
    code: str
    same_code: str
    sources: tuple[HashView, ...]
    artifact: str
    sha256: str


def table_views(report: Report, evidences: Evidences) -> tuple[EvidenceView, ...]:
    """All tables, in the order of their short names."""
    about = {number: each.task.description for number, each in walk(report.results)}
    sources = {each.name: each.sha256 for each in report.sources}
    made_by: dict[str, str] = {}
    for each in evidences.tables.values():
        if each.code:
            made_by.setdefault(each.code, each.key)
    return tuple(_view(each, about, sources, made_by) for each in evidences.tables.values())


def cell_id(key: str, row: int, place: int) -> str:
    """The address of a cell on the page: `t1-r1-c2` is row 1 (from 1) of column 2."""
    return f"{key.lower()}-r{row + 1}-c{place + 1}"


def anchor(target: Target) -> str:
    """Where on the page the origin of a number is."""
    if target.cells:
        return cell_id(target.table, *target.cells[0])
    query = "-query" if target.origin == "query" else ""
    return f"{target.table.lower()}{query}"


def marks(target: Target) -> str:
    """All cells that a number comes from, by their addresses."""
    return " ".join(cell_id(target.table, *each) for each in target.cells)


def _view(
    table: EvidenceTable, about: dict[str, str], sources: dict[str, str], made_by: dict[str, str]
) -> EvidenceView:
    cited_columns = {place for _, place in table.cited}
    places = [
        place for place in range(len(table.columns)) if place < COLUMNS or place in cited_columns
    ]
    most = max(10, min(ROWS, _CELLS // max(1, len(places))))
    cited_rows = {row for row, _ in table.cited}
    rows = [row for row in range(len(table.rows)) if row < most or row in cited_rows]
    first = made_by.get(table.code, table.key)
    title = table.about or about.get(table.task, "")
    return EvidenceView(
        key=table.key,
        title=one_line(title, 220),
        size=_size(table),
        columns=tuple(_column(table, place) for place in places),
        rows=tuple(_rows(table, rows, places)),
        more=_more(table, len(rows), len(places)),
        task=table.task or None,
        anchor=anchor_of(table.task),
        query=clean(table.query),
        code=clean(table.code) if first == table.key else "",
        same_code=first if first != table.key else "",
        sources=tuple(
            HashView(one_line(name), digest or sources.get(name, ""))
            for name, digest in table.sources.items()
        ),
        artifact=table.artifact.name,
        sha256=table.artifact.sha256,
    )


def _column(table: EvidenceTable, place: int) -> ColumnView:
    name = table.columns[place]
    note = one_line(table.notes.get(name, ""))
    return ColumnView(one_line(name, 80), table.types[place] in _NUMBERS, note)


def _rows(table: EvidenceTable, rows: list[int], places: list[int]) -> Iterator[RowView]:
    columns = {place: _written(table, rows, place) for place in places}
    before = -1
    for at, row in enumerate(rows):
        cells = tuple(
            _cell(table, row, place, columns[place][0][at], columns[place][1]) for place in places
        )
        yield RowView(f"{row + 1:,}", row != before + 1, cells)
        before = row


def _written(table: EvidenceTable, rows: list[int], place: int) -> tuple[list[str], str]:
    """The texts of a column in these rows, and how they look."""
    values = [table.rows[row][place] for row in rows]
    kind = table.types[place]
    texts = list(map(column_format(table.columns[place], kind, values), values))
    if kind in _NUMBERS:
        return texts, "n"
    return texts, "s" if max(map(len, texts), default=0) <= _SHORT else ""


def _cell(table: EvidenceTable, row: int, place: int, text: str, look: str) -> CellView:
    if (row, place) not in table.cited:
        return CellView(text, look)
    value: Cell = table.rows[row][place]
    return CellView(text, look, cell_id(table.key, row, place), exact(value))


def _size(table: EvidenceTable) -> str:
    rows = f"{table.total_rows:,} row{'s' * (table.total_rows != 1)}"
    columns = len(table.columns)
    return f"{rows}, {columns:,} column{'s' * (columns != 1)}"


def _more(table: EvidenceTable, rows: int, columns: int) -> str:
    said = []
    if rows < table.total_rows:
        said.append(f"{rows:,} of {table.total_rows:,} rows")
    if columns < len(table.columns):
        said.append(f"{columns:,} of {len(table.columns):,} columns")
    shown = f"Shown: {' and '.join(said)}. The whole table is in the run's folder." if said else ""
    cut = "The query was stopped at its limit of rows: there are more." if table.truncated else ""
    return " ".join(filter(None, [shown, cut]))
