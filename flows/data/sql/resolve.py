"""Column names of a query, checked against the tables they can belong to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.scope import Scope, traverse_scope

from flows.data.tables import Dialect, Table
from flows.errors import QueryRefused, nearest

_ROW_NUMBERS: dict[Dialect, frozenset[str]] = {
    "sqlite": frozenset({"rowid", "_rowid_", "oid"}),
    "duckdb": frozenset({"rowid"}),
    "postgres": frozenset({"ctid"}),
    "mysql": frozenset({"_rowid"}),
}
# Where SQLite takes a name in double quotes that no column has for a text.
_OPERANDS = (exp.Binary, exp.In, exp.Between, exp.Tuple, exp.Func, exp.Paren, exp.Not)

# By the alias of a source: its columns as written, by their case-folded names.
Names = dict[str, dict[str, str] | None]


def check_columns(tree: exp.Expr, used: Mapping[int, Table], dialect: Dialect) -> None:
    """Refuse columns that no table of the query has, where that is certain.

    `used` maps the `id()` of a table node to its table. In SQLite's dialect a quoted name that no
    column has becomes the text that SQLite would take it for, when it is compared with something.
    """
    try:
        scopes = traverse_scope(tree)
    except OptimizeError as error:
        raise QueryRefused(f"the query's tables are ambiguous: {error}") from error
    by_query = {id(scope.expression): scope for scope in scopes}
    found = [(column, _enclosing(column, by_query)) for column in tree.find_all(exp.Column)]
    # Inner queries first: what they give out may be spelled as their tables spell it.
    order = {id(scope): at for at, scope in enumerate(scopes)}
    inside: dict[int, list[exp.Column]] = {}
    for column, scope in found:
        if scope is not None:
            inside.setdefault(order[id(scope)], []).append(column)
    for at in sorted(inside):
        visible, local = _visible(scopes[at], used, dialect), _local_names(scopes[at])
        for column in inside[at]:
            _check_column(column, scopes[at], visible, local, dialect)


def _visible(scope: Scope, used: Mapping[int, Table], dialect: Dialect) -> Names:
    """The tables that a query and those around it read; the innermost of a name counts."""
    visible: Names = {}
    around: Scope | None = scope
    while around is not None:
        for other, names in _sources(around, used, dialect).items():
            visible.setdefault(other, names)
        around = around.parent
    return visible


def _enclosing(column: exp.Column, by_query: Mapping[int, Scope]) -> Scope | None:
    """The scope of the innermost query that the column stands in."""
    around = column.parent
    while around is not None and id(around) not in by_query:
        around = around.parent
    return None if around is None else by_query[id(around)]


def _check_column(
    column: exp.Column,
    scope: Scope,
    visible: Names,
    local: frozenset[str],
    dialect: Dialect,
) -> None:
    name = column.name.casefold()
    if dialect == "mysql" and column.table:
        _spell_qualifier(column, scope)
    if isinstance(column.this, exp.Star) or name in _ROW_NUMBERS[dialect]:
        return
    qualifier = column.table.casefold()
    if qualifier:
        _check_qualified(column, qualifier, visible, dialect)
        return
    if not visible or any(names is None or name in names for names in visible.values()):
        if dialect == "postgres" and not (name in local and _is_ordering(column)):
            _spell_column(column, visible)
        return
    if name in local:
        return
    if dialect == "sqlite" and column.this.quoted and isinstance(column.parent, _OPERANDS):
        column.replace(exp.Literal.string(column.name))
        return
    reason = _unknown_column(column.name, visible)
    if column.this.quoted:
        reason += "; a text stands in single quotes"
    raise QueryRefused(reason)


def _is_ordering(column: exp.Column) -> bool:
    """Whether it stands in the ORDER BY of a query, where an alias counts first."""
    return isinstance(column.find_ancestor(exp.Order, exp.Window, exp.Query), exp.Order)


def _spell_qualifier(column: exp.Column, scope: Scope) -> None:
    """Name the table as the query's FROM does: MySQL may tell upper from lower case there."""
    around: Scope | None = scope
    while around is not None:
        for alias in around.sources:
            if alias.casefold() == column.table.casefold():
                column.args["table"].set("this", alias)
                return
        around = around.parent


