"""The query of a task in the manager's own words, and what is known of its result."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flows.analysis.compile import build_tree, column_names
from flows.analysis.plan import Field, Measure, Order, Plan, Term
from flows.analysis.reading.outcome import Unread
from flows.analysis.reading.read import read
from flows.analysis.team.queries.beside import beside_sql, read_beside
from flows.analysis.team.queries.extracting import (
    conditions_in,
    extraction_sql,
    placed,
    rows_kept,
    worked_out,
)
from flows.analysis.team.queries.origin import JOINED, read_extraction, wide_in
from flows.analysis.team.queries.wide import Wide
from flows.data.tables import Column, ColumnType, Table


def planned_sql(text: str, tables: Sequence[Table]) -> str | Unread | None:
    """The statement of a description that extracts a table or computes over joined ones, as our
    tasks say it; None for any other description."""
    if found := read_extraction(text, tables):
        return extraction_sql(found)
    if beside := read_beside(text, tables):
        return beside_sql(beside)
    computed = _computed(text, tables)
    if computed is None or isinstance(computed, Unread):
        return computed
    plan, wide = computed
    return worked_out(rows_kept(build_tree(plan)), wide).sql(dialect=plan.dialect)


def result_of(text: str, tables: Sequence[Table]) -> Table | None:
    """The profile of what a task's query gives, as far as it is known before it runs."""
    if found := read_extraction(text, tables):
        return found.table
    if beside := read_beside(text, tables):
        return beside.table
    computed = _computed(text, tables)
    if isinstance(computed, tuple):
        return _profile(computed[0], tables)
    reading = computed or read(text, tables)
    return None if isinstance(reading, Unread) else _profile(reading.plan, tables)


# How many groups are wanted, at the end of a task.
_FIRST: Final = re.compile(r",? only the first (?P<many>\d+)(?=\W*$)", re.IGNORECASE)


def _computed(text: str, tables: Sequence[Table]) -> tuple[Plan, Wide] | Unread | None:
    """The plan of a computation over joined tables, of a column that is worked out, of the first
    groups, or for each amount; None for what any reading of a question can do."""
    found, first = JOINED.search(text), _FIRST.search(text)
    wide = wide_in(found, tables) if found else None
    if found is None or wide is None:
        return None
    rest = _FIRST.sub("", text[: found.start()] + text[found.end() :])
    amount = _amount(rest, wide)
    if not (found["others"] or found["made"] or first or amount):
        return None
    reading = read(_EACH.sub("", rest, count=1) if amount else rest, [wide.table])
    if isinstance(reading, Unread):
        return reading
    plan = reading.plan
    if plan.kind == "rows" or plan.derived or plan.combined or plan.having or plan.apart:
        return Unread("only groups and measures are computed over joined tables")
    if amount is not None and not plan.groups:
        plan = _for_each(plan, amount)
    if first is not None:
        plan = replace(plan, limit=int(first["many"]))
    return _over(wide, plan), wide


# What a result is wanted for each of.
_EACH: Final = re.compile(r' for each "(?P<by>[^"]+)"(?:, highest first)?')


def _amount(text: str, wide: Wide) -> Field | None:
    """The measured number that groups are wanted by, such as a discount."""
    by = _EACH.search(text)
    if by is None or by["by"] not in wide.home or wide.of(by["by"]).role != "measure":
        return None
    return Field(by["by"])


def _for_each(plan: Plan, group: Field) -> Plan:
    return replace(
        plan, select=(group, *plan.select), groups=(group,), order=(Order(group, False),)
    )


def _over(wide: Wide, plan: Plan) -> Plan:
    """A plan over the wide table as one over the tables that it is made of."""
    return replace(
        plan,
        select=tuple(placed(wide, each) for each in plan.select),
        evidence=tuple(placed(wide, each) for each in plan.evidence),
        groups=tuple(placed(wide, each) for each in plan.groups),
        filters=conditions_in(wide, plan.filters),
        order=tuple(Order(placed(wide, each.by), each.descending) for each in plan.order),
        joins=tuple(each.joined for each in wide.edges),
    )


def _profile(plan: Plan, tables: Sequence[Table]) -> Table:
    """What is known of a query's result: names, types and roles, of groups also the values."""
    known = {(t.name, c.name): c for t in tables for c in t.columns}
    base = next(each for each in tables if each.name == plan.table)
    if not plan.columns:
        return base
    columns = []
    for term, name in zip(plan.columns, column_names(plan.columns), strict=True):
        field = term.field if isinstance(term, Measure) else term
        old = known.get((field.table or plan.table, field.column)) if field else None
        columns.append(_column(name, term, old, base.rows))
    return Table(
        source=base.source, name=plan.table, dialect=plan.dialect, rows=base.rows,
        columns=tuple(columns),
    )  # fmt: skip


def _column(name: str, term: Term, old: Column | None, rows: int) -> Column:
    if isinstance(term, Measure) or old is None:
        counts = isinstance(term, Measure) and term.aggregation in ("count", "count_distinct")
        kind: ColumnType = "integer" if counts else "real"
        return Column(name=name, type=kind, role="measure", rows=rows, missing=0, distinct=rows)
    if term.part in ("year", "month"):
        return Column(name=name, type="integer", role="time", rows=rows, missing=0, distinct=12)
    return old.model_copy(update={"name": name})
