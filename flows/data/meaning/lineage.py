"""What the columns of a result were made from, by the query or the code that made them."""

from __future__ import annotations

from collections.abc import Sequence

from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry, shortened, taken_over
from flows.data.meaning.sql_lineage import Made, made_columns
from flows.data.tables import Dialect, Table


def of_result(
    columns: Sequence[str],
    types: Sequence[str],
    sql: str,
    dialect: Dialect,
    tables: Sequence[Table],
    dictionary: DataDictionary | None = None,
) -> DataDictionary:
    """The entries of a query's result: only its own columns, each copied or with what it is of.

    `tables` are those that the query could read; `dictionary` is what is known of them, by default
    what their profiles say. A query that cannot be followed gives entries without an origin.
    """
    known = dictionary or DataDictionary.of_tables(tables)
    found = made_columns(sql, dialect, tables)
    made = found if found is not None and len(found) == len(columns) else [None] * len(columns)
    entries = [
        _entry(name, kind, each, known)
        for name, kind, each in zip(columns, types, made, strict=True)
    ]
    return DataDictionary(entries=tuple(entries))


def _entry(name: str, kind: str, made: Made | None, known: DataDictionary) -> DictionaryEntry:
    if made is None:
        return DictionaryEntry(column=name, type=kind, description="computed by the query")
    origins = tuple(f"{table}.{column}" for table, column in made.sources)
    of = [known.find(table, column) for table, column in made.sources]
    first = of[0] if of else None
    if not made.text and first is not None:
        return taken_over(name, kind, first)
    if not made.text:
        return DictionaryEntry(
            column=name, type=kind, description=" ".join(origins), made_from=origins
        )
    units = {each.unit for each in of if each is not None}
    unit = units.pop() if made.keeps_unit and len(units) == 1 else ""
    return DictionaryEntry(
        column=name, type=kind, description=shortened(made.text), unit=unit, made_from=origins
    )
