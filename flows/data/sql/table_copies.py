"""Whether a query takes a table over as it stands: all its rows, and some or all columns."""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from flows.data.tables import Table


def copied_table(query: str, tables: Sequence[Table]) -> Table | None:
    """The profile of the query's result, where it is that of a table, with the columns that it
    takes; None for any other query, of which nothing is known before it is looked at."""
    for dialect in dict.fromkeys(each.dialect for each in tables):
        try:
            tree = sqlglot.parse_one(query, read=dialect)
        except SqlglotError:
            continue
        named = [each for each in tables if each.dialect == dialect]
        if (found := _copied(tree, named)) is not None:
            return found
    return None


def _copied(tree: exp.Expr, tables: Sequence[Table]) -> Table | None:
    if not isinstance(tree, exp.Select):
        return None
    if any(value for key, value in tree.args.items() if key not in ("expressions", "from_")):
        return None
    source = tree.args["from_"].this if tree.args.get("from_") is not None else None
    if not isinstance(source, exp.Table) or source.db or source.args.get("joins"):
        return None
    found = [each for each in tables if each.name.casefold() == source.name.casefold()]
    if len(found) != 1:
        return None
    [table] = found
    columns = {each.name.casefold(): each for each in table.columns}
    chosen = []
    for each in tree.expressions:
        if isinstance(each, exp.Star) and not any(each.args.values()):
            chosen += list(table.columns)
        elif isinstance(each, exp.Column) and each.name.casefold() in columns:
            chosen.append(columns[each.name.casefold()])
        else:
            return None
    if len({each.name for each in chosen}) != len(chosen):
        return None
    return table.model_copy(update={"columns": tuple(chosen)})
