"""How well a cell explains a number of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from flows.core.observation import Cell
from flows.data.answers.numbers import NumberReading, WrittenNumber, plain_number

# How much each kind of origin speaks for itself. A cell gains when the answer names its row.
EXACT_CELL: Final = 60
ROUNDED_CELL: Final = 55
SMALL_CELL: Final = 30
SMALL_ROUNDED_CELL: Final = 15
DATED_CELL: Final = 50
NAMED_TEXT: Final = 120
QUESTION: Final = 65
ROWS: Final = 35
QUERY: Final = 33
_OTHER_FORM: Final = -5
_OTHER_SIGN: Final = -12
_SMALL: Final = 20
_PERCENT_NAME: Final = re.compile(r"%|perc|pct|share|rate|ratio|proportion|fraction", re.IGNORECASE)


def cell_score(written: WrittenNumber, cell: Cell, column: str) -> float | None:
    """How well a cell explains a number; None when it does not."""
    if isinstance(cell, bool) or cell is None:
        return None
    if not isinstance(cell, str):
        return _number_score(written, float(cell), column) if written.readings else None
    if written.kind != "number":
        return EXACT_CELL if _says(cell, written) else None
    number = plain_number(cell)
    if number is not None:
        return _number_score(written, float(number), column)
    if is_dated(cell) and written.is_integer:
        return DATED_CELL if written.text == cell[:4] else None
    return None


def is_dated(cell: str) -> bool:
    """Whether a text begins with a date."""
    return re.match(r"\d{4}-\d{2}-\d{2}", cell) is not None


def _says(cell: str, written: WrittenNumber) -> bool:
    """Whether a text is the date or the time that is written, or one within it."""
    if not written.forms:
        return cell.startswith(written.text)
    plain = cell.replace("T", " ")
    return any(
        plain.startswith(form) or (form.startswith("-") and plain[4:].startswith(form))
        for form in written.forms
    )


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


def _fit_score(written: WrittenNumber, reading: NumberReading, number: float) -> float:
    exact = abs(number - reading.value) <= 1e-9 * max(1.0, abs(number))
    small = written.is_integer and abs(reading.value) <= _SMALL
    if small:
        return SMALL_CELL if exact else SMALL_ROUNDED_CELL
    return EXACT_CELL if exact else ROUNDED_CELL
