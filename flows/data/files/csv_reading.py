"""How DuckDB reads a CSV file right: options for what it cannot tell, or tells too boldly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

import duckdb

from flows.data.files.csv_shape import LONG, shape_of
from flows.data.files.csv_sniffing import Sniffed, Sniffer, literal
from flows.data.files.long_lines import check_quotes
from flows.data.files.sources import Source
from flows.data.physical import quote_name
from flows.data.time_formats import format_words, read_as_times
from flows.errors import SourceError

_SAMPLE_ROWS = 20_000
_HEAD_LINES = 200
_LONGEST_LINE = 100_000
_LETTER = re.compile(r"[^\W\d_]")
_YEAR = re.compile(r"(?:1[5-9]|20|21)\d\d")
_WHOLE = ("BIGINT", "HUGEINT", "INTEGER")


def read_list(paths: Sequence[Path]) -> str:
    """Paths as a table function takes them; of several, columns of one name belong together."""
    names = [literal(str(path)) for path in paths]
    return names[0] if len(names) == 1 else f"[{', '.join(names)}], union_by_name=true"


def csv_ways(
    source: Source, origin: Path, paths: Sequence[Path], connection: duckdb.DuckDBPyConnection
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ways to read CSV files, the usual one first, and notes. `origin` is the file that is named.

    Raises SourceError for a file of which rows would silently be left out.
    """
    files = read_list(paths)
    sniffer = Sniffer(connection)
    options, notes = _dialect(source, origin, paths[0], sniffer)
    first = f"{read_list(paths[:1])}{options}"
    try:
        options += _header(source, first, sniffer, connection)
        first = f"{read_list(paths[:1])}{options}"
        kept = _kept_as_text(first, sniffer, connection)
        options += _as_text(kept)
        found = sniffer.look(first)
        notes += tuple(_day_notes(found, kept))
        _check_skipped(source, origin, paths[0], found)
    except duckdb.Error:  # not readable as it is: the ways below find the reason
        check_quotes(source.name, origin, paths[0])
    more = ("", ", sample_size=-1", ", sample_size=-1, strict_mode=false")
    return tuple(f"read_csv({files}{options}{each})" for each in more), notes


def _dialect(
    source: Source, origin: Path, path: Path, sniffer: Sniffer
) -> tuple[str, tuple[str, ...]]:
    """The options that are given, and those that DuckDB does not find itself."""
    given = source.options
    options = ""
    if given is not None:
        options += f", quote={literal(given.quote)}" if given.quote is not None else ""
        options += f", header={str(given.header).lower()}" if given.header is not None else ""
        options += f", decimal_separator={literal(given.decimal)}" if given.decimal else ""
        if given.delimiter is not None:
            return f"{options}, delim={literal(given.delimiter)}", ()
    if not _needs_shape(source, origin, path, options, sniffer):
        return options, ()
    shape = shape_of(_head(path))
    if shape is None:
        return options, ()
    options += f", delim={literal(shape.delimiter)}"
    if not shape.is_ragged:
        return options, ()
    if shape.longest > shape.first:
        raise SourceError(_too_long(source, origin, _first_lines(path, 1)[0], 1))
    short = sum(each < shape.first for each in shape.others)
    note = f"rows of {origin.name} with too few values ({short} of the first {len(shape.others)})"
    return f"{options}, null_padding=true", (f"{note} have missing ones at their end",)


def _needs_shape(source: Source, origin: Path, path: Path, options: str, sniffer: Sniffer) -> bool:
    """Whether DuckDB found nothing, a single column of text, or a delimiter of one character where
    the first line has one of several."""
    if any(each in line for line in _first_lines(path, 1) for each in LONG):
        return True
    try:
        columns = sniffer.look(f"{read_list([path])}{options}").columns
    except duckdb.Error:
        check_quotes(source.name, origin, path)
        return True
    return [kind for _, kind in columns] in ([], ["VARCHAR"])


def _header(
    source: Source, file: str, sniffer: Sniffer, connection: duckdb.DuckDBPyConnection
) -> str:
    """The option that takes the first line as names where DuckDB cannot tell it from a row.

    That is so when it fits the types of the columns: all of them text, or names of years over
    numbers. A line that could as well be a row, since the next one is like it, is a row.
    """
    if source.options is not None and source.options.header is not None:
        return ""
    if sniffer.look(file).has_header:
        return ""
    rows = connection.execute(
        f"SELECT * FROM read_csv({file}, header=false, all_varchar=true) LIMIT 2"
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


_DAYS = frozenset(["DATE", "TIMESTAMP"])
# A day whose year has two figures.
_SHORT_DAY = r"\d{1,2}([-/.])\d{1,2}[-/.]\d{1,2}(\D.*)?"


def _kept_as_text(file: str, sniffer: Sniffer, connection: duckdb.DuckDBPyConnection) -> list[str]:
    """The columns that stay text: such as 01234, lest they become numbers without their zeros, yes
    and no, lest they become other words, and 05/08/24, lest it is read with the year first. What
    they mean is told by all of their values together, when they are cleaned."""
    found = sniffer.look(file)
    tests = {}
    for name, kind in found.columns:
        column = quote_name(name, "duckdb")
        if kind in _WHOLE:
            tests[name] = f"bool_or(regexp_full_match({column}, '0\\d+'))"
        elif kind == "BOOLEAN":
            tests[name] = f"bool_or(lower(trim({column})) NOT IN ('true', 'false'))"
        elif kind in _DAYS and "%y" in {found.days[:2], found.moments[:2]}:
            tests[name] = f"bool_or(regexp_full_match(trim({column}), '{_SHORT_DAY}'))"
    if not tests:
        return []
    plain = f"read_csv({found.fixed(file)}, all_varchar=true)"
    row = connection.execute(
        f"SELECT {', '.join(tests.values())} FROM (SELECT * FROM {plain} LIMIT {_SAMPLE_ROWS})"
    ).fetchone()
    return [name for name, is_other in zip(tests, row or (), strict=True) if is_other]


def _as_text(names: Sequence[str]) -> str:
    """The option that keeps columns text."""
    types = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    return f", types={{{types}}}" if names else ""


def _day_notes(found: Sniffed, kept: Sequence[str]) -> Iterator[str]:
    """How dates are read that do not begin with their year."""
    for name, kind in found.columns:
        form = {"DATE": found.days, "TIMESTAMP": found.moments}.get(kind, "")
        if form and not form.startswith("%Y") and name not in kept:
            yield f"{name}: {read_as_times(format_words(form), days=kind == 'DATE')}"


def _check_skipped(source: Source, origin: Path, path: Path, found: Sniffed) -> None:
    """Refuse a file in which lines above the table are left out although they look like rows."""
    if not found.skipped or not found.delimiter:
        return
    for number, line in enumerate(_first_lines(path, found.skipped), start=1):
        if line.count(found.delimiter) >= max(1, (len(found.columns) - 1) / 2):
            raise SourceError(_too_long(source, origin, line, number))


def _too_long(source: Source, origin: Path, line: str, number: int) -> str:
    return (
        f"source '{source.name}': {origin}: the rows do not all have as many columns "
        f"as line {number}: {line.strip()[:80]}"
    )


def _first_lines(path: Path, count: int) -> list[str]:
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        return list(islice(iter(lambda: file.readline(_LONGEST_LINE), ""), count))


def _head(path: Path) -> str:
    return "".join(_first_lines(path, _HEAD_LINES))
