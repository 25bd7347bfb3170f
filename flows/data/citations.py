"""Citations: for every number of an answer, the cell, the count or the words that it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from flows.core.observation import Cell, Preview
from flows.data.derived import CellNumber, derive
from flows.data.numbers import WORDS, Reading, WrittenNumber, find_numbers
from flows.data.tables import ResultTable

Origin = Literal["cell", "derived", "rows", "question", "query", "none"]


class Citation(BaseModel):
    """Where a number of an answer comes from.

    `text` stands at `start`:`end` of the answer. `cell`: `value` is exactly what stands in `row`
    (from 0) and `column` of the result. `derived`: `formula` works it out from that column's cells
    in the rows `rows_used`, whose numbers stand in the same sentence. `rows`: the result has
    `value` rows. `question` and `query`: the number was given there. `none`: nothing that was found
    holds it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    start: int
    end: int
    origin: Origin
    result: str | None = None
    row: int | None = None
    column: str | None = None
    value: Cell = None
    sql: str | None = None
    formula: str | None = None
    rows_used: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NamedResult:
    """A result that an answer may speak of. `total_rows` is None when there were more to come."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sql: str | None
    total_rows: int | None

    @classmethod
    def of_table(cls, name: str, table: ResultTable) -> NamedResult:
        total = None if table.truncated else len(table.rows)
        return cls(name, table.columns, table.rows, table.sql, total)

    @classmethod
    def of_preview(cls, name: str, table: Preview) -> NamedResult:
        total = None if table.truncated else table.total_rows
        return cls(name, table.columns, table.rows, table.sql, total)


# How much each kind of origin speaks for itself. A cell gains when the answer names its row.
_EXACT_CELL = 60
_ROUNDED_CELL = 55
_SMALL_CELL = 30
_SMALL_ROUNDED_CELL = 15
_DATED_CELL = 50
_NAMED_TEXT = 120
_QUESTION = 65
_ROWS = 35
_QUERY = 33
_IN_SENTENCE = 30
_IN_ANSWER = 10
_COLUMN_NAMED = 8
_ONLY_ROW = 10
_OTHER_FORM = -5
_OTHER_SIGN = -12
_SMALL = 20
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+(?=\S)|\n+")
_NUMBER_TEXT = re.compile(r"[+-]?\d+(?:\.\d+)?")
_PERCENT_NAME = re.compile(r"%|perc|pct|share|rate|ratio|proportion|fraction", re.IGNORECASE)
_SHORTEST_NAME = 2
_CELLS_TRIED = 4
_YEARS = range(1000, 3000)


@dataclass(frozen=True, slots=True)
class _Found:
    score: float
    citation: Citation


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a result with the places where the answer names its texts."""

    result: NamedResult
    number: int
    cells: tuple[Cell, ...]
    named: tuple[tuple[int, int], ...]
    recency: float


def cite(answer: str, results: Sequence[NamedResult], question: str) -> tuple[Citation, ...]:
    """The origin of every number in the prose of an answer, in the order of the text.

    A number fits a cell when the cell, rounded to the digits that are written, is that number;
    percent and "million" are understood. `results` are in the order in which they were found; of
    equal origins the latest counts.
    """
    rows = [
        _Row(
            result,
            number,
            cells,
            tuple(_places(answer, cells)),
            recency=4 * (position + 1) / len(results),
        )
        for position, result in enumerate(results)
        for number, cells in enumerate(result.rows)
    ]
    asked = list(find_numbers(question)) + list(_spelled_out(question))
    literals = [
        (result, number)
        for result in results
        for number in find_numbers((result.sql or "").replace(",", ", "))
    ]
    numbers = list(find_numbers(answer))
    sentences = [_sentence(answer, written) for written in numbers]
    found: list[list[_Found]] = []
    for written, sentence in zip(numbers, sentences, strict=True):
        fits = [*_in_cells(written, rows, answer, sentence), *_in_question(written, asked)]
        fits += [*_in_counts(written, results), *_in_queries(written, literals)]
        found.append(sorted(fits, key=lambda each: each.score, reverse=True))
    citations = [
        fits[0].citation if fits else _citation(written, "none")
        for written, fits in zip(numbers, found, strict=True)
    ]
    return tuple(_with_derived(numbers, sentences, found, citations))


