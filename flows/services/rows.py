"""Rows of inputs from a file: JSON lines, a list in JSON, or a table of any file that is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from flows.config.json_faults import json_fault
from flows.core.artifacts import write_whole
from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.errors import SourceError, UsageError

MOST_ROWS: Final = 100_000
_JSON: Final = (".jsonl", ".ndjson", ".json")
_SECONDS: Final = 600


def read_rows(path: Path) -> list[Values]:
    """The rows of a file, each as a mapping by column or key. A CSV, Parquet or Excel file is read
    in a process of its own, as data is. Errors: `UsageError` with the line of what is no row."""
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file")
    rows = list(_json_rows(path)) if path.suffix.casefold() in _JSON else _table_rows(path)
    if not rows:
        raise UsageError(f"{path}: there are no rows")
    if len(rows) > MOST_ROWS:
        raise UsageError(f"{path}: more than {MOST_ROWS:,} rows; split the file")
    return rows


def _json_rows(path: Path) -> Iterator[Values]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read as text: {error}") from error
    if path.suffix.casefold() == ".json":
        found = _value(text, f"{path}")
        if not isinstance(found, list):
            raise UsageError(f"{path}: a list of objects is wanted")
        for number, each in enumerate(found, 1):
            yield _row(each, f"{path}: element {number}")
        return
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _row(_value(line, f"{path}:{number}"), f"{path}:{number}")


def _value(text: str, where: str) -> object:
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: no JSON: {json_fault(error)}") from error
    return found


def _row(found: object, where: str) -> Values:
    if not isinstance(found, dict):
        raise UsageError(f"{where}: an object with the inputs by their names is wanted")
    return found


def _table_rows(path: Path) -> list[Values]:
    try:
        with Catalog({"rows": str(path)}, Path.cwd()) as catalog:
            (table,) = catalog.tables()
            sql = f'SELECT * FROM "{table.name}"'
            found = run_query(catalog, sql, max_rows=MOST_ROWS + 1, timeout=_SECONDS)
    except SourceError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    except ValueError as error:
        raise UsageError(f"{path}: one table is wanted") from error
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def write_results(
    path: Path, rows: list[Values], results: list[object], errors: dict[int, str]
) -> None:
    """Write a line of JSON for each row: its `inputs`, its `outputs` or null, its `error` or null.
    The file is there whole or not at all. Errors: `UsageError`."""
    lines = [
        json.dumps(
            {"inputs": row, "outputs": result, "error": errors.get(number)},
            ensure_ascii=False, default=str,
        )
        for number, (row, result) in enumerate(zip(rows, results, strict=True))
    ]  # fmt: skip
    try:
        write_whole(path, ("\n".join(lines) + "\n").encode())
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
