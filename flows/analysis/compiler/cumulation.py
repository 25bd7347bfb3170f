"""Metrics that are summed up along time, as window functions over the groups."""

from __future__ import annotations

from sqlglot import exp

from flows.analysis.compiler.rows import Rows
from flows.analysis.compiler.template import wrap
from flows.analysis.compiler.windows import in_order, window
from flows.semantics.cumulation import grain_of, window_periods
from flows.semantics.model import Cumulative, Dataset
from flows.semantics.query import (
    Arithmetic,
    Constant,
    During,
    Expression,
    FieldRef,
    Grain,
    Period,
    Predicate,
)

_PARTS: dict[str, tuple[int, Grain]] = {
    "quarter": (4, "quarter of year"), "month": (12, "month of year"),
}  # fmt: skip


def covered(made: Cumulative, dataset: Dataset) -> tuple[Predicate, ...]:
    """What is summed up where no period is asked for: up to today."""
    if not made.grain:
        return ()
    length = max(1, made.window)
    time = FieldRef(dataset=dataset.name, field=dataset.time)
    return (During(of=time, grain=made.grain, first=1 - length, length=length, to_date=True),)


def cumulated(
    made: Cumulative,
    figure: exp.Expr,
    period: Expression,
    others: list[exp.Expr],
    dataset: Dataset,
    rows: Rows,
) -> exp.Expr:
    """A figure of each period, summed up with those before it, within the `others` groups."""
    at = rows.write(period)
    within = [*others, exp.paren(exp.Is(this=wrap(at.copy()), expression=exp.Null()))]
    grain = grain_of(period, dataset)
    if not made.window:
        if made.grain and made.grain != grain:
            within.append(rows.write(Period(of=period, grain=made.grain)))
        elif made.grain:
            within.append(at.copy())
        return window(exp.Sum(this=figure), within, in_order(at, rows.setting.dialect))
    count = window_periods(made, grain) - 1
    place = rows.write(_number(period, grain))
    spec = exp.WindowSpec(
        kind="RANGE",
        start=exp.Literal.number(count * 7 if grain == "week" else count),
        start_side="PRECEDING",
        end="CURRENT ROW",
    )
    return window(exp.Sum(this=figure), within, in_order(place, rows.setting.dialect), spec)


def _number(period: Expression, grain: str) -> Expression:
    """The number of a period, one higher for each after it (of a week: of its first day)."""
    if grain == "year":
        return period
    year = Period(of=period, grain="year")
    if grain in ("week", "day"):
        return Arithmetic(operator="-", left=period, right=Constant(value="1970-01-05"))
    if grain == "half":
        month: Expression = Period(of=period, grain="month of year")
        half = Arithmetic(operator="*", left=year, right=Constant(value=2))
        later = Arithmetic(operator="-", left=month, right=Constant(value=1))
        sixth = Arithmetic(operator="/", left=later, right=Constant(value=6))
        return Arithmetic(operator="+", left=half, right=sixth)
    count, part = _PARTS[grain]
    whole = Arithmetic(operator="*", left=year, right=Constant(value=count))
    return Arithmetic(operator="+", left=whole, right=Period(of=period, grain=part))
