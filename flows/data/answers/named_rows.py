"""Which rows an answer names, and where."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from typing import Final

from flows.data.answers.cell_index import CellIndex, CellSpot, name_of
from flows.data.answers.numbers import WrittenNumber

Span = tuple[int, int]

_NAMES_SOUGHT: Final = 20_000
_PLACES: Final = 20_000
_PLACES_OF_A_NAME: Final = 200
_ROWS_OF_A_NAME: Final = 400
_ROWS_OF_A_SENTENCE: Final = 8
_IN_SENTENCE: Final = 30
_IN_ANSWER: Final = 10
_ONLY_ROW: Final = 10
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;])\s+(?=\S)|\n+")
_WORD: Final = re.compile(r"\w+")


class NamedRows:
    """The names of an answer's rows, by sentence. Names are compared without case."""

    def __init__(self, answer: str, index: CellIndex) -> None:
        self._index = index
        self._folded = _folded(answer)
        self._places = self._find_names()
        ends = [match.span() for match in _SENTENCE_END.finditer(answer)]
        self._starts = [0, *(end for _, end in ends)]
        self._ends = [*(start for start, _ in ends), len(answer)]
        self._rows: dict[tuple[int, int], tuple[Span, ...]] = {}
        self._likely: dict[Span, list[CellSpot]] = {}
        self._around: dict[Span, dict[str, None]] = {}
        for name, places in self._places.items():
            for start, _ in places:
                self._around.setdefault(self.sentence(start), {})[name] = None

    def _find_names(self) -> dict[str, list[Span]]:
        """Where the answer has the names of rows, as whole words."""
        words = set(_WORD.findall(self._folded))
        found: dict[str, list[Span]] = {}
        sought = places = 0
        for name in self._index.names:
            first = _WORD.search(name)
            if first is None or first[0] not in words:
                continue
            sought += 1
            if sought > _NAMES_SOUGHT or places > _PLACES:
                break
            if here := list(self._occurrences(name)):
                found[name] = here
                places += len(here)
        return found

    def _occurrences(self, name: str) -> Iterator[Span]:
        text, start, count = self._folded, self._folded.find(name), 0
        while start != -1 and count < _PLACES_OF_A_NAME:
            end = start + len(name)
            if not (text[start - 1 : start].isalnum() or text[end : end + 1].isalnum()):
                yield start, end
                count += 1
            start = text.find(name, end)

    def sentence(self, position: int) -> Span:
        """Start and end of the sentence or line that a position stands in."""
        place = bisect_left(self._starts, position + 1) - 1
        return self._starts[place], self._ends[place]

    def words_of(self, sentence: Span) -> str:
        return self._folded[sentence[0] : sentence[1]]

    def around(self, written: WrittenNumber) -> Iterator[tuple[str, Span]]:
        """The names in which the number itself stands, with their places."""
        for name in self._around.get(self.sentence(written.start), ()):
            for start, end in self._places[name]:
                if start <= written.start and written.end <= end:
                    yield name, (start, end)

    def likely(self, sentence: Span) -> list[CellSpot]:
        """A cell of each of the rows that the sentence names most."""
        if sentence not in self._likely:
            counted: Counter[CellSpot] = Counter()
            for name in self._around.get(sentence, ()):
                spots = self._index.names[name][:_ROWS_OF_A_NAME]
                counted.update({CellSpot(each.result, each.row, 0) for each in spots})
            most = sorted(counted, key=lambda spot: (-counted[spot], spot))
            self._likely[sentence] = most[:_ROWS_OF_A_SENTENCE]
        return self._likely[sentence]

    def nearness(self, written: WrittenNumber, spot: CellSpot, sentence: Span) -> float:
        """What it is worth that the answer names this row, most of all just beside the number."""
        named = self._of_row(spot)
        if len(self._index.results[spot.result].rows) == 1:
            return _ONLY_ROW + (_IN_SENTENCE if named else 0)
        first = bisect_left(named, (sentence[0], 0))
        inside = named[first : bisect_left(named, (sentence[1], 0))]
        if not inside:
            return _IN_ANSWER if named else 0
        place = bisect_left(inside, (written.start, 0))
        beside = inside[max(0, place - 2) : place + 2]
        distance = min(
            min(abs(written.start - end), abs(start - written.end)) for start, end in beside
        )
        return _IN_SENTENCE + 10 / (1 + distance / 10) + 3 * min(len(inside), 3)

    def _of_row(self, spot: CellSpot) -> tuple[Span, ...]:
        key = spot.result, spot.row
        if key not in self._rows:
            cells = self._index.results[spot.result].rows[spot.row]
            names = (name_of(cell) for cell in cells)
            self._rows[key] = tuple(
                sorted(span for name in names if name for span in self._places.get(name, ()))
            )
        return self._rows[key]


def _folded(answer: str) -> str:
    """The answer without case, with every letter at its place."""
    for folded in (answer.casefold(), answer.lower()):
        if len(folded) == len(answer):
            return folded
    return answer
