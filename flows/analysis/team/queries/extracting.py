"""The query of a task that extracts a table: its columns, its joins, the rows that it wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from sqlglot import exp

from flows.analysis.compile import build_tree
from flows.analysis.methods.columns import outside
from flows.analysis.plan import AnyOf, Field, Measure, Plan, Term
from flows.analysis.reading.outcome import Unread
from flows.analysis.reading.read import read
from flows.analysis.team.queries.origin import Extraction
from flows.analysis.team.queries.wide import Wide

T = TypeVar("T", Term, Field)


def extraction_sql(found: Extraction) -> str | Unread:
    """The statement of a task that extracts."""
    filters = filters_of(found.where, found.wide)
    return filters if isinstance(filters, Unread) else _statement(found, filters)


def filters_of(where: str, wide: Wide) -> tuple[AnyOf, ...] | Unread:
    """The conditions on rows of a wide table, from words such as `where "year" is 2007`."""
    if not where:
        return ()
    table = wide.table
    reading = read(f'Show all the data from the "{table.name}" table {where}.', [table])
    if isinstance(reading, Unread):
        return reading
    plan = reading.plan
    if plan.kind != "rows" or plan.select or plan.limit or outside(plan.filters, table.name):
        return Unread(f"it is not clear which rows {where!r} leaves")
    if not plan.filters:
        return Unread(f"no condition was found in {where!r}")
    return plan.filters


def _statement(found: Extraction, filters: tuple[AnyOf, ...]) -> str:
    wide, base = found.wide, found.wide.base
    alone = len(wide.tables) == 1 and wide.product is None
    names = found.names or (() if alone else tuple(wide.home))
    plan = Plan(
        "rows", base.source, base.name, base.dialect,
        tuple(placed(wide, Field(each)) for each in names),
        filters=conditions_in(wide, filters), joins=tuple(each.joined for each in wide.edges),
    )  # fmt: skip
    tree = build_tree(plan)
    if not alone:
        tree.set("expressions", [_named(e, n) for e, n in zip(tree.selects, names, strict=True)])
    return worked_out(rows_kept(tree), wide).sql(dialect=base.dialect)


def rows_kept(tree: exp.Query) -> exp.Query:
    """The statement with left joins: a row that belongs to nothing stays."""
    for join in tree.args.get("joins") or ():
        join.set("kind", None)
        join.set("side", "LEFT")
    return tree


def worked_out(tree: exp.Query, wide: Wide) -> exp.Query:
    """The statement with what the column that no table has is made of."""
    made = wide.product
    if made is None:
        return tree
    for column in list(tree.find_all(exp.Column)):
        if column.name != made.name:
            continue
        one, other = (_plain_column(wide, name) for name in (made.one, made.other))
        product: exp.Expr = exp.paren(exp.Mul(this=one, expression=other))
        if isinstance(column.parent, exp.Select):
            product = exp.alias_(product, made.name, quoted=True)
        column.replace(product)
    return tree


def _plain_column(wide: Wide, name: str) -> exp.Column:
    table, column = wide.home[name]
    owner = "" if len(wide.tables) == 1 else table
    return exp.column(column, table=owner or None, quoted=True)


def _named(term: exp.Expr, name: str) -> exp.Expr:
    plain = term.unalias()
    return plain if plain.name == name else exp.alias_(plain, name, quoted=True)


def placed(wide: Wide, term: T) -> T:
    if isinstance(term, Measure):
        return Measure(
            term.aggregation,
            placed(wide, term.field) if term.field else None,
            conditions_in(wide, term.of),
        )
    table, column = wide.home[term.column]
    return Field(column, term.part, "" if len(wide.tables) == 1 else table)


def conditions_in(wide: Wide, filters: Sequence[AnyOf]) -> tuple[AnyOf, ...]:
    return tuple(
        AnyOf(tuple(replace(c, field=placed(wide, c.field)) for c in each.conditions))
        for each in filters
    )
