"""Charts: the question whose result is drawn, and which form the drawing has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from flows.analysis.methods.arguments import plots
from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.columns import outside
from flows.analysis.methods.specification import Specification
from flows.analysis.plan import Field, Measure, Plan, Term
from flows.analysis.reading.read import Reading, Unread, read
from flows.analysis.requests.plans import plan_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.request import ChartType
from flows.semantics.series import is_series

_HEAD = re.compile(
    r"^\W*(?:(?:please|show|give|make|create|draw|generate|produce|build|me|us|a|an|the|i want|i"
    r"['\u2019]d like|i need|can you|could you|of|for|showing|with|that shows|to show|which "
    r"shows)\s+)*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s+(?:as|in|with|using|on|by)(?:\s+(?:a|an|the))?\W*$", re.IGNORECASE)
_MOST_TIMES = 2000


def read_chart(
    rest: str, settings: Mapping[str, str], tables: Sequence[Table], model: SemanticModel
) -> Specification[Chart] | Unread:
    """A chart draws what a question gives: groups with measures, or a trend."""
    plain = re.sub(r"\s+", " ", rest).strip(" ?.!:,")
    style = settings.get("style", "")
    question = _TAIL.sub("", re.sub(r"\s+", " ", _HEAD.sub("", plain + " ")).strip(" ?.!:,"))
    first: Unread | None = None
    # The parts of a whole are added up; anything else is compared by its average.
    whole = style in ("pie", "stacked", "area")
    usual = "total" if whole else "average"
    asks = (
        f"Show the {question}",
        f"Show the {usual} {question}",
        f"Number of rows per {question}",
    )
    for place, asked in enumerate(asks):
        reading = read(asked, tables, model)
        if isinstance(reading, Unread):
            first = first or reading
            continue
        trend = is_series(reading.query, model)
        plan = _as_groups(plan_of(reading.query, model, tables, trend=trend), reading.table)
        plan = _added_up(plan) if whole and not re.search(r"average|mean|\bavg", plain) else plan
        if place == 2 and (plan.order or plan.limit):
            break
        if (why := _not_drawn(plan)) is None:
            return _drawn(plan, reading, style)
        first = first or Unread(why, reading.notes)
    assert first is not None
    return first


def _as_groups(plan: Plan, table: Table) -> Plan:
    """Rows that a name and numbers were asked of: bars of the numbers, by the name."""
    if plan.kind != "rows":
        return plan
    columns = {column.name: column for column in table.columns}
    fields = [term for term in plan.columns if isinstance(term, Field)]
    named = [field for field in fields if not plots(columns[field.column])]
    numbers = [field for field in fields if plots(columns[field.column])]
    if len(named) != 1 or not numbers or len(fields) != len(plan.columns):
        return plan
    order = tuple(
        replace(each, by=Measure("avg", each.by)) if each.by in numbers else each
        for each in plan.order
    )
    measures = tuple(Measure("avg", field) for field in numbers)
    return replace(
        plan, kind="aggregate", groups=tuple(named), select=(*named, *measures), evidence=(),
        order=order, distinct=False,
    )  # fmt: skip


def _added_up(plan: Plan) -> Plan:
    """The plan with sums for averages that nobody asked for."""

    def added(term: Term) -> Term:
        mean = isinstance(term, Measure) and term.aggregation == "avg"
        return Measure("sum", term.field) if mean and isinstance(term, Measure) else term

    order = tuple(replace(each, by=added(each.by)) for each in plan.order)
    return replace(plan, select=tuple(map(added, plan.select)), order=order)


def _split_values(plan: Plan) -> Plan:
    """What is compared by its values is drawn apart: one line or bar for each."""
    if len(plan.groups) != 1:
        return plan
    for any_of in plan.filters:
        for each in any_of.conditions:
            apart = each.comparison == "in" and each.field not in plan.groups
            if apart and len(any_of.conditions) == 1 and all(type(v) is str for v in each.values):
                groups = (*plan.groups, each.field)
                return replace(plan, groups=groups, select=(*plan.select, each.field))
    return plan


def _by_day(plan: Plan, table: Table, notes: Sequence[str]) -> Plan:
    """A trend over dates as they stand in the data, unless the question names years or months."""
    if plan.kind != "trend" or not plan.groups or plan.groups[0].part != "year":
        return plan
    column = next(c for c in table.columns if c.name == plan.groups[0].column)
    if column.distinct > _MOST_TIMES or any("year" in note for note in notes):
        return plan
    plain = Field(column.name)
    swapped = {plan.groups[0]: plain}
    return replace(
        plan, groups=(plain, *plan.groups[1:]),
        select=tuple(swapped.get(t, t) if isinstance(t, Field) else t for t in plan.select),
        order=tuple(
            replace(o, by=swapped.get(o.by, o.by)) if isinstance(o.by, Field) else o
            for o in plan.order
        ),
    )  # fmt: skip


def _not_drawn(plan: Plan) -> str | None:
    measures = [term for term in plan.columns if isinstance(term, Measure)]
    if plan.joins or plan.combined or outside(plan.filters, plan.table):
        return "a chart is drawn of the rows of one table"
    if not plan.groups or not measures:
        return "a chart needs a measure and what it is grouped by"
    if len(plan.groups) > 2 or plan.having or any(m.aggregation == "share" for m in measures):
        return "this result cannot be drawn as bars or lines"
    if any(order.by not in (*plan.groups, *measures) for order in plan.order):
        return "the order of this result cannot be drawn"
    return None


def _drawn(plan: Plan, reading: Reading, style: str) -> Specification[Chart]:
    plan = _by_day(_split_values(plan), reading.table, reading.notes)
    columns = [t.field.column for t in plan.columns if isinstance(t, Measure) and t.field]
    by_name = {c.name: c for c in reading.table.columns}
    first = by_name[plan.groups[0].column]
    over_time = plan.kind == "trend" or first.role == "time"
    given = Chart(
        fields=tuple(columns),
        group=first.name,
        style=cast(ChartType, style or ("line" if over_time else "bar")),
    )
    return Specification(reading.table, given, notes=reading.notes, chart=plan)
