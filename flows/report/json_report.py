"""A report as JSON: all that it says, with the tables that it rests on."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from flows.core.artifacts import Artifacts
from flows.core.observation import Cell
from flows.report.evidence import Evidences, EvidenceTable, evidences
from flows.report.report import Report

ROWS = 200


class ReportTable(BaseModel):
    """A table of a report: its first rows, and those that numbers of the report come from.

    `rows` are the numbers, from 0, of `cells`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    key: str
    artifact: str
    sha256: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[int, ...]
    cells: tuple[tuple[Cell, ...], ...]
    total_rows: int
    truncated: bool
    query: str
    code: str
    sources: dict[str, str]


class ReportFile(BaseModel):
    """What the file holds; it can be read again as this."""

    model_config = ConfigDict(frozen=True, extra="forbid", ser_json_inf_nan="strings")

    report: Report
    tables: tuple[ReportTable, ...]


def json_page(report: Report, artifacts: Artifacts, found: Evidences | None = None) -> bytes:
    """The whole report. Errors: `JournalError` for an artifact that is gone or was changed."""
    found = found or evidences(report, artifacts)
    tables = tuple(_table(each) for each in found.tables.values())
    return ReportFile(report=report, tables=tables).model_dump_json(indent=1).encode()


def _table(table: EvidenceTable) -> ReportTable:
    cited = {row for row, _ in table.cited}
    rows = [row for row in range(len(table.rows)) if row < ROWS or row in cited]
    return ReportTable(
        key=table.key,
        artifact=table.artifact.name,
        sha256=table.artifact.sha256,
        columns=table.columns,
        types=table.types,
        rows=tuple(rows),
        cells=tuple(table.rows[row] for row in rows),
        total_rows=table.total_rows,
        truncated=table.truncated,
        query=table.query,
        code=table.code,
        sources=dict(table.sources),
    )
