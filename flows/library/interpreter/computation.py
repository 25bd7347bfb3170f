"""Values of an answer that were worked out from several places of the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, Final

from flows.analysis.functions.decision import ResultCitation

OPERATIONS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = {
    "sum": fsum,
    "mean": lambda values: fsum(values) / len(values),
    "min": min,
    "max": max,
    "difference": lambda values: abs(values[0] - values[-1]),
}


def computed_over(citation: ResultCitation, at: Callable[[int, str], Any]) -> float | None:
    """What the operation of a citation gives over its places; None where it gives nothing. `at`
    tells what stands in the result of a call, by its number, at a pointer; None for nothing."""
    found: list[Any] = []
    for place in citation.over:
        number, _, path = place.partition(":")
        found.append(at(int(number), path) if number.isdecimal() else None)
    if not found or any(each is None for each in found):
        return None
    if citation.operation == "count":
        return float(len(found))
    work = OPERATIONS.get(citation.operation)
    numbers = [float(e) for e in found if isinstance(e, int | float) and not isinstance(e, bool)]
    return work(numbers) if work is not None and len(numbers) == len(found) else None