def _spell_column(column: exp.Column, visible: Names) -> None:
    """Name the column as its table does: PostgreSQL folds what is not quoted to lower case."""
    wanted = column.name if column.this.quoted else column.name.lower()
    for names in visible.values():
        if names is None:
            return
        if column.name.casefold() in names:
            spelled = names.get(wanted) or names[column.name.casefold()]
            if spelled != wanted:
                column.set("this", exp.to_identifier(spelled, quoted=True))
            return


def _check_qualified(column: exp.Column, qualifier: str, visible: Names, dialect: Dialect) -> None:
    if column.args.get("db") or qualifier not in visible:
        if dialect in ("postgres", "mysql") or (dialect, bool(column.db)) == ("sqlite", False):
            raise QueryRefused(_unknown_qualifier(column, visible))
        return  # a field of a struct: DuckDB itself knows
    names = visible[qualifier]
    if names is not None and column.name.casefold() not in names:
        raise QueryRefused(
            _unknown_column(f"{column.table}.{column.name}", {qualifier: names}, column.name)
        )
    if dialect == "postgres":
        _spell_column(column, {qualifier: names})


def _unknown_qualifier(column: exp.Column, visible: Names) -> str:
    if column.args.get("db"):
        return f"a column is named by its table's name or alias alone, not {column.sql()[:80]}"
    near = nearest(column.table.casefold(), visible)
    meant = f"; did you mean {near}?" if near else ""
    return f"the query reads no table called {column.table}{meant}"


def _sources(scope: Scope, used: Mapping[int, Table], dialect: Dialect) -> Names:
    """The columns of each source of a scope; None where they are not known."""
    found: Names = {}
    for alias, source in scope.sources.items():
        if alias.casefold() not in _selected(scope):
            continue
        if isinstance(source, exp.Table):
            table = used.get(id(source))
            columns = None if table is None else [column.name for column in table.columns]
            if _renamed(source):
                columns = None
        else:
            columns = _projected(source, dialect)
        found[alias.casefold()] = None if columns is None else _by_name(columns)
    if scope.expression.args.get("laterals") or scope.udtf_scopes:
        found[""] = None
    return found


def _by_name(columns: Sequence[str]) -> dict[str, str]:
    """The columns by their names as they are, and case-folded where no other has that name."""
    return {**{each.casefold(): each for each in columns}, **{each: each for each in columns}}


def _selected(scope: Scope) -> set[str]:
    return {alias.casefold() for alias in scope.selected_sources}


def _renamed(node: exp.Expr) -> bool:
    alias = node.args.get("alias")
    return isinstance(alias, exp.TableAlias) and bool(alias.args.get("columns"))


def _projected(scope: Scope, dialect: Dialect) -> list[str] | None:
    """The names that a subquery gives out, or None when they cannot be told."""
    outer = scope.expression.parent
    while isinstance(outer, (exp.SetOperation, exp.Paren)):
        outer = outer.parent
    if outer is not None and _renamed(outer):
        return None
    query = scope.expression
    if not isinstance(query, exp.Query) or isinstance(query, exp.Values):
        return None
    names = []
    for projection in query.selects:
        if not isinstance(projection, (exp.Alias, exp.Column)) or projection.is_star:
            return None
        named = projection.args["alias"] if isinstance(projection, exp.Alias) else projection.this
        folded = dialect == "postgres" and not named.args.get("quoted")
        names.append(named.name.lower() if folded else named.name)
    return names


def _local_names(scope: Scope) -> frozenset[str]:
    """Aliases of the select list, and names that lambdas bind."""
    return frozenset(name.casefold() for name in _local(scope))


def _local(scope: Scope) -> Iterator[str]:
    query = scope.expression
    if isinstance(query, exp.Query):
        yield from (each.alias for each in query.selects if each.alias)
    for function in query.find_all(exp.Lambda):
        yield from (each.name for each in function.expressions)


def _unknown_column(written: str, visible: Names, name: str | None = None) -> str:
    names = list(
        dict.fromkeys(each for found in visible.values() for each in (found or {}).values())
    )
    near = nearest(name or written, names)
    meant = f"; did you mean {near}?" if near else ""
    shown = ", ".join(names[:40])
    return f"there is no column {written}{meant} (columns: {shown})"
