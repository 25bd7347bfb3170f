"""Cells of a result in the words of an answer: as references to them where the result is kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from flows.core.observation import Cell
from flows.data.answers.cell_formats import write
from flows.data.answers.references import CellFunction, Function, Reference, in_text


@dataclass(frozen=True, slots=True)
class CitedCell:
    """A cell, and how an answer refers to it; `at` is None when its result is not kept."""

    value: Cell
    at: Reference | None = None

    @property
    def number(self) -> float:
        """The cell as a number; 0 where it is none."""
        return float(self.value) if isinstance(self.value, int | float) else 0.0

    def text(self, form: str = "") -> str:
        """The cell in a format. What has no digit needs no reference: nobody could mistake it."""
        if self.at is None or not _is_countable(self.value):
            return write(self.value, form)
        return in_text(self.at, form)

    def __format__(self, form: str) -> str:
        return self.text(form)


Row = Sequence[CitedCell]


def tell(
    columns: Sequence[str], rows: Sequence[Sequence[Cell]], result: str | None
) -> list[list[CitedCell]]:
    """The cells of a result. A column whose name stands twice cannot be referred to."""
    names = [name if columns.count(name) == 1 else None for name in columns]
    return [
        [CitedCell(cell, _at(result, row, name)) for cell, name in zip(cells, names, strict=True)]
        for row, cells in enumerate(rows)
    ]


def derived(function: Function, one: CitedCell, other: CitedCell, form: str, value: float) -> str:
    """What a function of two cells gives; `value` is the same where they are no references."""
    if one.at is None or other.at is None:
        return write(value, form)
    return in_text(CellFunction(function=function, of=(one.at, other.at)), form)


def foreign(text: str) -> str:
    """A text from elsewhere, so that nothing in it is taken for a reference."""
    return re.sub(r"\{(?=\{)", "{ ", text)


def _at(result: str | None, row: int, column: str | None) -> Reference | None:
    if result is None or column is None:
        return None
    return Reference(result=result, row=row, column=column)


def _is_countable(value: Cell) -> bool:
    if isinstance(value, str):
        return "{{" in value or any(each.isdigit() for each in value)
    return value is not None and not isinstance(value, bool)
