"""What references come to: the cells of results, and functions of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import Final

from flows.core.observation import Cell
from flows.data.answers.cell_formats import number
from flows.data.answers.citations import Citation, NamedResult, Origin
from flows.data.answers.numbers import plain_number
from flows.data.answers.references import LAST, PAIRS, CellFunction, Function, Reference, Value
from flows.errors import CitationError, nearest

_NAMES_SHOWN: Final = 12
_ROWS_USED: Final = 20
_FORMULA_CHARS: Final = 200
_PERCENT: Final = ".1%"

Number = int | float


@dataclass(frozen=True, slots=True)
class ResolvedReference:
    """What a reference comes to: its value, how it is written by itself, where it is from."""

    value: Cell
    citation: Citation
    form: str = ""


class Cells:
    """The cells of the results by name; what was worked out once is kept."""

    def __init__(self, results: Mapping[str, NamedResult]) -> None:
        self._results = results
        self._known: dict[str, ResolvedReference] = {}
        self._columns: dict[tuple[str, str], Sequence[Number]] = {}

    def found(self, value: Value) -> ResolvedReference:
        """The value of a reference. Errors: `CitationError`."""
        key = str(value)
        if key not in self._known:
            made = self._cell(value) if isinstance(value, Reference) else self._derived(value)
            cited = made.citation.model_copy(update={"reference": key})
            self._known[key] = ResolvedReference(made.value, cited, made.form)
        return self._known[key]

    def _cell(self, at: Reference) -> ResolvedReference:
        result = self._result(at.result)
        if at.column is None or at.row is None:
            raise CitationError(
                f"{at} is {'a whole column' if at.column else 'a whole result'}: say a row, as in "
                f"{at.result}[0].{at.column or 'column'}, or a function, as in count({at})"
            )
        place = self._column(result, at.column)
        if at.row >= len(result.rows):
            raise CitationError(f"{result.name} has no row {at.row}; {_rows(result)}")
        value = result.rows[at.row][place]
        return ResolvedReference(value, _cited("cell", result, at.row, at.column, value))

    def _result(self, name: str) -> NamedResult:
        if name in self._results:
            return self._results[name]
        names = list(self._results)
        if not names:
            raise CitationError(f"there is no result {name!r}: no command has given a table yet")
        if name == LAST:
            return self._results[names[-1]]
        meant = nearest(name, names)
        hint = f"; did you mean {meant}?" if meant else ""
        listed = ", ".join(names[-_NAMES_SHOWN:])
        raise CitationError(
            f"there is no result {name!r}{hint} (results: {listed}; {LAST} is {names[-1]})"
        )

    def _column(self, result: NamedResult, name: str) -> int:
        places = [place for place, each in enumerate(result.columns) if each == name]
        if len(places) == 1:
            return places[0]
        if places:
            raise CitationError(f"{result.name} has {len(places)} columns {name!r}")
        meant = nearest(name, result.columns)
        hint = f"; did you mean {meant!r}?" if meant else ""
        more = len(result.columns) - 4 * _NAMES_SHOWN
        listed = ", ".join(result.columns[: 4 * _NAMES_SHOWN]) + (f", {more} more" * (more > 0))
        raise CitationError(f"{result.name} has no column {name!r}{hint} (columns: {listed})")

    def _numbers(self, at: Reference, function: str) -> Sequence[Number]:
        """The numbers of a column, without what is missing."""
        result = self._whole(at.result, function)
        assert at.column is not None
        key = (result.name, at.column)
        if key not in self._columns:
            place = self._column(result, at.column)
            cells = (row[place] for row in result.rows)
            self._columns[key] = [_number(cell, at) for cell in cells if cell is not None]
        return self._columns[key]

    def _whole(self, name: str, function: str) -> NamedResult:
        result = self._result(name)
        if result.total_rows is None:
            raise CitationError(
                f"{result.name} was cut after {len(result.rows):,} rows, so its {function} is not "
                "known: let a command work it out"
            )
        return result

    def _derived(self, value: CellFunction) -> ResolvedReference:
        if value.function == "count":
            return self._count(value)
        terms = [self._term(each, value.function) for each in value.of]
        sources = [found for found, _ in terms]
        numbers = [each for _, given in terms for each in given]
        made = _worked_out(value.function, numbers)
        citation = sources[0].citation.model_copy(
            update={
                "origin": "derived",
                "row": None,
                "value": made,
                "formula": _formula(value.function, [_words(each) for each in sources]),
                "rows_used": _rows_used(sources),
            }
        )
        return ResolvedReference(
            made, citation, _PERCENT if value.function in ("share", "change") else ""
        )

    def _term(self, value: Value, function: Function) -> tuple[ResolvedReference, Sequence[Number]]:
        """A value that a function works on, and its numbers: those of a column are many."""
        if not isinstance(value, Reference) or value.row is not None or function in PAIRS:
            found = self.found(value)
            return found, (_number(found.value, value),)
        if value.column is None:
            return self.found(value), ()
        numbers = self._numbers(value, function)
        result = self._result(value.result)
        cited = _cited("derived", result, None, value.column, None)
        used = {
            "rows_used": tuple(range(min(len(result.rows), _ROWS_USED))),
            "formula": f"{value.column} of {len(result.rows):,} rows",
        }
        return ResolvedReference(None, cited.model_copy(update=used)), numbers

    def _count(self, value: CellFunction) -> ResolvedReference:
        (at,) = value.of if len(value.of) == 1 else (None,)
        if not isinstance(at, Reference) or at.row is not None:
            raise CitationError("count takes a result or one column, as in count(result.column)")
        result = self._whole(at.result, "count")
        if at.column is None:
            total = len(result.rows)
            return ResolvedReference(total, _cited("rows", result, None, None, total))
        place = self._column(result, at.column)
        total = sum(row[place] is not None for row in result.rows)
        cited = _cited("derived", result, None, at.column, total)
        formula = f"values of {at.column} in {len(result.rows):,} rows"
        return ResolvedReference(total, cited.model_copy(update={"formula": formula}))


def _cited(
    origin: Origin, result: NamedResult, row: int | None, column: str | None, value: Cell
) -> Citation:
    return Citation(
        text="",
        start=0,
        end=0,
        origin=origin,
        result=result.name,
        row=row,
        column=column,
        value=value,
        sql=result.sql,
    )


def _rows(result: NamedResult) -> str:
    count = len(result.rows)
    if not count:
        return "it is empty"
    return "its only row is 0" if count == 1 else f"its rows are 0 to {count - 1:,}"


def _number(cell: Cell, at: Value) -> Number:
    """A cell as a number, also one that the data keeps as text. Errors: `CitationError`."""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    found = plain_number(cell) if isinstance(cell, str) else None
    if found is None:
        what = "missing" if cell is None else f"{str(cell)[:40]!r} and no number"
        raise CitationError(f"{at} is {what}" if cell is None else f"{at} holds {what}")
    return found


def _words(found: ResolvedReference) -> str:
    formula = found.citation.formula
    if formula is None:
        return number(found.value)
    return formula if found.value is None else f"({formula})"


def _formula(function: Function, terms: Sequence[str]) -> str:
    signs = {"difference": " - ", "ratio": " / ", "share": " / "}
    if function in signs:
        text = signs[function].join(terms)
    elif function == "change":
        text = f"({terms[1]} - {terms[0]}) / |{terms[0]}|"
    else:
        text = f"{function} of {', '.join(terms)}"
    return text if len(text) <= _FORMULA_CHARS else f"{text[: _FORMULA_CHARS - 1]}…"


def _rows_used(sources: Sequence[ResolvedReference]) -> tuple[int, ...]:
    used: dict[int, None] = {}
    for each in sources:
        row = each.citation.row
        used |= dict.fromkeys(each.citation.rows_used if row is None else (row,))
    return tuple(used)[:_ROWS_USED]


def _worked_out(function: Function, numbers: Sequence[Number]) -> Number:
    """What a function gives. Errors: `CitationError` for nothing to work on, or a zero below."""
    if not numbers:
        raise CitationError(f"there is no value for {function}: all are missing")
    try:
        made = _FUNCTIONS[function](numbers)
    except (ZeroDivisionError, OverflowError) as error:
        raise CitationError(f"{function} cannot be worked out: {error}") from error
    if not isfinite(made):
        raise CitationError(f"{function} cannot be worked out: the numbers are too large")
    return made


def _sum(numbers: Sequence[Number]) -> Number:
    return sum(numbers) if all(isinstance(each, int) for each in numbers) else fsum(numbers)


_FUNCTIONS: Final[Mapping[Function, Callable[[Sequence[Number]], Number]]] = {
    "sum": _sum,
    "mean": lambda numbers: _sum(numbers) / len(numbers),
    "min": min,
    "max": max,
    "difference": lambda pair: pair[0] - pair[1],
    "ratio": lambda pair: pair[0] / pair[1],
    "share": lambda pair: pair[0] / pair[1],
    "change": lambda pair: (pair[1] - pair[0]) / abs(pair[0]),
}
