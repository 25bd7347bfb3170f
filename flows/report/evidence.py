"""The tables that a report rests on, and the cell in them behind each number."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from flows.core.artifacts import Artifact, Artifacts
from flows.core.observation import Cell, Preview
from flows.data.answers.citations import Citation
from flows.data.tables import ResultTable
from flows.report.report import Report
from flows.semantics.findings import Finding, TaskResult, Told

# A larger table is not read again when its first rows, which travel with the finding, are enough.
_READ_WHOLE: Final = 8_000_000


@dataclass(frozen=True, slots=True)
class EvidenceTable:
    """A table of the run. `key` is its short name in the report; `cited` are the rows and columns
    that numbers of the report come from. `rows` may be only the first of `total_rows`; `about` is
    empty for the main table of its task."""

    key: str
    artifact: Artifact
    task: str
    about: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total_rows: int
    truncated: bool
    query: str
    code: str
    sources: Mapping[str, str]
    notes: Mapping[str, str]
    cited: frozenset[tuple[int, int]]

    def place(self, column: str | None) -> int | None:
        """The place of a column, None for one that is not there or there twice."""
        found = [place for place, name in enumerate(self.columns) if name == column]
        return found[0] if len(found) == 1 else None


@dataclass(frozen=True, slots=True)
class Target:
    """Where a number comes from: the table's key and cells, in words, and the question itself.

    `origin` is that of the citation; `cells` are rows and columns, from 0.
    """

    origin: str
    table: str
    cells: tuple[tuple[int, int], ...]
    note: str


class Evidences:
    """All tables of a report by the names of their artifacts, in the order of the tasks."""

    def __init__(self, tables: Mapping[str, EvidenceTable]) -> None:
        self.tables = dict(tables)

    def target(self, citation: Citation) -> Target | None:
        """What holds the number; None when nothing does, whatever the citation says."""
        if citation.origin == "question":
            return Target("question", "", (), "as the question has it")
        found = self.tables.get(citation.result or "")
        if found is None or citation.origin == "none":
            return None
        if citation.origin == "rows":
            return Target("rows", found.key, (), f"the number of rows of {found.key}")
        if citation.origin == "query":
            return Target("query", found.key, (), f"given in the query of {found.key}")
        if citation.origin == "cell":
            return _cell(found, citation)
        return _derived(found, citation)


def evidences(report: Report, artifacts: Artifacts) -> Evidences:
    """Read the tables of the tasks, and those that numbers come from. Errors: `JournalError`."""
    known = {each.name: each for each in artifacts.all() if each.kind == "json"}
    made = dict(_made(report.results))
    cited: dict[str, set[tuple[int, str]]] = {name: set() for name in made}
    for citation in citations_of(report):
        if citation.result in known:
            cells = cited.setdefault(citation.result, set())
            rows = (*citation.rows_used, *(() if citation.row is None else (citation.row,)))
            cells.update((row, citation.column or "") for row in rows)
    found: dict[str, EvidenceTable] = {}
    for name, cells in cited.items():
        if name in known:
            task, finding = made.get(name) or _maker(report, known[name])
            key = f"T{len(found) + 1}"
            found[name] = _evidence(artifacts, known[name], key, task, finding, cells)
    return Evidences(found)


def citations_of(report: Report) -> Iterator[Citation]:
    """The citations of all texts of a report."""
    yield from report.summary.citations
    for _, result in walk(report.results):
        for told in result.finding.insights:
            yield from told.citations


def names_passage(told: Told, citation: Citation, passages: int) -> bool:
    """Whether a number is that of a passage, as in `[2]`."""
    around = told.text[max(0, citation.start - 1) : citation.end + 1]
    number = citation.text
    return around == f"[{number}]" and number.isdecimal() and 0 < int(number) <= passages


def walk(results: tuple[TaskResult, ...], above: str = "") -> Iterator[tuple[str, TaskResult]]:
    """All results with their numbers, those of goals within goals as `3.1`."""
    for each in results:
        number = f"{above}{each.task.task_id}"
        yield number, each
        yield from walk(each.finding.parts, f"{number}.")


def _made(results: tuple[TaskResult, ...]) -> Iterator[tuple[str, tuple[str, Finding]]]:
    """The tables that tasks made, each with the number of the task."""
    seen: set[str] = set()
    for number, result in walk(results):
        table, model = result.finding.table, result.finding.model
        names = (table.artifact if table else None, model.predictions if model else None)
        for name in filter(None, names):
            if name not in seen:
                seen.add(name)
                yield name, (number, result.finding)


def _maker(report: Report, artifact: Artifact) -> tuple[str, Finding | None]:
    """The task whose code made a table beside its main one."""
    code = artifact.origin.code if artifact.origin else None
    for number, result in walk(report.results):
        if code and result.finding.code == code:
            return number, result.finding
    return "", None


def _evidence(
    artifacts: Artifacts,
    artifact: Artifact,
    key: str,
    task: str,
    finding: Finding | None,
    cells: set[tuple[int, str]],
) -> EvidenceTable:
    shown = finding.table if finding and finding.table else None
    preview = shown if shown and shown.artifact == artifact.name else None
    columns, types, rows, total, truncated, query = _rows(artifacts, artifact, preview, cells)
    places = {name: place for place, name in enumerate(columns)}
    origin = artifact.origin
    entries = finding.dictionary.entries if finding and finding.dictionary else ()
    return EvidenceTable(
        key=key,
        artifact=artifact,
        task=task,
        about="" if preview is not None else artifact.description,
        columns=columns,
        types=types,
        rows=rows,
        total_rows=total,
        truncated=truncated,
        query=(origin.query if origin and origin.query else "") or query,
        code=(origin.code if origin and origin.code else ""),
        sources=dict(origin.inputs) if origin else {},
        notes={each.column: each.description for each in entries if each.description},
        cited=frozenset(
            (row, places[name]) for row, name in cells if name in places and row < len(rows)
        ),
    )


_Rows = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[Cell, ...], ...], int, bool, str]


def _rows(
    artifacts: Artifacts, artifact: Artifact, preview: Preview | None, cells: set[tuple[int, str]]
) -> _Rows:
    """Columns, types, rows, how many rows there are, whether it was cut, and its query."""
    last = max((row for row, _ in cells), default=-1)
    if preview is not None and artifact.bytes > _READ_WHOLE and last < len(preview.rows):
        sql = preview.sql or ""
        return (preview.columns, preview.types, preview.rows, preview.total_rows,
                preview.truncated, sql)  # fmt: skip
    table = ResultTable.model_validate_json(artifacts.read(artifact.name))
    total = max(len(table.rows), preview.total_rows if preview else 0)
    return table.columns, tuple(table.types), table.rows, total, table.truncated, table.sql


def _cell(found: EvidenceTable, citation: Citation) -> Target | None:
    """The cell of a citation, if the table holds there what the citation says."""
    place, row = found.place(citation.column), citation.row
    if place is None or row is None or row >= len(found.rows):
        return None
    if not _same(found.rows[row][place], citation.value):
        return None
    note = f"{citation.column}, row {row + 1} of {found.key}"
    return Target("cell", found.key, ((row, place),), note)


def _derived(found: EvidenceTable, citation: Citation) -> Target:
    place = found.place(citation.column)
    rows = [row for row in citation.rows_used if row < len(found.rows)]
    cells = tuple((row, place) for row in rows) if place is not None else ()
    note = f"worked out from {found.key}"
    return Target("derived", found.key, cells, f"{note}: {citation.formula or ''}".rstrip(": "))


def _same(cell: Cell, value: Cell) -> bool:
    if isinstance(cell, float) and isinstance(value, int | float):
        return math.isclose(cell, value, rel_tol=1e-12) or (cell != cell and value != value)
    return cell == value