def _with_derived(
    numbers: Sequence[WrittenNumber],
    sentences: Sequence[tuple[int, int]],
    found: Sequence[Sequence[_Found]],
    citations: Sequence[Citation],
) -> Iterator[Citation]:
    """The citations, with numbers that nothing holds worked out from cells of their sentence."""
    for place, citation in enumerate(citations):
        cells = [
            cell
            for other, fits in enumerate(found)
            if sentences[other] == sentences[place]
            for cell in _cells_of(fits)
        ]
        derived = derive(numbers[place], cells) if citation.origin == "none" else None
        if derived is None:
            yield citation
            continue
        first = derived.cells[0]
        yield citation.model_copy(
            update={
                "origin": "derived",
                "result": first.result,
                "column": first.column,
                "value": derived.value,
                "sql": first.sql,
                "formula": derived.formula,
                "rows_used": tuple(cell.row for cell in derived.cells),
            }
        )


def _cells_of(fits: Sequence[_Found]) -> Iterator[CellNumber]:
    """The cells that a number of the answer may be, the likeliest first."""
    for each in fits[:_CELLS_TRIED]:
        cell = each.citation
        if cell.result is None or cell.row is None or cell.column is None:
            continue
        if isinstance(cell.value, int | float):
            yield CellNumber(cell.result, cell.row, cell.column, float(cell.value), cell.sql)


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


def _in_cells(
    written: WrittenNumber, rows: Sequence[_Row], answer: str, sentence: tuple[int, int]
) -> Iterator[_Found]:
    words = answer[sentence[0] : sentence[1]].casefold()
    for row in rows:
        nearness = _nearness(written, row, sentence)
        bonus = row.recency + nearness
        for column, cell in zip(row.result.columns, row.cells, strict=True):
            score = _cell_score(written, cell, column, row, answer)
            if score is None or (score <= _SMALL_ROUNDED_CELL and not nearness):
                continue  # nearly every table has a cell that rounds to a small number
            named = _COLUMN_NAMED if _mentions(words, column) else 0
            citation = _citation(written, "cell", row.result, row.number, column, cell)
            yield _Found(score + bonus + named, citation)


def _nearness(written: WrittenNumber, row: _Row, sentence: tuple[int, int]) -> float:
    """What it is worth that the answer names this row, most of all just beside the number."""
    if len(row.result.rows) == 1:
        return _ONLY_ROW + (_IN_SENTENCE if row.named else 0)
    inside = [place for place in row.named if sentence[0] <= place[0] < sentence[1]]
    if not inside:
        return _IN_ANSWER if row.named else 0
    distance = min(min(abs(written.start - end), abs(start - written.end)) for start, end in inside)
    return _IN_SENTENCE + 10 / (1 + distance / 10) + 3 * min(len(inside), 3)


def _cell_score(
    written: WrittenNumber, cell: Cell, column: str, row: _Row, answer: str
) -> float | None:
    """How well a cell explains a number; None when it does not."""
    if isinstance(cell, bool) or cell is None:
        return None
    if isinstance(cell, str):
        return _text_score(written, cell, column, row, answer)
    if written.kind != "number":
        return None
    return _number_score(written, float(cell), column)


def _text_score(
    written: WrittenNumber, cell: str, column: str, row: _Row, answer: str
) -> float | None:
    for start, end in row.named:
        if (
            start <= written.start
            and written.end <= end
            and answer[start:end].casefold() == (cell.casefold())
        ):
            return _NAMED_TEXT
    if written.kind != "number":
        written_text = written.text.replace("T", " ")
        return _EXACT_CELL if cell.replace("T", " ").startswith(written_text) else None
    if re.match(r"\d{4}-\d{2}-\d{2}", cell) and written.is_integer:
        return _DATED_CELL if written.text == cell[:4] else None
    if _NUMBER_TEXT.fullmatch(cell.strip()):
        return _number_score(written, float(cell), column)
    return None


def _number_score(written: WrittenNumber, number: float, column: str) -> float | None:
    for order, reading in enumerate(written.readings):
        for form, cost in _forms(written, number, column):
            if reading.fits(form):
                return _fit_score(written, reading, form) + cost - 3 * order
            if reading.value > 0 > form and reading.fits(-form):
                return _fit_score(written, reading, -form) + cost + _OTHER_SIGN
    return None


