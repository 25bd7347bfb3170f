"""What tables a PostgreSQL database has for this user, and whether they have changed."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from flows.data.physical import joined_physical
from flows.data.profiles.profile import Declared, TableLayout
from flows.data.servers import ServerSource, named_tables
from flows.data.tables import ColumnType, ForeignKey
from flows.errors import SourceError

Fetch = Callable[[str], Sequence[tuple[Any, ...]]]

# Partitions are read through their table; what an extension keeps is not the user's data.
_TABLES = """
SELECT c.oid, n.nspname, c.relname, coalesce(obj_description(c.oid, 'pg_class'), '')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
  AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
  AND position('.' in n.nspname) = 0 AND has_schema_privilege(n.oid, 'USAGE')
  AND has_any_column_privilege(c.oid, 'SELECT')
  AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
ORDER BY n.nspname, c.oid
"""
_COLUMNS = """
SELECT a.attrelid, a.attnum, a.attname, coalesce(b.typname, t.typname),
  coalesce(b.typtype, t.typtype) = 'e', coalesce(col_description(a.attrelid, a.attnum), '')
FROM pg_attribute a
JOIN pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
JOIN pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_type b ON t.typtype = 'd' AND b.oid = t.typbasetype
WHERE a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT')
ORDER BY a.attrelid, a.attnum
"""
_KEYS = """
SELECT conrelid, contype::text, conkey::int[], confrelid, confkey::int[] FROM pg_constraint
WHERE contype IN ('p', 'f') ORDER BY oid
"""
_CHANGES = """
SELECT n.nspname || '.' || c.relname, c.relfilenode, pg_relation_size(c.oid),
  coalesce(s.n_tup_ins, 0), coalesce(s.n_tup_upd, 0), coalesce(s.n_tup_del, 0)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_stat_all_tables s ON s.relid = c.oid
WHERE c.relkind IN ('r', 'm')
"""
_WRITES = """
SELECT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
  (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p') AND n.nspname NOT LIKE 'pg\\_%'
     AND n.nspname <> 'information_schema'
     AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'))
"""


def postgres_layouts(
    source: ServerSource, fetch: Fetch, types: Mapping[str, ColumnType]
) -> tuple[TableLayout, ...]:
    """The tables and views that the user may read. Those of `public`, or of the first schema that
    the address names, keep their names; others are named schema_table. Raises SourceError."""
    found = [row for row in fetch(_TABLES) if not source.schemas or row[1] in source.schemas]
    missing = sorted(set(source.schemas) - {row[1] for row in found})
    if missing:
        raise SourceError(
            f"source '{source.name}': {source.where} has no schema {missing[0]} with a table that "
            f"the user {source.user} may read"
        )
    home = source.schemas[0] if source.schemas else "public"
    names = named_tables([(row[1], row[2]) for row in found], home)
    columns: dict[int, dict[int, Declared]] = defaultdict(dict)
    for relation, number, name, kind, is_enum, description in fetch(_COLUMNS):
        declared = "text" if is_enum else types.get(kind, "other")
        columns[relation][number] = Declared(name, declared, description=description)
    named = {row[0]: name for row, name in zip(found, names, strict=True)}
    keys, references = _keys(fetch(_KEYS), columns, named)
    return tuple(
        TableLayout(
            source=source.name,
            name=named[oid],
            physical=joined_physical(schema, table),
            dialect="postgres",
            columns=tuple(columns[oid].values()),
            primary_key=keys.get(oid, ()),
            foreign_keys=tuple(references[oid]),
            description=description,
        )
        for oid, schema, table, description in found
    )


def _keys(
    rows: Sequence[tuple[Any, ...]],
    columns: Mapping[int, Mapping[int, Declared]],
    named: Mapping[int, str],
) -> tuple[dict[int, tuple[str, ...]], dict[int, list[ForeignKey]]]:
    """Primary keys and references, by the table's oid; those with a hidden column are left out."""
    primary: dict[int, tuple[str, ...]] = {}
    foreign: dict[int, list[ForeignKey]] = defaultdict(list)

    def names(table: int, numbers: Sequence[int]) -> tuple[str, ...]:
        known = columns.get(table, {})
        return tuple(known[each].name for each in numbers if each in known)

    for table, kind, own, target, theirs in rows:
        here = names(table, own)
        if table not in named or len(here) != len(own):
            continue
        if kind == "p":
            primary[table] = here
        elif target in named and len(there := names(target, theirs)) == len(here):
            foreign[table].append(ForeignKey(columns=here, table=named[target], to_columns=there))
    return primary, foreign


def postgres_digest(layouts: Sequence[TableLayout], fetch: Fetch) -> str:
    """A SHA-256 over the tables' shapes and the server's marks of change.

    No database has a hash of its content. The marks are each table's file, its size in bytes, and
    how many rows were ever inserted, updated and deleted in it, which the server may count up to a
    second late. They change when something was written, and rarely when nothing was (a vacuum, a
    restart after a crash). All tables of the database count, since a view may read any of them.
    """
    marks = fetch(_CHANGES)
    shapes = [[each.physical, [[one.name, one.type] for one in each.columns]] for each in layouts]
    text = json.dumps([shapes, sorted(map(list, marks))], default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def postgres_warnings(source: ServerSource, fetch: Fetch) -> tuple[str, ...]:
    """What the user may do beyond reading: the role should be one that can only SELECT."""
    superuser, writable = fetch(_WRITES)[0]
    if superuser:
        return (
            f"the user {source.user} of {source.where} is a superuser; use one that can only "
            "SELECT",
        )
    if writable:
        return (
            f"the user {source.user} of {source.where} may write to {writable} tables; use "
            "one that can only SELECT",
        )
    return ()
