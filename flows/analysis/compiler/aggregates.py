"""Figures of many rows, as each database computes them."""

from __future__ import annotations

from sqlglot import exp

from flows.analysis.compiler.functions import number, percent
from flows.analysis.compiler.names import distinct
from flows.analysis.compiler.rows import Rows
from flows.analysis.compiler.template import both, column, fill, name
from flows.analysis.compiler.windows import window
from flows.data.tables import Dialect
from flows.semantics.path import Path
from flows.semantics.query import Aggregate, Predicate

_SIMPLE: dict[str, type[exp.AggFunc]] = {
    "average": exp.Avg, "sum": exp.Sum, "minimum": exp.Min, "maximum": exp.Max,
}  # fmt: skip
_OVER_ROWS: dict[Dialect, tuple[str, ...]] = {
    "duckdb": (), "postgres": (), "mysql": ("median", "percentile"),
    "sqlite": ("median", "percentile", "deviation"),
}  # fmt: skip


def has_function(function: str, dialect: Dialect) -> bool:
    """Whether a database knows a function; else it is computed over the rows in their order."""
    return function not in _OVER_ROWS[dialect]


def aggregate(
    made: Aggregate, rows: Rows, path: Path = (), scopes: tuple[Predicate, ...] = ()
) -> exp.Expr:
    """A figure of the rows at the end of a way, of those only that are in all scopes.

    Where rows without any there are kept, a row is one that has a value to be joined by.
    """
    one = rows.field(path, path[-1].end_fields[0]) if rows.is_outer(path) else None
    scoped = [rows.test(each) for each in scopes]
    if made.function == "share":
        return _share(made, rows, path, scoped, one)
    tests = [*scoped, *([rows.test(made.where, path)] if made.where is not None else [])]
    if made.of is None:
        return _count(tests, one)
    return call(made, _if(tests, rows.write(made.of, path)), rows.setting.dialect)


def call(made: Aggregate, value: exp.Expr, dialect: Dialect) -> exp.Expr:
    """The function of a figure, called with a value of each row."""
    if made.function == "average" and dialect == "mysql":
        value = fill("_x * 1e0", dialect, x=value)  # of integers it would keep four decimals
    if made.function in _SIMPLE:
        return _SIMPLE[made.function](this=value)
    if made.function == "count":
        return exp.Count(this=value)
    if made.function == "count distinct":
        return exp.Count(this=exp.Distinct(expressions=[value]))
    if made.function == "deviation":
        return exp.StddevSamp(this=value)
    if made.function == "median" and dialect == "duckdb":
        return exp.Median(this=value)
    part = number(_fraction(made), dialect)
    if dialect == "duckdb":
        return fill("QUANTILE_CONT(_x, _p)", dialect, x=value, p=part)
    return fill("PERCENTILE_CONT(_p) WITHIN GROUP (ORDER BY _x)", dialect, x=value, p=part)


def _if(tests: list[exp.Expr], value: exp.Expr) -> exp.Expr:
    """A value, where all tests hold."""
    return exp.Case(ifs=[exp.If(this=both(tests), true=value)]) if tests else value


def _count(tests: list[exp.Expr], one: exp.Expr | None) -> exp.Expr:
    """The number of rows for which all tests hold, and that have the value where one is given."""
    if one is None and not tests:
        return exp.Count(this=exp.Star())
    return exp.Count(this=_if(tests, one.copy() if one is not None else exp.Literal.number(1)))


def _share(
    made: Aggregate, rows: Rows, path: Path, scoped: list[exp.Expr], one: exp.Expr | None
) -> exp.Expr:
    assert made.where is not None
    hit = [*scoped, rows.test(made.where, path)]
    again = [each.copy() for each in scoped]
    if made.of is None:
        hits, total = _count(hit, one), _count(again, one)
    else:
        of = rows.write(made.of, path)
        hits = exp.Count(this=exp.Distinct(expressions=[_if(hit, of)]))
        total = exp.Count(this=exp.Distinct(expressions=[_if(again, of.copy())]))
    return percent(hits, total, rows.setting.dialect)


def over_rows(made: Aggregate, rows: exp.Select, groups: list[str], dialect: Dialect) -> exp.Select:
    """A figure that a database has no function for, out of rows with groups and then a value.

    Its name is that of the value. Between the two values around the place of a percentile, each
    counts by how near it is.
    """
    value = rows.named_selects[-1]
    by = [column(each) for each in groups]
    parts: dict[str, exp.Expr] = {
        "mean": exp.Avg(this=column(value)),
        "place": exp.RowNumber(),
        "size": exp.Count(this=exp.Star()),
    }
    wanted = ("mean",) if made.function == "deviation" else ("place", "size")
    names = distinct([*groups, value, *wanted])[-len(wanted) :]
    order = {"place": [exp.Ordered(this=column(value))]}
    windows = [
        exp.alias_(window(parts[each], by, order.get(each, [])), named, quoted=True)
        for each, named in zip(wanted, names, strict=True)
    ]
    known = exp.Not(this=exp.Is(this=column(value), expression=exp.Null()))
    inner = exp.select(*[each.copy() for each in by], column(value), *windows, copy=False)
    inner = inner.from_(rows.subquery(name("valued"), copy=False), copy=False)
    inner = inner.where(known, copy=False)
    figure = exp.alias_(_figure(made, value, names, dialect), value, quoted=True)
    tree = exp.select(*[each.copy() for each in by], figure, copy=False)
    tree = tree.from_(inner.subquery(name("placed"), copy=False), copy=False)
    return tree.group_by(*by, copy=False) if by else tree


def _figure(made: Aggregate, value: str, names: list[str], dialect: Dialect) -> exp.Expr:
    if made.function == "deviation":
        return fill(
            "SQRT(SUM((_v - _m) * (_v - _m)) / NULLIF(COUNT(*) - 1, 0))",
            dialect,
            v=column(value),
            m=column(names[0]),
        )
    greatest = "MAX" if dialect == "sqlite" else "GREATEST"
    return fill(
        f"SUM(_v * {greatest}(0, 1 - ABS(_i - 1 - (_n - 1) * _p)))",
        dialect,
        v=column(value),
        i=column(names[0]),
        n=column(names[1]),
        p=number(_fraction(made), dialect),
    )


def _fraction(made: Aggregate) -> float:
    """The place of a percentile, from 0 to 1; the median is in the middle."""
    return (50.0 if made.at is None else made.at) / 100
