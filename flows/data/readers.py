"""How DuckDB is told to read a file: the table function and its options, written as SQL."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import duckdb

from flows.data.profile import quote
from flows.data.sources import WIDE_TEXT_MARKS, Source
from flows.errors import SourceError

_SAMPLE_ROWS = 20_000
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")


def readers(source: Source, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    """Ways to read a file, the usual one first. Each is what can stand after FROM.

    Raises SourceError for a CSV file of which rows would silently be left out.
    """
    # In DuckDB's file names these stand for other characters.
    path = text(re.sub(r"([*?\[])", r"[\1]", str(source.path)))
    if source.kind == "parquet":
        yield f"read_parquet({path})"
    elif source.kind == "json":
        yield f"read_json({path})"
    else:
        yield from _csv_readers(source, path, connection)


def text(value: str) -> str:
    """A value as an SQL text literal."""
    return "'" + value.replace("'", "''") + "'"


def _csv_readers(source: Source, path: str, connection: duckdb.DuckDBPyConnection) -> Iterator[str]:
    with source.path.open("rb") as file:
        wide = file.read(2) in WIDE_TEXT_MARKS
    encoding = "utf-16" if wide else "latin-1"
    if not wide:
        try:
            kept = _header(path, connection)
            kept += _kept_as_text(path, kept, connection)
            _check_skipped(source, path, connection)
        except duckdb.Error:  # not readable as it is: the readers below find the reason
            kept = ""
        yield f"read_csv({path}{kept})"
        yield f"read_csv({path}{kept}, sample_size=-1)"
        yield f"read_csv({path}{kept}, sample_size=-1, strict_mode=false)"
    yield f"read_csv({path}, sample_size=-1, encoding='{encoding}')"


def _header(path: str, connection: duckdb.DuckDBPyConnection) -> str:
    """The option that takes the first line as names where DuckDB cannot tell it from a row.

    That is so when it fits the types of the columns: all of them text, or names of years over
    numbers. A line that could as well be a row, since the next one is like it, is a row.
    """
    found = connection.execute(f"SELECT HasHeader FROM sniff_csv({path})").fetchone()
    if found is None or found[0]:
        return ""
    rows = connection.execute(
        f"SELECT * FROM read_csv({path}, header=false, all_varchar=true) LIMIT 2"
    ).fetchall()
    first = [str(cell or "").strip() for cell in rows[0]] if rows else []
    if not first or not all(first) or len(set(first)) < len(first):
        return ""
    below = [str(cell or "").strip() for cell in rows[1]] if len(rows) > 1 else [""] * len(first)
    named = [bool(_LETTER.search(cell)) for cell in first]
    years = [
        bool(_YEAR.fullmatch(cell)) and not _YEAR.fullmatch(under)
        for cell, under in zip(first, below, strict=True)
    ]
    is_header = any(named) and all(name or year for name, year in zip(named, years, strict=True))
    return ", header=true" if is_header else ""


def _kept_as_text(path: str, options: str, connection: duckdb.DuckDBPyConnection) -> str:
    """The option that keeps columns such as 01234 from becoming numbers without their zeros."""
    plain = f"read_csv({path}{options}, all_varchar=true)"
    described = connection.execute(f"DESCRIBE SELECT * FROM read_csv({path}{options})").fetchall()
    numbers = [str(row[0]) for row in described if row[1] in ("BIGINT", "HUGEINT", "INTEGER")]
    names = {
        str(row[0]) for row in connection.execute(f"DESCRIBE SELECT * FROM {plain}").fetchall()
    }
    asked = [name for name in numbers if name in names]
    if not asked:
        return ""
    tests = ", ".join(f"bool_or(regexp_full_match({quote(name)}, '0\\d+'))" for name in asked)
    row = connection.execute(
        f"SELECT {tests} FROM (SELECT * FROM {plain} LIMIT {_SAMPLE_ROWS})"
    ).fetchone()
    kept = [name for name, found in zip(asked, row or (), strict=True) if found]
    types = ", ".join(f"{text(name)}: 'VARCHAR'" for name in kept)
    return f", types={{{types}}}" if kept else ""


def _check_skipped(source: Source, path: str, connection: duckdb.DuckDBPyConnection) -> None:
    """Refuse a file in which lines above the table are left out although they look like rows."""
    row = connection.execute(
        f"SELECT SkipRows, Delimiter, len(Columns) FROM sniff_csv({path})"
    ).fetchone()
    if row is None or not row[0] or not row[1] or source.path.suffix == ".zst":
        return
    for number, line in enumerate(_first_lines(source.path, int(row[0])), start=1):
        if line.count(row[1]) >= max(1, (row[2] - 1) / 2):
            raise SourceError(
                f"source '{source.name}': {source.path}: the rows do not all have as many columns "
                f"as line {number}: {line.strip()[:80]}"
            )


def _first_lines(path: Path, count: int) -> list[str]:
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", errors="replace") as packed:
            return list(islice(packed, count))
    with path.open(encoding="utf-8", errors="replace") as file:
        return list(islice(file, count))
