"""Whether a result is the expected one: rows in any order, columns in any order, numbers about."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

TOLERANCE: Final = 1e-6
_TRIES: Final = 5_000
_MATCHED: Final = 400
_NUMBER: Final = re.compile(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")

Row = Sequence[Any]


def same_rows(
    expected: Sequence[Row], got: Sequence[Row], *, ordered: bool = False, exact: bool = False
) -> bool:
    """Whether each expected column is a column of what was got, with the rows that it stands in.

    1 is 1.0, and numbers are the same within a millionth. Further columns are evidence and allowed,
    unless `exact`. Rows are in any order unless `ordered`; each counts as often as it stands there.
    """
    if len(expected) != len(got):
        return False
    if not expected:
        return True
    width, found = len(expected[0]), len(got[0])
    if width > found or (exact and width != found):
        return False
    return any(
        _same(expected, [[row[place] for place in places] for row in got], ordered)
        for places in _placings(expected, got, ordered)
    )


def same_answer(expected: str | float, answer: str, rows: Sequence[Row]) -> bool:
    """Whether an answer says what is expected: a text that it holds, in any case, or a number that
    it holds in the places that are written, or that is the only cell of its result."""
    cells = [cell for row in rows for cell in row]
    if len(cells) == 1 and same_value(expected, cells[0]):
        return True
    if isinstance(expected, str):
        wanted = " ".join(expected.casefold().split())
        said = " ".join(answer.casefold().split())
        return bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said))
    return any(_is_written(expected, each) for each in _NUMBER.findall(answer))


def numbers_of(text: str) -> list[float]:
    """The numbers that are written in a text."""
    return [float(each.replace(",", "")) for each in _NUMBER.findall(text)]


def same_value(one: Any, other: Any) -> bool:
    """Whether two cells are the same: numbers within the tolerance, anything else exactly."""
    if _is_number(one) and _is_number(other):
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=1e-12)
    if _is_number(one) or _is_number(other):
        return False
    return _missing(one) == _missing(other) if not isinstance(one, str) else bool(one == other)


def _placings(
    expected: Sequence[Row], got: Sequence[Row], ordered: bool
) -> Iterator[tuple[int, ...]]:
    """Which column of what was got each expected one may be, the first guess in their own order."""
    wanted = [[row[place] for row in expected] for place in range(len(expected[0]))]
    there = [[row[place] for row in got] for place in range(len(got[0]))]
    fits = [
        [place for place, column in enumerate(there) if _same_column(each, column, ordered)]
        for each in wanted
    ]
    yield from islice(_distinct(fits, ()), _TRIES)


def _distinct(fits: Sequence[Sequence[int]], taken: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    if len(taken) == len(fits):
        yield taken
        return
    for place in fits[len(taken)]:
        if place not in taken:
            yield from _distinct(fits, (*taken, place))


def _same_column(one: Sequence[Any], other: Sequence[Any], ordered: bool) -> bool:
    return _same([[each] for each in one], [[each] for each in other], ordered)


def _same(expected: Sequence[Row], got: Sequence[Row], ordered: bool) -> bool:
    if ordered:
        return _all_same(expected, got)
    if _all_same(sorted(expected, key=_key), sorted(got, key=_key)):
        return True
    # Numbers at the edge of a rounding may be sorted another way; few rows can be looked for.
    return len(expected) <= _MATCHED and _matched(expected, got)


def _matched(expected: Sequence[Row], got: Sequence[Row]) -> bool:
    left = list(got)
    for row in expected:
        place = next((at for at, each in enumerate(left) if _same_row(row, each)), None)
        if place is None:
            return False
        del left[place]
    return True


def _all_same(expected: Sequence[Row], got: Sequence[Row]) -> bool:
    return all(_same_row(one, other) for one, other in zip(expected, got, strict=True))


def _same_row(one: Row, other: Row) -> bool:
    return all(same_value(a, b) for a, b in zip(one, other, strict=True))


def _key(row: Row) -> tuple[tuple[int, float, str], ...]:
    return tuple(_sortable(value) for value in row)


def _sortable(value: Any) -> tuple[int, float, str]:
    if _is_number(value):
        return (1, float(f"{float(value):.5g}"), "")
    return (0, 0.0, "") if _missing(value) is None else (2, 0.0, str(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not (isinstance(value, float) and math.isnan(value))


def _missing(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _is_written(expected: float, text: str) -> bool:
    """Whether a number in a text is the expected one, rounded to the places that are written."""
    plain = text.replace(",", "")
    places = len(plain.partition(".")[2]) if "e" not in plain.lower() else 0
    written = float(plain)
    if math.isclose(written, expected, rel_tol=TOLERANCE, abs_tol=1e-12):
        return True
    return places > 0 and math.isclose(written, round(expected, places), abs_tol=1e-12)
