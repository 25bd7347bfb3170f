"""What tables a MySQL or MariaDB database has for this user, and whether they have changed."""

from __future__ import annotations

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flows.data.physical import joined_physical
from flows.data.profiles.profile import Declared, TableLayout
from flows.data.servers import ServerSource, named_tables
from flows.data.tables import ColumnType, ForeignKey
from flows.errors import SourceError

Fetch = Callable[[str], Sequence[tuple[Any, ...]]]
Place = tuple[str, str]

_TYPES: dict[str, ColumnType] = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "bigint", "year"), "integer"),
    **dict.fromkeys(("decimal", "float", "double"), "real"),
    **dict.fromkeys(
        ("char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "uuid"),
        "text",
    ),
    **dict.fromkeys(("datetime", "timestamp"), "timestamp"),
    "date": "date",
    "time": "time",
}
_KINDS = "'BASE TABLE', 'VIEW', 'SYSTEM VERSIONED'"
_WRITES = re.compile(
    r"\b(?:ALL PRIVILEGES|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|FILE|SUPER|TRIGGER|EXECUTE"
    r"|RELOAD|SHUTDOWN|PROCESS|GRANT OPTION|SYSTEM_\w+)\b",
    re.IGNORECASE,
)


def mysql_layouts(source: ServerSource, fetch: Fetch) -> tuple[TableLayout, ...]:
    """The tables and views that the user may read. Those of the address's database, or of the first
    schema that it names, keep their names; others are named schema_table. Raises SourceError."""
    schemas = source.schemas or (source.database,)
    inside = ", ".join(_text(each) for each in schemas)
    found = fetch(
        "SELECT table_schema, table_name, table_comment, table_type FROM information_schema.tables "
        f"WHERE table_schema IN ({inside}) AND table_type IN ({_KINDS}) "
        "ORDER BY table_schema, table_name"
    )
    missing = sorted(set(source.schemas) - {str(row[0]) for row in found})
    if missing:
        raise SourceError(
            f"source '{source.name}': {source.where} has no schema {missing[0]} with a table that "
            f"the user {source.user} may read"
        )
    places = [(str(row[0]), str(row[1])) for row in found]
    named = dict(zip(places, named_tables(places, schemas[0]), strict=True))
    columns = _columns(inside, fetch)
    primary, foreign = _keys(inside, named, fetch)
    return tuple(
        TableLayout(
            source=source.name,
            name=named[place],
            physical=joined_physical(*place),
            dialect="mysql",
            columns=tuple(columns[place]),
            primary_key=tuple(primary[place]),
            foreign_keys=tuple(foreign[place]),
            description="" if row[3] == "VIEW" else str(row[2] or ""),
        )
        for place, row in zip(places, found, strict=True)
        if columns[place]
    )


def _columns(inside: str, fetch: Fetch) -> Mapping[Place, list[Declared]]:
    columns: dict[Place, list[Declared]] = defaultdict(list)
    for schema, table, name, kind, comment in fetch(
        "SELECT table_schema, table_name, column_name, data_type, column_comment "
        f"FROM information_schema.columns WHERE table_schema IN ({inside}) "
        "AND find_in_set('select', privileges) > 0 "
        "ORDER BY table_schema, table_name, ordinal_position"
    ):
        declared = _TYPES.get(str(kind).lower(), "other")
        columns[schema, table].append(Declared(str(name), declared, description=str(comment or "")))
    return columns


def _keys(
    inside: str, named: Mapping[Place, str], fetch: Fetch
) -> tuple[Mapping[Place, list[str]], Mapping[Place, list[ForeignKey]]]:
    primary: dict[Place, list[str]] = defaultdict(list)
    parts: dict[tuple[Place, str, Place], list[tuple[str, str]]] = defaultdict(list)
    for schema, table, key, column, to_schema, to_table, to_column in fetch(
        "SELECT table_schema, table_name, constraint_name, column_name, referenced_table_schema, "
        "referenced_table_name, referenced_column_name FROM information_schema.key_column_usage "
        f"WHERE table_schema IN ({inside}) "
        "ORDER BY table_schema, table_name, constraint_name, ordinal_position"
    ):
        if to_table is not None:
            parts[(schema, table), key, (to_schema, to_table)].append((column, to_column))
        elif key == "PRIMARY":
            primary[schema, table].append(column)
    foreign: dict[Place, list[ForeignKey]] = defaultdict(list)
    for (place, _, target), pairs in parts.items():
        if target in named:
            own, theirs = zip(*pairs, strict=True)
            foreign[place].append(ForeignKey(columns=own, table=named[target], to_columns=theirs))
    return primary, foreign


def mysql_digest(source: ServerSource, layouts: Sequence[TableLayout], fetch: Fetch) -> str:
    """A SHA-256 over the tables' shapes and the server's marks of change.

    No database has a hash of its content. The marks are each table's time of change (to the second,
    and lost when the server starts again), its number of rows and its size as the server estimates
    them, and its next automatic number.
    """
    schemas = ", ".join(_text(each) for each in source.schemas or (source.database,))
    marks = fetch(
        "SELECT table_schema, table_name, update_time, create_time, table_rows, data_length, "
        f"auto_increment FROM information_schema.tables WHERE table_schema IN ({schemas}) "
        "ORDER BY table_schema, table_name"
    )
    shapes = [[each.physical, [[one.name, one.type] for one in each.columns]] for each in layouts]
    text = json.dumps([shapes, [list(row) for row in marks]], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def mysql_warnings(source: ServerSource, fetch: Fetch) -> tuple[str, ...]:
    """What the user may do beyond reading: the role should be one that can only SELECT."""
    grants = " ".join(str(row[0]).partition(" ON ")[0] for row in fetch("SHOW GRANTS"))
    rights = sorted({each.upper() for each in _WRITES.findall(grants)})
    if not rights:
        return ()
    return (
        f"the user {source.user} of {source.where} may do more than read "
        f"({', '.join(rights[:4])}); use one that can only SELECT",
    )


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "''") + "'"
