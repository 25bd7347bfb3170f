"""Measuring very many short columns: their values are fetched, a query for each would take long."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from flows.data.cells import to_cell
from flows.data.physical import quote_name
from flows.data.profiles.duckdb_facts import Fetch, interpolated
from flows.data.profiles.facts import SHARES, Facts, quantiles_of, shortened
from flows.data.tables import VALUES_KEPT, ColumnType, Frequent, Lengths

_CHUNK = 250
_NUMBERS = ("integer", "real")
_TEXTS = ("text", "other")


def measure_wide(
    table: str, columns: Sequence[tuple[str, ColumnType]], fetch: Fetch
) -> Iterator[Facts]:
    """The facts of the columns of a DuckDB table, in their order. `table` is quoted."""
    for start in range(0, len(columns), _CHUNK):
        chunk = columns[start : start + _CHUNK]
        names = [quote_name(name, "duckdb") for name, _ in chunk]
        rows = fetch(f"SELECT {', '.join(f'{n}, {n}::VARCHAR' for n in names)} FROM {table}")
        cells = list(zip(*rows, strict=True)) or [()] * (2 * len(chunk))
        for at, (_, kind) in enumerate(chunk):
            yield _measure(kind, cells[2 * at], cells[2 * at + 1])


def _measure(kind: ColumnType, values: Sequence[Any], texts: Sequence[str | None]) -> Facts:
    pairs = [
        (text if kind in _TEXTS else value, text)
        for value, text in zip(values, texts, strict=True)
        if text is not None and not (isinstance(value, float) and math.isnan(value))
    ]
    counts = Counter(text for _, text in pairs)
    first = {text: value for value, text in pairs}
    in_order = sorted(first.items(), key=lambda each: each[1])
    most = sorted(in_order, key=lambda each: -counts[each[0]])[:VALUES_KEPT]
    ends = [value for _, value in in_order if not isinstance(value, float) or math.isfinite(value)]
    numbers = sorted(
        number for value, _ in pairs if kind in _NUMBERS and math.isfinite(number := float(value))
    )
    mean = math.fsum(numbers) / len(numbers) if numbers else None
    lengths = [len(text) for _, text in pairs] if kind == "text" else []
    return Facts(
        filled=len(pairs),
        distinct=len(counts),
        minimum=shortened(to_cell(ends[0])) if ends else None,
        maximum=shortened(to_cell(ends[-1])) if ends else None,
        mean=mean,
        std=_std(numbers, mean),
        quantiles=quantiles_of([interpolated(numbers, each) for each in SHARES])
        if numbers
        else None,
        lengths=Lengths(
            shortest=min(lengths), longest=max(lengths), mean=sum(lengths) / len(lengths)
        )
        if lengths
        else None,
        common=()
        if kind == "other"
        else tuple(Frequent(value=text, count=counts[text]) for text, _ in most),
        bytes=sum(len(text.encode()) for _, text in pairs) if kind in _TEXTS else None,
    )


def _std(numbers: Sequence[float], mean: float | None) -> float | None:
    if mean is None or len(numbers) < 2:
        return None
    return math.sqrt(math.fsum((each - mean) ** 2 for each in numbers) / (len(numbers) - 1))
