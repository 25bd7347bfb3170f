"""A thing beside the others: the averages of its rows and of all other rows, column by column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from flows.analysis.compile import build_tree
from flows.analysis.plan import AnyOf, Field, Plan
from flows.analysis.reading.outcome import Unread
from flows.analysis.team.queries.extracting import (
    conditions_in,
    filters_of,
    placed,
    rows_kept,
    worked_out,
)
from flows.analysis.team.queries.origin import JOINED, from_words, wide_in
from flows.analysis.team.queries.wide import Wide
from flows.analysis.team.queries.wording import named, names_in
from flows.data.tables import Column, Table

# Dialects in which the spread of a column is one function.
_SPREAD: Final = ("duckdb", "postgres", "mysql")
_ASKED: Final = re.compile(
    rf"^\s*compare the average of (?P<columns>.+?) of the rows where (?P<who>.+?) with the average "
    rf"of the other rows,?{JOINED.pattern}(?:, only (?P<where>where .+?))?\s*\.?\s*$",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Beside:
    """Columns of a wide table that are compared; `who` are the words of the rows on one side."""

    wide: Wide
    names: tuple[str, ...]
    who: str
    where: str

    @property
    def table(self) -> Table:
        """The profile of the result: a row for each column."""
        base = self.wide.base
        numbers = ["own", "others", *(["std"] if base.dialect in _SPREAD else [])]
        size = len(self.names)
        feature = Column(
            name="feature", type="text", role="category", rows=size, missing=0, distinct=size,
            values=self.names, values_complete=True,
        )  # fmt: skip
        columns = (
            Column(name=n, type="real", role="measure", rows=size, missing=0, distinct=size)
            for n in numbers
        )
        return Table(source=base.source, name=base.name, dialect=base.dialect, rows=size,
                     columns=(feature, *columns))  # fmt: skip


def comparison(wide: Wide, names: Sequence[str], who: str, where: str = "") -> str:
    """The task in words; `where` restricts both sides."""
    only = f", only{where}" if where else ""
    return (
        f"Compare the average of {named(names)} of the rows where {who} with the average of the "
        f"other rows{from_words(wide)}{only}."
    )


def read_beside(text: str, tables: Sequence[Table]) -> Beside | None:
    """The comparison that a description asks for, in the words of `comparison`."""
    found = _ASKED.match(text)
    if found is None:
        return None
    wide = wide_in(found, tables)
    names = names_in(found["columns"])
    if wide is None or not names or not set(names) <= set(wide.home):
        return None
    return Beside(wide, names, f"where {found['who']}", found["where"] or "")


def beside_sql(asked: Beside) -> str | Unread:
    """The statement: one SELECT for each column."""
    who, where = filters_of(asked.who, asked.wide), filters_of(asked.where, asked.wide)
    if isinstance(who, Unread):
        return who
    if isinstance(where, Unread):
        return where
    parts = [_side_by_side(asked.wide, name, who, where) for name in asked.names]
    tree: exp.Query = parts[0]
    for part in parts[1:]:
        tree = exp.union(tree, part, distinct=False, copy=False)
    return worked_out(tree, asked.wide).sql(dialect=asked.wide.base.dialect)


def _side_by_side(
    wide: Wide, name: str, who: tuple[AnyOf, ...], where: tuple[AnyOf, ...]
) -> exp.Query:
    tree = rows_kept(build_tree(_plan(wide, name, where)))
    column = tree.selects[0].unalias()
    test = build_tree(_plan(wide, name, who)).args["where"].this
    own = exp.Case().when(test.copy(), column.copy())
    others = exp.Case().when(exp.Not(this=exp.paren(test.copy())), column.copy())
    made: list[tuple[str, exp.Expr]] = [
        ("feature", exp.Literal.string(name)),
        ("own", exp.Avg(this=own)),
        ("others", exp.Avg(this=others)),
    ]
    if wide.base.dialect in _SPREAD:
        made.append(("std", exp.StddevSamp(this=column.copy())))
    tree.set("expressions", [exp.alias_(term, each, quoted=True) for each, term in made])
    return tree


def _plan(wide: Wide, name: str, filters: tuple[AnyOf, ...]) -> Plan:
    base = wide.base
    return Plan(
        "rows", base.source, base.name, base.dialect, (placed(wide, Field(name)),),
        filters=conditions_in(wide, filters), joins=tuple(each.joined for each in wide.edges),
    )  # fmt: skip
