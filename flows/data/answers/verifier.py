"""Verifying a text that a model wrote: for each number the cell, the count or the words behind it.

The work is bounded whatever the answer and the results are: of the answer the first numbers are
looked at, of the results the latest cells, and of the cells that a number may be the likeliest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.core.observation import Cell
from flows.data.answers.cell_index import CellIndex, CellSpot
from flows.data.answers.citations import Citation, NamedResult, Origin
from flows.data.answers.derivations import CellNumber, derive
from flows.data.answers.named_rows import NamedRows, Span
from flows.data.answers.number_words import find_spelled
from flows.data.answers.numbers import WrittenNumber, find_numbers
from flows.data.answers.scores import (
    NAMED_TEXT,
    QUERY,
    QUESTION,
    ROWS,
    SMALL_ROUNDED_CELL,
    cell_score,
)

NUMBERS_READ: Final = 10_000
CHARACTERS_READ: Final = 500_000
_QUESTION_CHARACTERS: Final = 100_000
_CELLS_SCORED: Final = 400_000
_FEW: Final = 12
_COLUMN_NAMED: Final = 8
_CELLS_KEPT: Final = 4
_DERIVED: Final = 300
_BESIDE: Final = 8
# A small number in words, such as "the two of them", says nothing that would have to be traced.
_SMALL_WORD: Final = 20


@dataclass(frozen=True, slots=True)
class _Found:
    score: float
    citation: Citation


def cite(
    answer: str,
    results: Sequence[NamedResult],
    question: str,
    known: Sequence[Citation] = (),
) -> tuple[Citation, ...]:
    """The origin of every number in the prose of an answer, in the order of the text.

    A number fits a cell when the cell, rounded to the digits that are written, is that number;
    percent, "million" and dates are understood. `results` are in the order in which they were
    found; of equal origins the latest counts. What is `known` already is not looked for.
    """
    numbers = _unknown(answer[:CHARACTERS_READ], known)
    found = _Verifier(answer, results, question).citations(numbers[:NUMBERS_READ])
    left = (_citation(written, "none") for written in numbers[NUMBERS_READ:])
    return tuple(sorted([*known, *found, *left], key=lambda each: each.start))


def _unknown(answer: str, known: Sequence[Citation]) -> list[WrittenNumber]:
    """The numbers of an answer that no citation stands for yet."""
    ends = sorted((each.start, each.end) for each in known)
    both = sorted([*find_numbers(answer), *find_spelled(answer)], key=lambda each: each.start)
    kept: list[WrittenNumber] = []
    place = last = 0
    for written in both:
        while place < len(ends) and ends[place][1] <= written.start:
            place += 1
        taken = place < len(ends) and ends[place][0] < written.end
        if not taken and written.start >= last:
            kept.append(written)
            last = written.end
    return kept


class _Verifier:
    """Looks for the numbers of one answer."""

    def __init__(self, answer: str, results: Sequence[NamedResult], question: str) -> None:
        self.results = results
        self.index = CellIndex(results)
        self.rows = NamedRows(answer[:CHARACTERS_READ], self.index)
        self.asked = _by_value((None, each) for each in _given(question))
        self.literals = _by_value(
            (place, number)
            for place, result in enumerate(results)
            for number in _given((result.sql or "").replace(",", ", "))
        )
        self.budget = _CELLS_SCORED
        self.named: dict[tuple[str, Span], bool] = {}

    def citations(self, numbers: Sequence[WrittenNumber]) -> Iterator[Citation]:
        found = [self._find(written) for written in numbers]
        sentences = [self.rows.sentence(written.start) for written in numbers]
        tried = 0
        for place, fits in enumerate(found):
            written = numbers[place]
            if fits:
                yield fits[0].citation
                continue
            derived = None
            if tried < _DERIVED:
                tried += 1
                derived = _derived(written, _beside(place, sentences, found))
            if derived is not None or not _is_small_word(written):
                yield derived or _citation(written, "none")

    def _find(self, written: WrittenNumber) -> list[_Found]:
        """The likeliest origins of a number, the best first."""
        sentence = self.rows.sentence(written.start)
        fits = [*self._in_cells(written, sentence), *self._in_names(written, sentence)]
        fits += [*self._in_question(written), *self._in_counts(written), *self._in_queries(written)]
        return sorted(fits, key=lambda each: each.score, reverse=True)[:_CELLS_KEPT]

    def _in_cells(self, written: WrittenNumber, sentence: Span) -> Iterator[_Found]:
        best: list[tuple[float, CellSpot]] = []
        for spot in self._spots(written, sentence):
            if self.budget < 0 and len(best) >= _FEW:
                break
            self.budget -= 1
            column = self.results[spot.result].columns[spot.column]
            score = cell_score(written, self.index.cell(spot), column)
            if score is None:
                continue
            nearness = self.rows.nearness(written, spot, sentence)
            if score <= SMALL_ROUNDED_CELL and not nearness:
                continue  # nearly every table has a cell that rounds to a small number
            named = _COLUMN_NAMED if self._is_named(column, sentence) else 0
            best.append((score + nearness + named + self._recency(spot.result), spot))
        best.sort(key=lambda each: (-each[0], each[1]))
        for score, spot in best[:_CELLS_KEPT]:
            yield _Found(score, self._cell_citation(written, spot))

    def _spots(self, written: WrittenNumber, sentence: Span) -> Iterator[CellSpot]:
        """The cells that the number may be, each once; those of named rows too."""
        seen: set[CellSpot] = set()
        for row in self.rows.likely(sentence):
            if self.budget < 0:
                break
            for column in range(len(self.results[row.result].columns)):
                seen.add(spot := row._replace(column=column))
                yield spot
        for spot in self.index.candidates(written):
            if spot not in seen:
                seen.add(spot)
                yield spot

    def _is_named(self, column: str, sentence: Span) -> bool:
        key = column, sentence
        if key not in self.named:
            self.named[key] = _mentions(self.rows.words_of(sentence), column)
        return self.named[key]

    def _recency(self, result: int) -> float:
        return 4 * (result + 1) / len(self.results)

    def _cell_citation(self, written: WrittenNumber, spot: CellSpot) -> Citation:
        result = self.results[spot.result]
        column = result.columns[spot.column]
        return _citation(written, "cell", result, spot.row, column, self.index.cell(spot))

    def _in_names(self, written: WrittenNumber, sentence: Span) -> Iterator[_Found]:
        """The texts of cells that the number is a part of, as in `Class 9`."""
        for name, _ in self.rows.around(written):
            for spot in self.index.names[name][-_FEW:]:
                if isinstance(self.index.cell(spot), str):
                    score = NAMED_TEXT + self._recency(spot.result)
                    score += self.rows.nearness(written, spot, sentence)
                    yield _Found(score, self._cell_citation(written, spot))

    def _in_question(self, written: WrittenNumber) -> Iterator[_Found]:
        for _, number in _same(written, self.asked):
            yield _Found(QUESTION, _citation(written, "question", value=_value(number)))

    def _in_counts(self, written: WrittenNumber) -> Iterator[_Found]:
        if not written.is_integer or written.percent:
            return
        for place, result in enumerate(self.results):
            if result.total_rows is not None and result.total_rows == written.readings[0].value:
                citation = _citation(written, "rows", result, value=result.total_rows)
                yield _Found(ROWS + place / len(self.results), citation)

    def _in_queries(self, written: WrittenNumber) -> Iterator[_Found]:
        for place, number in _same(written, self.literals):
            assert place is not None
            result = self.results[place]
            citation = _citation(written, "query", result, value=_value(number))
            yield _Found(QUERY + place / len(self.results), citation)


_Given = tuple[int | None, WrittenNumber]


def _given(text: str) -> list[WrittenNumber]:
    """The numbers that a question or a query gives."""
    text = text[:_QUESTION_CHARACTERS]
    return [*find_numbers(text), *find_spelled(text)]


def _by_value(numbers: Iterator[_Given]) -> dict[str, list[_Given]]:
    found: dict[str, list[_Given]] = defaultdict(list)
    for place, number in numbers:
        for key in _keys(number):
            if len(found[key]) < _FEW:
                found[key].append((place, number))
        if number.kind == "date":
            found[number.text[:4]].append((place, number))
    return found


def _keys(number: WrittenNumber) -> list[str]:
    """What two numbers have in common that are the same."""
    if number.kind != "number" or not number.readings:
        return list(number.forms or (number.text,))
    return [f"{reading.value:.9g}" for reading in number.readings]


def _same(written: WrittenNumber, given: dict[str, list[_Given]]) -> list[_Given]:
    found = (each for key in _keys(written) for each in given.get(key, ()))
    return list({id(number): (place, number) for place, number in found}.values())


def _beside(
    place: int, sentences: Sequence[Span], found: Sequence[Sequence[_Found]]
) -> list[CellNumber]:
    """The cells that stand in the same sentence near a number, at most `_BESIDE` to each side."""
    near = range(max(0, place - _BESIDE), min(len(found), place + _BESIDE + 1))
    inside = (found[other] for other in near if sentences[other] == sentences[place])
    return [cell for fits in inside for cell in _cells_of(fits)]


def _cells_of(fits: Sequence[_Found]) -> Iterator[CellNumber]:
    """The cells that a number of the answer may be, the likeliest first."""
    for each in fits:
        cell = each.citation
        if cell.result is None or cell.row is None or cell.column is None:
            continue
        if isinstance(cell.value, int | float):
            yield CellNumber(cell.result, cell.row, cell.column, float(cell.value), cell.sql)


def _derived(written: WrittenNumber, cells: Sequence[CellNumber]) -> Citation | None:
    """The number worked out from cells of its sentence."""
    found = derive(written, cells)
    if found is None:
        return None
    first = found.cells[0]
    made = {
        "result": first.result,
        "column": first.column,
        "value": found.value,
        "sql": first.sql,
        "formula": found.formula,
        "rows_used": tuple(cell.row for cell in found.cells),
    }
    return _citation(written, "derived").model_copy(update=made)


def _citation(
    written: WrittenNumber,
    origin: Origin,
    result: NamedResult | None = None,
    row: int | None = None,
    column: str | None = None,
    value: Cell = None,
) -> Citation:
    return Citation(
        text=written.text,
        start=written.start,
        end=written.end,
        origin=origin,
        result=None if result is None else result.name,
        row=row,
        column=column,
        value=value,
        sql=None if result is None else result.sql,
    )


def _value(number: WrittenNumber) -> Cell:
    if not number.readings:
        return number.text
    value = number.readings[0].value
    return int(value) if value.is_integer() else value


def _is_small_word(written: WrittenNumber) -> bool:
    return written.text[:1].isalpha() and all(
        reading.value <= _SMALL_WORD for reading in written.readings
    )


def _mentions(words: str, column: str) -> bool:
    parts = [part for part in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", column) if len(part) > 2]
    return bool(parts) and all(part.casefold() in words for part in parts)
