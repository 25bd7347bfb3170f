"""A result table: its columns by name, its cells as numbers and as references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flows.analysis.telling.cells import CitedCell, tell
from flows.core.observation import Cell
from flows.data.answers.numbers import plain_number
from flows.data.answers.references import CellFunction, Function, Reference, Value, in_text


@dataclass(frozen=True)
class Sheet:
    """A result table. `name` is that of the kept result, "" for one that is not kept; `rows` may be
    the first of `total`; of one that was `cut` nobody knows how many there are."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    cut: bool = False
    meanings: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Sheet:
        """The table of an action's inputs, or of an outcome."""
        columns = tuple(given.get("columns") or ())
        rows = tuple(tuple(row) for row in given.get("rows") or ())
        entries = (given.get("dictionary") or {}).get("entries") or ()
        return cls(
            name=given.get("table") or "",
            columns=columns,
            types=tuple(given.get("types") or ()) or ("",) * len(columns),
            rows=rows,
            total=max(given.get("total_rows") or 0, len(rows)),
            cut=bool(given.get("truncated")),
            meanings={e["column"]: e.get("description") or "" for e in entries if e.get("column")},
            units={e["column"]: e.get("unit") or "" for e in entries if e.get("column")},
        )

    @property
    def whole(self) -> bool:
        """Whether all its rows are here."""
        return not self.cut and len(self.rows) == self.total

    def values(self, column: str) -> list[Cell]:
        place = self.columns.index(column)
        return [row[place] for row in self.rows]

    def numbers(self, column: str) -> list[float | None]:
        """The cells of a column as finite numbers, None for those that are none."""
        return [as_number(cell) for cell in self.values(column)]

    def value(self, row: int, column: str) -> Cell:
        return self.rows[row][self.columns.index(column)]

    def number(self, row: int, column: str) -> float | None:
        """A cell as a finite number; None where it is none, and where there is no such column."""
        return as_number(self.value(row, column)) if column in self.columns else None

    def called(self, *names: str) -> str:
        """The column that has the first of these names, in any case; "" for none."""
        lower = {each.casefold(): each for each in self.columns}
        return next((lower[each] for each in names if each in lower), "")

    def at(self, row: int, column: str) -> Reference:
        return Reference(result=self.name, row=row, column=column)

    def of_column(self, column: str) -> Reference:
        return Reference(result=self.name, column=column)

    def refers(self, *columns: str) -> bool:
        """Whether references can name these columns: the result is kept, each name stands once."""
        return bool(self.name) and all(self.columns.count(each) == 1 for each in columns)

    def cell(self, row: int, column: str) -> CitedCell:
        """A cell as an answer tells it; one without a digit is written as it is."""
        [[told]] = tell((column,), ((self.value(row, column),),), None)
        return CitedCell(told.value, self.at(row, column)) if self.refers(column) else told

    def whole_column(self, function: Function, column: str, form: str = "") -> str:
        """A function of all values of a column; "" where no reference can say it."""
        if self.cut or not self.refers(column):
            return ""
        return in_text(CellFunction(function=function, of=(self.of_column(column),)), form)


def worked(function: Function, *of: Value, form: str = "") -> str:
    """A function of cells, or of other functions, as a reference."""
    return in_text(CellFunction(function=function, of=of), form)


def derived(function: Function, *of: Value) -> CellFunction:
    return CellFunction(function=function, of=of)


def as_number(cell: Cell) -> float | None:
    """A cell as a finite number, also one that is kept as text."""
    found = plain_number(cell) if isinstance(cell, str) else cell
    if found is None or isinstance(found, bool | str):
        return None
    return float(found) if math.isfinite(found) else None


def known(values: Sequence[float | None]) -> list[float]:
    return [each for each in values if each is not None]
