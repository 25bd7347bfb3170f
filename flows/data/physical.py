"""What a database calls a table, as one text, and names as its SQL quotes them."""

from __future__ import annotations

from flows.data.tables import Dialect

_WITH_SCHEMA = ("postgres", "mysql")


def joined_physical(schema: str, table: str) -> str:
    """The physical name of a server's table. `schema` holds no dot."""
    return f"{schema}.{table}"


def physical_parts(physical: str, dialect: Dialect) -> tuple[str, ...]:
    """(schema, table) for a server, (table,) for a file."""
    if dialect not in _WITH_SCHEMA:
        return (physical,)
    schema, _, table = physical.partition(".")
    return (schema, table) if table else (schema,)


def quote_name(name: str, dialect: Dialect) -> str:
    """A name as a quoted identifier of the dialect."""
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark


def quote_table(physical: str, dialect: Dialect) -> str:
    """A physical name as it stands after FROM."""
    return ".".join(quote_name(each, dialect) for each in physical_parts(physical, dialect))
