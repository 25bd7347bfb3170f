"""Rows of inputs from a file: JSON lines, a list in JSON, or a table of any file that is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from flows.config.composition import raise_all
from flows.config.json_faults import json_fault, json_problem
from flows.core.values import Values
from flows.data.catalog import Catalog
from flows.data.query import run_query
from flows.errors import ConfigError, Place, SourceError, UsageError

MOST_ROWS: Final = 100_000
MOST_FAULTS: Final = 20  # that are told of one file
_JSON: Final = (".jsonl", ".ndjson", ".json")
_SECONDS: Final = 600


def read_rows(path: Path) -> list[Values]:
    """The rows of a file, each as a mapping by column or key. A CSV, Parquet or Excel file is read
    in a process of its own, as data is.

    Errors: `UsageError`; `ConfigError` or `CheckError` with the place of each line that is no row.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder; the rows are in one file")
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file")
    rows = _json_rows(path) if path.suffix.casefold() in _JSON else _table_rows(path)
    if not rows:
        raise UsageError(f"{path}: there are no rows")
    if len(rows) > MOST_ROWS:
        raise UsageError(f"{path}: more than {MOST_ROWS:,} rows; split the file")
    return rows


def _json_rows(path: Path) -> list[Values]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is no text in UTF-8: {json_fault(error)}") from error
    faults: list[ConfigError] = []
    if path.suffix.casefold() == ".json":
        found = _value(text, Place(str(path), 1), faults)
        if not faults and not isinstance(found, list):
            raise UsageError(f"{path}: a list of objects is wanted")
        rows = [
            _row(each, Place(f"{path}: element {number}"), faults)
            for number, each in enumerate(found if isinstance(found, list) else (), 1)
        ]
    else:  # a text in JSON may hold the other characters at which Python ends a line
        lines = enumerate(text.split("\n"), 1)
        rows = [_line(each, Place(str(path), at), faults) for at, each in lines if each.strip()]
    if len(faults) > MOST_FAULTS:
        more = f"this and {len(faults) - MOST_FAULTS - 1:,} more after it are no rows either"
        faults = [*faults[:MOST_FAULTS], ConfigError(more, place=faults[MOST_FAULTS].place)]
    raise_all(faults)
    return rows


def _line(text: str, place: Place, faults: list[ConfigError]) -> Values:
    before = len(faults)
    found = _value(text, place, faults)
    return _row(found, place, faults) if len(faults) == before else {}


def _value(text: str, place: Place, faults: list[ConfigError]) -> object:
    """The value of a text that begins at the place; None with a fault noted."""
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, json.JSONDecodeError):
            place = Place(place.origin, (place.line or 1) + error.lineno - 1, error.colno)
        faults.append(ConfigError(f"no JSON: {json_problem(error)}", place=place))
        return None
    return found


def _row(found: object, place: Place, faults: list[ConfigError]) -> Values:
    if not isinstance(found, dict):
        problem = "an object with the inputs by their names is wanted"
        faults.append(ConfigError(problem, place=place))
        return {}
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
