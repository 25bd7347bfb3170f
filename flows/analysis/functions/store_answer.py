"""The answer of a columnar store as the answer to a question: its sentence, its cells cited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeGuard

from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.data.answers.numbers import WrittenNumber, find_numbers

# The keys by which such a result is known; `rows` are the records that the sentence is about.
_KEYS: Final = frozenset(["answer", "confidence", "rows", "read_as"])
_MOST_ROWS: Final = 200
_SHORTEST: Final = 2


def is_store_answer(data: Any) -> TypeGuard[Mapping[str, Any]]:
    """Whether a result is the answer of a columnar store."""
    return (
        isinstance(data, Mapping) and data.keys() >= _KEYS and isinstance(data["answer"], str)
        and isinstance(data["confidence"], int | float) and isinstance(data["rows"], list)
    )  # fmt: skip


def store_answer(data: Any) -> tuple[str, Mapping[str, Any]] | None:
    """The answer of a columnar store and its JSON pointer: the whole result, or the first result of
    a search over several stores."""
    if is_store_answer(data):
        return "", data
    results = data.get("results") if isinstance(data, Mapping) and "stores" in data else None
    first = results[0] if isinstance(results, list) and results else None
    value = first.get("value") if isinstance(first, Mapping) else None
    return ("/results/0/value", value) if is_store_answer(value) else None


def store_citations(
    result: CallResult, at: str, data: Mapping[str, Any]
) -> tuple[ResultCitation, ...]:
    """Where each number of the sentence of the answer at a pointer stands: in a cell of the rows,
    else in the sentence, which the store has computed; and the cells that stand in it word for
    word."""
    answer: str = data["answer"]
    cells = [(f"{at}{path}", value) for path, value in _cells(data["rows"][:_MOST_ROWS])]
    found: dict[tuple[str, str], ResultCitation] = {}
    for written in find_numbers(answer):
        path = next((at for at, value in cells if _is_number_of(written, value)), f"{at}/answer")
        cited = ResultCitation(call=result.number, path=path, value=written.text)
        found.setdefault((path, written.text), cited)
    for path, value in cells:
        if isinstance(value, str) and len(value) >= _SHORTEST and value in answer:
            found.setdefault(
                (path, value), ResultCitation(call=result.number, path=path, value=value)
            )
    return tuple(found.values())


def _cells(rows: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    for number, row in enumerate(rows):
        if isinstance(row, Mapping):
            for name, value in row.items():
                key = str(name).replace("~", "~0").replace("/", "~1")
                yield f"/rows/{number}/{key}", value


def _is_number_of(written: WrittenNumber, value: Any) -> bool:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return isinstance(value, str) and written.text in value
    scaled = (value, value * 100) if written.percent else (value,)
    return any(reading.fits(each) for reading in written.readings for each in scaled)