def _forms(written: WrittenNumber, number: float, column: str) -> Iterator[tuple[float, float]]:
    """The cell as it may be written: itself, as a percentage, or counted in millions already."""
    if not written.percent:
        yield number, 0
    else:
        digits = sum(each.isdigit() for each in written.text.strip("0."))
        # A few digits fit many cells: then the column has to say that it holds percentages.
        if digits > 2 or number == written.readings[0].value or _PERCENT_NAME.search(column):
            yield number, 0
        yield number * 100, _OTHER_FORM
    if written.scaled != 1:
        yield number * written.scaled, _OTHER_FORM


def _fit_score(written: WrittenNumber, reading: Reading, number: float) -> float:
    exact = abs(number - reading.value) <= 1e-9 * max(1.0, abs(number))
    small = written.is_integer and abs(reading.value) <= _SMALL
    if small:
        return _SMALL_CELL if exact else _SMALL_ROUNDED_CELL
    return _EXACT_CELL if exact else _ROUNDED_CELL


def _in_question(written: WrittenNumber, asked: Sequence[WrittenNumber]) -> Iterator[_Found]:
    for number in asked:
        if _same(written, number):
            citation = _citation(written, "question", value=_value(number))
            yield _Found(_QUESTION, citation)


def _in_counts(written: WrittenNumber, results: Sequence[NamedResult]) -> Iterator[_Found]:
    if not written.is_integer or written.percent:
        return
    for position, result in enumerate(results):
        if result.total_rows is not None and result.total_rows == written.readings[0].value:
            citation = _citation(written, "rows", result, value=result.total_rows)
            yield _Found(_ROWS + position / len(results), citation)


def _in_queries(
    written: WrittenNumber, literals: Sequence[tuple[NamedResult, WrittenNumber]]
) -> Iterator[_Found]:
    for position, (result, number) in enumerate(literals):
        if _same(written, number):
            citation = _citation(written, "query", result, value=_value(number))
            yield _Found(_QUERY + position / len(literals), citation)


def _same(one: WrittenNumber, other: WrittenNumber) -> bool:
    if one.kind != "number" or other.kind != "number":
        return one.text == other.text or (other.kind == "date" and one.text == other.text[:4])
    return any(
        abs(a.value - b.value) <= 1e-9 * max(1.0, abs(b.value))
        for a in one.readings
        for b in other.readings
    )


def _value(number: WrittenNumber) -> Cell:
    if not number.readings:
        return number.text
    value = number.readings[0].value
    return int(value) if value.is_integer() else value


def _spelled_out(question: str) -> Iterator[WrittenNumber]:
    for match in re.finditer(r"[a-z]+", question.casefold()):
        if match[0] in WORDS:
            reading = Reading(float(WORDS[match[0]]), 1.0)
            yield WrittenNumber(match[0], match.start(), match.end(), "number", (reading,))


def _sentence(answer: str, written: WrittenNumber) -> tuple[int, int]:
    """Start and end of the sentence or line that a number stands in."""
    start, end = 0, len(answer)
    for match in _SENTENCE_END.finditer(answer):
        if match.end() <= written.start:
            start = match.end()
        elif match.start() >= written.end:
            end = match.start()
            break
    return start, end


def _places(answer: str, cells: Sequence[Cell]) -> Iterator[tuple[int, int]]:
    """Where the answer names the texts of a row, as whole words."""
    folded = answer.casefold()
    if len(folded) != len(answer):  # a letter changed its length: offsets would be wrong
        folded = answer.lower() if len(answer.lower()) == len(answer) else answer
    for cell in cells:
        word = _name_of(cell)
        if len(word) < _SHORTEST_NAME:
            continue
        start = folded.find(word)
        while start != -1:
            end = start + len(word)
            if not (folded[:start][-1:].isalnum() or folded[end : end + 1].isalnum()):
                yield start, end
            start = folded.find(word, end)


def _name_of(cell: Cell) -> str:
    """What names a row: a text, or a year; a number that is kept as text does not."""
    if isinstance(cell, str):
        return "" if _NUMBER_TEXT.fullmatch(cell.strip()) else cell.strip().casefold()
    is_year = isinstance(cell, int) and not isinstance(cell, bool) and cell in _YEARS
    return str(cell) if is_year else ""


def _mentions(words: str, column: str) -> bool:
    parts = [part for part in re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", column) if len(part) > 2]
    return bool(parts) and all(part.casefold() in words for part in parts)
