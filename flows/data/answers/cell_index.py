"""The cells of results, laid out so that those that a number may be are found without a search."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from flows.core.observation import Cell
from flows.data.answers.citations import NamedResult
from flows.data.answers.numbers import WrittenNumber, plain_number
from flows.data.answers.scores import is_dated

# The latest results first; a result that has more is looked at from its first row.
CELLS_READ: Final = 300_000
_CANDIDATES: Final = 300
_YEARS: Final = range(1000, 3000)
_LONGEST_NAME: Final = 300
_SHORTEST_NAME: Final = 2
_CLOCK: Final = re.compile(r"\d{1,2}:\d{2}")


class CellSpot(NamedTuple):
    """A cell: the number of its result, its row, its column."""

    result: int
    row: int
    column: int


class CellIndex:
    """Numbers by value, dates and times by their beginning, names of rows by their text."""

    def __init__(self, results: Sequence[NamedResult]) -> None:
        self.results = results
        self.names: dict[str, list[CellSpot]] = defaultdict(list)
        self._dated: dict[str, list[CellSpot]] = defaultdict(list)
        found: list[tuple[float, CellSpot]] = []
        for spot, cell in _spots(results):
            self._note_text(spot, cell)
            number = plain_number(cell) if isinstance(cell, str) else cell
            if number is not None and not isinstance(number, bool):
                found.append((float(number), spot))
        found.sort()
        self._values = [value for value, _ in found]
        self._spots = [spot for _, spot in found]

    def _note_text(self, spot: CellSpot, cell: Cell) -> None:
        if isinstance(cell, str):
            if is_dated(cell):
                for form in (cell[:10], cell[:7], cell[4:10], cell[:4]):
                    self._dated[form].append(spot)
            elif _CLOCK.match(cell):
                self._dated[cell[:5]].append(spot)
        if name := name_of(cell):
            self.names[name].append(spot)

    def cell(self, spot: CellSpot) -> Cell:
        return self.results[spot.result].rows[spot.row][spot.column]

    def candidates(self, written: WrittenNumber) -> Iterator[CellSpot]:
        """The cells that the number may be, at most `_CANDIDATES` of each way to read it."""
        forms = [form[:10] for form in written.forms] or [written.text[:5], written.text]
        if written.kind != "number" or written.is_integer:
            for form in forms:
                yield from self._dated.get(form, ())[-_CANDIDATES:]
        for reading in written.readings:
            room = reading.step / 2 + 2e-9 * abs(reading.value)
            for value in (reading.value, -reading.value) if reading.value > 0 else (reading.value,):
                for scale in _scales(written):
                    yield from self._between((value - room) / scale, (value + room) / scale)

    def _between(self, low: float, high: float) -> Sequence[CellSpot]:
        """Of too many the exact ones in the middle are the likeliest."""
        first, last = bisect_left(self._values, low), bisect_right(self._values, high)
        if last - first > _CANDIDATES:
            middle = (low + high) / 2
            end = bisect_right(self._values, middle + 1e-9 * abs(middle))
            start = bisect_left(self._values, middle - 1e-9 * abs(middle))
            first = max(first, min(start, last - _CANDIDATES), end - _CANDIDATES)
            last = min(last, first + _CANDIDATES)
        return self._spots[first:last]


def _scales(written: WrittenNumber) -> tuple[float, ...]:
    scales = (1.0, 100.0) if written.percent else (1.0,)
    return scales if written.scaled == 1 else (*scales, written.scaled)


def _spots(results: Sequence[NamedResult]) -> Iterator[tuple[CellSpot, Cell]]:
    left = CELLS_READ
    for place in range(len(results) - 1, -1, -1):
        rows = results[place].rows
        kept = min(len(rows), left // max(1, len(results[place].columns)))
        left -= kept * len(results[place].columns)
        for number in range(kept):
            for column, cell in enumerate(rows[number]):
                yield CellSpot(place, number, column), cell


def name_of(cell: Cell) -> str:
    """What names a row: a text, or a year; a number that is kept as text does not."""
    if isinstance(cell, str):
        name = cell.strip().casefold()
        long = not _SHORTEST_NAME <= len(name) <= _LONGEST_NAME
        return "" if long or plain_number(name) is not None else name
    is_year = isinstance(cell, int) and not isinstance(cell, bool) and cell in _YEARS
    return str(cell) if is_year else ""
