"""Measuring the columns of SQLite, PostgreSQL and MySQL: all that differs in their SQL is here."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from flows.data.cells import to_cell, to_number
from flows.data.physical import quote_name
from flows.data.profiles.facts import SHARES, Facts, quantiles_of, shortened
from flows.data.tables import VALUES_KEPT, ColumnType, Dialect, Frequent, Lengths, Quantiles

Fetch = Callable[[str], Sequence[tuple[Any, ...]]]

_CHUNK = 40
_PARTS = 9
_NUMBERS = ("integer", "real")


@dataclass(frozen=True, slots=True)
class _Words:
    """What a dialect says for: a value as text, its characters, its bytes, a float."""

    text: str
    length: str
    bytes: str
    real: str


_WORDS: dict[Dialect, _Words] = {
    "duckdb": _Words("CAST({} AS VARCHAR)", "length({})", "strlen({})", "CAST({} AS DOUBLE)"),
    "sqlite": _Words(
        "CAST({} AS TEXT)", "length({})", "length(CAST({} AS BLOB))", "CAST({} AS REAL)"
    ),
    "postgres": _Words(
        "CAST({} AS TEXT)",
        "length({})",
        "octet_length({})",
        "CAST({} AS DOUBLE PRECISION)",
    ),
    "mysql": _Words("CAST({} AS CHAR)", "char_length({})", "length({})", "({} + 0.0e0)"),
}


def measure_all(
    table: str, columns: Sequence[tuple[str, ColumnType]], dialect: Dialect, fetch: Fetch
) -> Iterator[Facts]:
    """The facts of columns, in their order. `table` is quoted."""
    for start in range(0, len(columns), _CHUNK):
        chunk = columns[start : start + _CHUNK]
        parts = [part for name, kind in chunk for part in _aggregates(name, kind, dialect)]
        row = fetch(f"SELECT {', '.join(parts)} FROM {table}")[0]
        for at, (name, kind) in enumerate(chunk):
            yield _measure(table, name, kind, dialect, row[at * _PARTS :][:_PARTS], fetch)


def _aggregates(name: str, kind: ColumnType, dialect: Dialect) -> list[str]:
    words = _WORDS[dialect]
    column = quote_name(name, dialect)
    value = words.text.format(column) if kind == "other" or _is_text_in(kind, dialect) else column
    nothing = words.real.format("NULL")  # PostgreSQL has to know of what type it is
    number = words.real.format(column) if kind in _NUMBERS else nothing
    is_text = kind in ("text", "other")
    text = words.text.format(column)
    length = words.length.format(text) if is_text else nothing
    size = words.bytes.format(text) if is_text else nothing
    ends = [f"min({value})", f"max({value})"]
    if kind == "boolean" and dialect == "postgres":
        ends = [f"bool_and({column})", f"bool_or({column})"]
    return [
        f"count({column})",
        f"count(DISTINCT {value})",
        *ends,
        f"avg({number})",
        f"min({length})",
        f"max({length})",
        f"avg({words.real.format(length)})" if is_text else "NULL",
        f"sum({size})",
    ]


def _is_text_in(kind: ColumnType, dialect: Dialect) -> bool:
    """UUIDs and enums of PostgreSQL are texts for us but have no smallest one there."""
    return kind == "text" and dialect == "postgres"


def _measure(
    table: str,
    name: str,
    kind: ColumnType,
    dialect: Dialect,
    row: Sequence[Any],
    fetch: Fetch,
) -> Facts:
    filled, distinct, low, high, mean, shortest, longest, usual, size = row
    filled, distinct = int(filled), int(distinct)
    average = to_number(mean)
    is_number = kind in _NUMBERS and average is not None
    common: tuple[Frequent, ...] = ()
    if kind == "text" or (kind != "other" and distinct <= VALUES_KEPT):
        common = _common(table, name, dialect, VALUES_KEPT, fetch)
    elif kind != "other":
        common = _common(table, name, dialect, 10, fetch)
    return Facts(
        filled=filled,
        distinct=distinct,
        minimum=shortened(to_cell(low)),
        maximum=shortened(to_cell(high)),
        mean=average,
        std=_std(table, name, dialect, filled, average, fetch) if is_number else None,
        quantiles=_quantiles(table, name, dialect, filled, fetch) if is_number else None,
        lengths=_lengths(shortest, longest, usual) if kind == "text" else None,
        common=common,
        bytes=int(size) if size is not None else None,
    )


def _common(
    table: str, name: str, dialect: Dialect, most: int, fetch: Fetch
) -> tuple[Frequent, ...]:
    column = quote_name(name, dialect)
    found = fetch(
        f"SELECT {_WORDS[dialect].text.format(column)}, count(*) FROM {table} "
        f"WHERE {column} IS NOT NULL GROUP BY {column} ORDER BY 2 DESC, {column} LIMIT {most}"
    )
    return tuple(Frequent(value=str(value), count=int(count)) for value, count in found)


def _lengths(shortest: Any, longest: Any, usual: Any) -> Lengths | None:
    if shortest is None:
        return None
    return Lengths(shortest=int(shortest), longest=int(longest), mean=float(usual))


def _std(
    table: str, name: str, dialect: Dialect, filled: int, mean: float | None, fetch: Fetch
) -> float | None:
    """By the distances from the mean: SQLite has no function for it, and sums of squares lose."""
    if filled < 2 or mean is None:
        return None
    number = _WORDS[dialect].real.format(quote_name(name, dialect))
    away = f"({number} - {mean!r})"
    total = to_number(fetch(f"SELECT sum({away} * {away}) FROM {table}")[0][0])
    return math.sqrt(max(total, 0.0) / (filled - 1)) if total is not None else None


def _quantiles(
    table: str, name: str, dialect: Dialect, filled: int, fetch: Fetch
) -> Quantiles | None:
    column = quote_name(name, dialect)
    number = _WORDS[dialect].real.format(column)
    if dialect == "postgres":
        shares = ", ".join(str(share) for share in SHARES)
        row = fetch(
            f"SELECT percentile_cont(ARRAY[{shares}]) WITHIN GROUP (ORDER BY {number}) FROM {table}"
        )[0]
        return quantiles_of(row[0])
    ranks = sorted({rank for share in SHARES for rank in _ranks(share, filled)})
    found = fetch(
        f"SELECT place, number FROM (SELECT {number} AS number, "
        f"row_number() OVER (ORDER BY {column}) AS place FROM {table} "
        f"WHERE {column} IS NOT NULL) AS ordered "
        f"WHERE place IN ({', '.join(str(rank + 1) for rank in ranks)})"
    )
    at = {int(place) - 1: float(value) for place, value in found if value is not None}
    if set(ranks) - set(at):
        return None
    return quantiles_of([_between(share, filled, at) for share in SHARES])


def _ranks(share: float, filled: int) -> tuple[int, int]:
    place = share * (filled - 1)
    return math.floor(place), math.ceil(place)


def _between(share: float, filled: int, at: dict[int, float]) -> float:
    low, high = _ranks(share, filled)
    part = share * (filled - 1) - low
    return at[low] + (at[high] - at[low]) * part
