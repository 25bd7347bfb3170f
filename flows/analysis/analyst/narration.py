"""The narrator's role: a result told in words, its numbers as references to its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from flows.analysis.analyst.certainty import others_of, readings_by_table, sql_of
from flows.analysis.analyst.memo import Readings
from flows.analysis.compile import compile_plan
from flows.analysis.plan import Plan
from flows.analysis.reading.read import Reading, Unread
from flows.analysis.study.answer import study_answer
from flows.analysis.study.plan import Study
from flows.analysis.telling.answer import answer, listing
from flows.core.observation import Cell
from flows.data.tables import Table


@dataclass(frozen=True)
class Result:
    """A result to tell: its first rows of `total`, the name that keeps it, and its query."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    name: str | None
    sql: str | None = None


def narrate(question: str, tables: Sequence[Table], result: Result, readings: Readings) -> str:
    """The answer in a sentence or two. What no rule of ours asked for is listed as it is."""
    study = readings.study(question, tables)
    if isinstance(study, Study) and (study.chart is not None or result.sql is None):
        columns, rows = result.columns, result.rows
        return study_answer(study, columns, rows, result.total, result.name)
    plan = _plan_of(question, tables, result.sql, readings) if result.sql else None
    if plan is None:
        return listing(result.columns, result.rows, result.total, result.name)
    return answer(plan, result.columns, result.rows, result.total, result.name)


def _plan_of(
    question: str, tables: Sequence[Table], sql: str | None, readings: Readings
) -> Plan | None:
    """The plan that a query was compiled from, among the readings of its question."""
    reading = readings.question(question, tables)
    for each in _candidates(question, tables, reading):
        if sql_of(each) == sql:
            return replace(each.plan, evidence=())
        if compile_plan(each.plan, evidence=True) == sql:
            return each.plan
    return None


def _candidates(
    question: str, tables: Sequence[Table], reading: Reading | Unread
) -> Iterator[Reading]:
    """What a question may mean, the likeliest first; the others are worked out when needed."""
    if isinstance(reading, Unread):
        yield from readings_by_table(question, tables)
        return
    yield reading
    yield from others_of(reading)
