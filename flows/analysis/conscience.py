"""What must be said beside the result of a query: what was left out, and what misleads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from flows.analysis.layout import laid_out
from flows.analysis.plan import Field, Joined, Measure, Plan
from flows.data.tables import Column, Table

# Fewer rows than this, on average, are few for the average of a group.
SMALL_GROUP = 5
# Above this share of missing values, what is left may not stand for the whole.
MUCH_MISSING = 0.05
# A mean and a median that are further apart than this part of the middle half of the values.
SKEWED = 0.5


@dataclass(frozen=True, slots=True)
class Caution:
    """A caution about a result: a short `code`, and a sentence for people."""

    code: str
    text: str


def cautions(plan: Plan, tables: Sequence[Table]) -> tuple[Caution, ...]:
    """The cautions that a plan and the profiles of its tables call for, the gravest first."""
    known = {table.name: table for table in tables}
    if plan.table not in known:
        return ()
    found = (*_repeated(plan), *_whole(plan), *_missing(plan, known), *_small(plan, known))
    return tuple(dict.fromkeys((*found, *_skewed(plan, known))))


def _column(field: Field, plan: Plan, known: dict[str, Table]) -> Column | None:
    table = known.get(field.table or plan.table)
    found = (each for each in table.columns if each.name == field.column) if table else ()
    return next(iter(found), None)


def _measures(plan: Plan) -> list[Measure]:
    terms = [*plan.columns, *(each.by for each in plan.order)]
    terms += [each.measure for each in plan.having]
    return [term for term in dict.fromkeys(terms) if isinstance(term, Measure)]


def _repeated(plan: Plan) -> Iterator[Caution]:
    """Sums and averages of a column whose rows the joins repeat."""
    if not plan.joins:
        return
    # A join to the many happens only for tables that are shown: each row then stands several times.
    single = {each for each in plan.joins if each.single}
    for measure in _measures(plan):
        field = measure.field
        if field is None or not field.table or measure.aggregation not in ("sum", "avg", "median"):
            continue
        if field.table != plan.table and not _alone(field.table, plan, single):
            yield Caution(
                "fan_out",
                f"A row of {field.table} counts once for each row of {plan.table} that belongs to "
                f"it, so the {_said(measure)} of {field.column} may count it several times.",
            )


def _whole(plan: Plan) -> Iterator[Caution]:
    """Sums over rows that conditions on rows of another table have chosen."""
    branches = [each for each in laid_out(plan).branches if each.filters] if plan.joins else []
    sums = [each for each in _measures(plan) if each.aggregation == "sum" and each.field]
    if branches and sums:
        yield Caution(
            "whole_rows",
            f"Each row of {plan.table} that has a matching row of {branches[0].table} counts in "
            "whole, and not only for the part that matches.",
        )


def _alone(table: str, plan: Plan, single: set[Joined]) -> bool:
    """Whether a row of the table belongs to one row of the plan's table at most."""
    ways = [each for each in plan.joins if table in (each.table, each.to)]
    return all(each in single for each in ways)


def _said(measure: Measure) -> str:
    return {"sum": "total", "avg": "average"}.get(measure.aggregation, measure.aggregation)


def _missing(plan: Plan, known: dict[str, Table]) -> Iterator[Caution]:
    for measure in _measures(plan):
        column = _column(measure.field, plan, known) if measure.field else None
        if column is None or not column.missing or not column.rows:
            continue
        share = column.missing / column.rows
        if share >= MUCH_MISSING and measure.aggregation != "share":
            yield Caution(
                "missing_data",
                f"{column.missing:,} of {column.rows:,} values of {column.name} are missing "
                f"({share:.0%}) and are left out.",
            )


def _small(plan: Plan, known: dict[str, Table]) -> Iterator[Caution]:
    """Averages over groups that have few rows."""
    averaged = any(each.aggregation in ("avg", "median") for each in _measures(plan))
    fields = [*plan.groups, *plan.apart]
    if not averaged or not fields:
        return
    rows = known[plan.table].rows
    most = max((c.distinct for f in fields if (c := _column(f, plan, known))), default=0)
    if most and rows / most < SMALL_GROUP:
        yield Caution(
            "small_groups",
            f"The groups have {rows / most:.1f} rows on average: an average over so few says "
            "little.",
        )


def _skewed(plan: Plan, known: dict[str, Table]) -> Iterator[Caution]:
    """An average that single large values pull away from the middle."""
    if plan.filters or plan.groups:
        return
    for measure in _measures(plan):
        column = _column(measure.field, plan, known) if measure.field else None
        if measure.aggregation != "avg" or column is None or column.quantiles is None:
            continue
        middle, half = column.quantiles.p50, column.quantiles.p75 - column.quantiles.p25
        if column.mean is not None and half > 0 and abs(column.mean - middle) > SKEWED * half:
            yield Caution(
                "skewed",
                f"{column.name} is skewed: half of its values are below {middle:,.6g}, the average "
                f"is {column.mean:,.6g}.",
            )
