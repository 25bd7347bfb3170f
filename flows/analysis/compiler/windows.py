"""Figures that are computed along the rows of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot import exp

from flows.analysis.compiler.functions import percent
from flows.analysis.compiler.template import wrap
from flows.data.tables import Dialect
from flows.semantics.query import Expression, Order, Transform

Write = Callable[[Expression], exp.Expr]
_STEP = ("change", "growth")


def ordered(value: exp.Expr, dialect: Dialect, *, descending: bool = False) -> list[exp.Ordered]:
    """An order in which missing values come last."""
    if dialect != "mysql":
        return [exp.Ordered(this=value, desc=descending or None, nulls_first=False)]
    if descending:  # where MySQL has them last already
        return [exp.Ordered(this=value, desc=True, nulls_first=False)]
    missing = exp.Is(this=wrap(value.copy()), expression=exp.Null())
    return [exp.Ordered(this=each, nulls_first=True) for each in (missing, value)]


def in_order(value: exp.Expr, dialect: Dialect) -> list[exp.Ordered]:
    """An order of values of which none is missing, or all."""
    return [exp.Ordered(this=value, nulls_first=True if dialect == "mysql" else None)]


def window(
    function: exp.Expr,
    within: Sequence[exp.Expr],
    order: Sequence[exp.Ordered],
    spec: exp.WindowSpec | None = None,
) -> exp.Window:
    return exp.Window(
        this=function,
        partition_by=[each.copy() for each in within],
        order=exp.Order(expressions=[each.copy() for each in order]) if order else None,
        spec=spec,
    )


def rows_before(count: int | None) -> exp.WindowSpec:
    """The rows of a window up to this one: so many before it, or all."""
    start = "UNBOUNDED" if count is None else exp.Literal.number(count)
    return exp.WindowSpec(
        kind="ROWS", start=start, start_side="PRECEDING", end="CURRENT ROW", end_side=None
    )


def transform(made: Transform, write: Write, ties: Sequence[Order], dialect: Dialect) -> exp.Expr:
    """A column computed from the rows of a result; `ties` order those that are equal."""
    of = write(made.of)
    within = [write(each) for each in made.within]
    if made.operation == "difference":
        assert made.base is not None
        return exp.Sub(this=wrap(of), expression=wrap(write(made.base)))
    if made.operation == "rank":
        return window(exp.Rank(), within, ordered(of, dialect, descending=True))
    if made.operation == "share":
        return percent(of, window(exp.Sum(this=of.copy()), within, []), dialect)
    named = {each.by for each in made.along}
    order = [
        part
        for each in (*made.along, *(each for each in ties if each.by not in named))
        for part in ordered(write(each.by), dialect, descending=each.descending)
    ]
    if made.operation == "running":
        return window(exp.Sum(this=of), within, order, rows_before(None))
    if made.operation == "moving":
        return window(exp.Avg(this=of), within, order, rows_before(made.n - 1))
    if made.operation == "index":
        first = window(exp.FirstValue(this=of.copy()), within, order, rows_before(None))
        return percent(of, first, dialect)
    step = [exp.Literal.number(made.n)] if made.n > 1 else []
    lag = exp.Lag(this=of.copy(), offset=step[0] if step else None)
    before = window(lag, within, order)
    change = exp.Sub(this=wrap(of), expression=before)
    if made.operation == "change":
        return change
    return percent(exp.paren(change), before.copy(), dialect)
