"""Numbers that a CSV file writes in its own way: marks for none, decimal commas, thousands."""

from __future__ import annotations

import duckdb

from flows.data.physical import quote_name

# What spreadsheets and R write where there is no number.
_LIKE_NUMBER = r"\s*[+-]?[\d.,]*\d[\d.,]*(?:[eE][+-]?\d+)?\s*|[+-]?(?i:inf|infinity)"
_NO_NUMBER = "('', 'na', 'n/a', '#n/a', 'nan', 'null', 'none', '-', '.')"
# 1.234,56 and 12,5; a comma before three digits alone could as well stand between thousands.
_COMMA = r"[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?"
_SURE_COMMA = r".*(\.\d{3},\d+|,\d{1,2}|,\d{4,}|^[+-]?0,\d+)"
# 1,234.56 and 1,234,567
_THOUSANDS = r"[+-]?(\d{1,3}(,\d{3})+|\d+)(\.\d+)?"
_SURE_THOUSANDS = r".*(,\d{3},\d{3}|,\d{3}\.\d+).*"


def clean_table(connection: duckdb.DuckDBPyConnection, table: str) -> tuple[str, ...]:
    """Make numbers of the text columns that hold nothing but numbers and marks for none.

    What could be read in two ways stays text. Returns notes on what was changed.
    """
    name = quote_name(table, "duckdb")
    notes = []
    for column, kind, *_ in connection.execute(f"DESCRIBE {name}").fetchall():
        quoted = quote_name(str(column), "duckdb")
        if kind == "VARCHAR":
            note = _clean_text(connection, name, quoted)
            notes += [f"{column}: {note}"] if note else []
        elif kind in ("DOUBLE", "FLOAT"):
            _drop_nan(connection, name, quoted)
    return tuple(notes)


def _drop_nan(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> None:
    found = connection.execute(f"SELECT 1 FROM {table} WHERE isnan({column}) LIMIT 1").fetchone()
    if found is not None:
        connection.execute(f"UPDATE {table} SET {column} = NULL WHERE isnan({column})")


def _clean_text(connection: duckdb.DuckDBPyConnection, table: str, column: str) -> str:
    marks = f"lower(trim({column})) IN {_NO_NUMBER}"
    # A column of words is known by its first ones: most columns of text end here.
    like = f"regexp_full_match({column}, '{_LIKE_NUMBER}')"
    few = connection.execute(
        f"SELECT count(*) FILTER (WHERE {like}), count(*) "
        f"FROM (SELECT {column} FROM {table} WHERE {column} IS NOT NULL AND NOT {marks} LIMIT 100)"
    ).fetchone()
    if few is None or few[0] < few[1] or not few[1]:
        return ""
    unknown = _unknown(connection, table, column, marks)
    for written, note in (
        (column, ""),
        (_with_point(column), "a comma stands before the decimals"),
        (_without_thousands(column), "commas stand between thousands"),
    ):
        if (written == column or _is_sure(connection, table, column, note, marks)) and _convert(
            connection, table, column, written, marks
        ):
            return "; ".join(filter(None, (note, unknown)))
    return ""


def _unknown(connection: duckdb.DuckDBPyConnection, table: str, column: str, marks: str) -> str:
    """That a column's marks for none count as missing; empty where there are none but blanks."""
    found = connection.execute(
        f"SELECT DISTINCT trim({column}) FROM {table} WHERE {marks} AND trim({column}) <> '' "
        "ORDER BY 1"
    ).fetchall()
    named = [f"'{each}'" for (each,) in found]
    if not named:
        return ""
    said = named[0] if len(named) == 1 else f"{', '.join(named[:-1])} and {named[-1]}"
    return f"{said} count{'s' if len(named) == 1 else ''} as missing"


def _with_point(column: str) -> str:
    return f"replace(replace(trim({column}), '.', ''), ',', '.')"


def _without_thousands(column: str) -> str:
    return f"replace(trim({column}), ',', '')"


def _is_sure(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, note: str, marks: str
) -> bool:
    """Whether all values have the form, and one of them can have no other."""
    is_comma = "decimals" in note
    form, proof = (_COMMA, _SURE_COMMA) if is_comma else (_THOUSANDS, _SURE_THOUSANDS)
    found = connection.execute(
        f"SELECT bool_and(regexp_full_match(trim({column}), '{form}')), "
        f"bool_or(regexp_matches(trim({column}), '{proof}{'$' if is_comma else ''}')) "
        f"FROM {table} WHERE {column} IS NOT NULL AND NOT {marks}"
    ).fetchone()
    return found is not None and bool(found[0]) and bool(found[1])


def _convert(
    connection: duckdb.DuckDBPyConnection, table: str, column: str, written: str, marks: str
) -> bool:
    """Change the column's type if all values are numbers when they are written so."""
    number = f"try_cast({written} AS DOUBLE)"
    found = connection.execute(
        f"SELECT count(*) FILTER (WHERE {number} IS NULL AND NOT {marks}), "
        f"count(*) FILTER (WHERE isfinite({number})), "
        f"bool_and(try_cast({written} AS BIGINT) = {number}) FILTER (WHERE isfinite({number})), "
        f"count(*) FILTER (WHERE regexp_full_match({column}, '0\\d+')) "
        f"FROM {table} WHERE {column} IS NOT NULL"
    ).fetchone()
    if found is None or found[0] or not found[1] or found[3]:
        return False
    kind = "BIGINT" if found[2] else "DOUBLE"
    finite = f"CASE WHEN {marks} THEN NULL ELSE try_cast({written} AS {kind}) END"
    connection.execute(f"ALTER TABLE {table} ALTER {column} TYPE {kind} USING {finite}")
    return True
