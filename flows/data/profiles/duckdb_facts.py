"""Measuring a column of DuckDB: texts by one grouping, long columns of numbers by one sort."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from flows.data.cells import to_cell, to_number
from flows.data.physical import quote_name
from flows.data.profiles.facts import SHARES, Facts, quantiles_of, shortened
from flows.data.tables import TOP_KEPT, VALUES_KEPT, ColumnType, Frequent, Lengths

if TYPE_CHECKING:
    import numpy

Fetch = Callable[[str], Sequence[tuple[Any, ...]]]
# The values of a column that are not missing, or None where numpy has no exact type for them.
Arrays = Callable[[str], "numpy.ndarray[Any, Any] | None"]

_NUMBERS = ("integer", "real")
_PIECE = 1 << 20
_SORTED = ("integer", "real", "date", "timestamp")


def measure_duckdb(
    table: str, name: str, kind: ColumnType, fetch: Fetch, arrays: Arrays | None
) -> Facts:
    """All facts of one column. `table` is quoted; of real numbers, NaN counts as missing."""
    column = quote_name(name, "duckdb")
    if kind == "text":
        return _grouped(table, column, fetch)
    if arrays is not None and kind in _SORTED:
        values = arrays(name)
        if values is not None and len(values):
            return _sorted(table, column, kind, values, fetch)
    return _queried(table, column, kind, fetch)


def _present(column: str, kind: ColumnType) -> str:
    return f"{column} IS NOT NULL" + (f" AND NOT isnan({column})" if kind == "real" else "")


def _grouped(table: str, column: str, fetch: Fetch) -> Facts:
    """A text column, by its distinct values."""
    row = fetch(
        "SELECT count(*), sum(n), min(v), max(v), min(length(v)), max(length(v)), "
        "sum(length(v) * n), sum(strlen(v) * n), "
        f"min({{'n': -n, 'v': v}}, {VALUES_KEPT}) "
        f"FROM (SELECT {column}::VARCHAR AS v, count(*) AS n FROM {table} "
        f"WHERE {column} IS NOT NULL GROUP BY 1)"
    )[0]
    if not row[0]:
        return Facts(0, 0, bytes=0)
    filled = int(row[1])
    return Facts(
        filled=filled,
        distinct=int(row[0]),
        minimum=shortened(str(row[2])),
        maximum=shortened(str(row[3])),
        lengths=Lengths(shortest=row[4], longest=row[5], mean=int(row[6]) / filled),
        common=tuple(Frequent(value=each["v"], count=-each["n"]) for each in row[8]),
        bytes=int(row[7]),
    )


def _queried(table: str, column: str, kind: ColumnType, fetch: Fetch) -> Facts:
    """A column of a short table, or of a type that numpy does not have."""
    value = f"{column}::VARCHAR" if kind == "other" else column
    finite = f" FILTER (WHERE isfinite({column}))" if kind == "real" else ""
    parts = [f"count({value})", f"count(DISTINCT {value})", f"min({value}){finite}"]
    parts += [f"max({value}){finite}"]
    if kind in _NUMBERS:
        number = f"{column}::DOUBLE"
        parts += [f"avg({number}){finite}", f"var_samp({number}){finite}"]
        parts += [f"quantile_cont({number}, {list(SHARES)}){finite}"]
    elif kind == "other":
        parts += [f"sum(strlen({value}))"]
    row = fetch(f"SELECT {', '.join(parts)} FROM {table} WHERE {_present(column, kind)}")[0]
    is_number = kind in _NUMBERS
    return Facts(
        filled=int(row[0]),
        distinct=int(row[1]),
        minimum=shortened(to_cell(row[2])),
        maximum=shortened(to_cell(row[3])),
        mean=to_number(row[4]) if is_number else None,
        std=_root(row[5]) if is_number else None,
        quantiles=quantiles_of(row[6]) if is_number else None,
        common=() if kind == "other" else _common(table, column, kind, int(row[1]), fetch),
        bytes=int(row[4] or 0) if kind == "other" else None,
    )


def _common(
    table: str, column: str, kind: ColumnType, distinct: int, fetch: Fetch, among: str = ""
) -> tuple[Frequent, ...]:
    """All values of a column that has few, else its most frequent ones."""
    kept = VALUES_KEPT if distinct <= VALUES_KEPT else TOP_KEPT
    found = fetch(
        f"SELECT {column}::VARCHAR, count(*) FROM {table} WHERE {_present(column, kind)}{among} "
        f"GROUP BY {column} ORDER BY 2 DESC, {column} LIMIT {kept}"
    )
    return tuple(Frequent(value=str(value), count=int(count)) for value, count in found)


def _sorted(
    table: str, column: str, kind: ColumnType, values: numpy.ndarray[Any, Any], fetch: Fetch
) -> Facts:
    """A long column: one sort tells the distinct values, the quantiles and the frequent ones."""
    values.sort()
    distinct, frequent = _runs(values)
    among = ""
    if distinct > VALUES_KEPT:
        found = ", ".join(_literal(str(each), kind) for each in frequent.tolist())
        among = f" AND {column} IN ({found})"
    numbers = _finite(values) if kind == "real" else values
    is_number = kind in _NUMBERS and len(numbers) > 0
    return Facts(
        filled=len(values),
        distinct=distinct,
        minimum=to_cell(numbers[0].item()) if len(numbers) else None,
        maximum=to_cell(numbers[-1].item()) if len(numbers) else None,
        mean=float(numbers.mean()) if is_number else None,
        std=_std(numbers) if is_number else None,
        quantiles=quantiles_of([interpolated(numbers, each) for each in SHARES])
        if is_number
        else None,
        common=_common(table, column, kind, distinct, fetch, among),
    )


def _finite(values: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """Sorted numbers without the infinite ones at both ends."""
    import numpy

    first = numpy.searchsorted(values, -numpy.inf, side="right")
    return values[first : numpy.searchsorted(values, numpy.inf, side="left")]


def _std(numbers: numpy.ndarray[Any, Any]) -> float | None:
    """In pieces, so that no second column of numbers is made."""
    if len(numbers) < 2:
        return None
    mean = numbers.mean()
    total = 0.0
    for start in range(0, len(numbers), _PIECE):
        away = numbers[start : start + _PIECE] - mean
        total += float(away @ away)
    return float((total / (len(numbers) - 1)) ** 0.5)


def interpolated(numbers: Any, share: float) -> float:
    """Of sorted numbers; between two of them it is interpolated."""
    place = share * (len(numbers) - 1)
    low = math.floor(place)
    below, above = float(numbers[low]), float(numbers[math.ceil(place)])
    return below + (above - below) * (place - low)


def _runs(
    values: numpy.ndarray[Any, Any],
) -> tuple[int, numpy.ndarray[Any, Any]]:
    """How many different values sorted ones have, and the most frequent: of equals the smaller."""
    starts = _starts(values)
    if len(starts) == len(values):
        return len(values), values[:TOP_KEPT]
    most: list[tuple[int, int]] = []
    for at in range(0, len(starts), _PIECE):
        most = sorted(most + _longest(starts, at, len(values)))[:TOP_KEPT]
    return len(starts), values[[int(starts[place]) for _, place in most]]


def _starts(values: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
    """Where each run of equal values begins: in pieces, since there may be as many as values."""
    import numpy

    pieces = range(1, len(values), _PIECE)
    changes = sum(numpy.count_nonzero(_changes(values, at)) for at in pieces)
    starts = numpy.zeros(changes + 1, numpy.uint32 if len(values) < 2**32 else numpy.uint64)
    filled = 1
    for at in pieces:
        found = numpy.flatnonzero(_changes(values, at))
        starts[filled : filled + len(found)] = found + at
        filled += len(found)
    return starts


def _changes(values: numpy.ndarray[Any, Any], at: int) -> numpy.ndarray[Any, Any]:
    """Of the piece that begins at a place: whether each value is another than the one before."""
    piece = values[at : at + _PIECE]
    changed: numpy.ndarray[Any, Any] = piece != values[at - 1 : at - 1 + len(piece)]
    return changed


def _longest(starts: numpy.ndarray[Any, Any], at: int, end: int) -> list[tuple[int, int]]:
    """The longest runs of the piece that begins at a place: lengths below zero, and places."""
    import numpy

    piece = starts[at : at + _PIECE + 1].astype(numpy.int64)
    if at + _PIECE >= len(starts):
        piece = numpy.append(piece, end)
    lengths = numpy.diff(piece)
    kept = min(TOP_KEPT, len(lengths))
    least = numpy.partition(lengths, len(lengths) - kept)[len(lengths) - kept]
    more = numpy.flatnonzero(lengths > least)
    places = [*more, *numpy.flatnonzero(lengths == least)[: kept - len(more)]]
    return [(-int(lengths[place]), at + int(place)) for place in places]


def _literal(value: str, kind: ColumnType) -> str:
    names = {"date": "DATE", "timestamp": "TIMESTAMP", "real": "DOUBLE", "integer": "HUGEINT"}
    return f"'{value}'::{names[kind]}"


def _root(value: object) -> float | None:
    number = to_number(value)
    return None if number is None else max(number, 0.0) ** 0.5
