"""What correlations find: pairs of columns, also in a table that other code made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.findings import CorrelatedPair, Relationships
from flows.analysis.methods.method import words
from flows.analysis.methods.narration import OfGroup, OfRows
from flows.analysis.methods.sheet import Sheet, as_number
from flows.analysis.telling.cells import CitedCell

_COEFFICIENT: Final = words(
    "correlation corr pearson spearman kendall r rho tau correlation_coefficient"
)
_OF_MODELS: Final = ("importance", "coefficient")
_MATRIX: Final = 3


@dataclass(frozen=True, kw_only=True)
class Correlated(OfGroup, OfRows):
    """The coefficient of a pair of columns."""

    first: CitedCell
    second: CitedCell
    correlation: CitedCell
    p_value: CitedCell

    @property
    def pair(self) -> str:
        return f"{self.first} and {self.second}"


def read_relationships(sheet: Sheet) -> Relationships | None:
    """The pairs that a result lists, or its matrix holds; None for a result of another kind."""
    column = next((each for each in sheet.columns if _is_coefficient(each)), None)
    found = list(_listed(sheet, column)) if column is not None else list(_in_matrix(sheet))
    sane = all(-1.0000001 <= each.value <= 1.0000001 for each in found)
    return Relationships(tuple(found)) if found and sane else None


def _is_coefficient(column: str) -> bool:
    lower = column.casefold()
    return lower in _COEFFICIENT or lower.startswith(("correlation_with", "corr_with"))


def _listed(sheet: Sheet, column: str) -> Iterator[CorrelatedPair]:
    texts = [each for each in sheet.columns if each != column and _is_text(sheet, each)]
    if not texts or any(each in sheet.columns for each in _OF_MODELS):
        return
    p = sheet.called("p_adjusted", "p_value", "pvalue", "p")
    target = column.partition("_with_")[2]
    for row in range(len(sheet.rows)):
        value = sheet.number(row, column)
        names = [str(sheet.value(row, each)) for each in texts[:2]]
        if value is None or (len(names) > 1 and names[0] == names[1]):
            continue
        second = names[1] if len(names) > 1 else target
        if names[0] != target:
            yield CorrelatedPair(names[0], second, value, row, column, sheet.number(row, p))


def _in_matrix(sheet: Sheet) -> Iterator[CorrelatedPair]:
    """A square of coefficients with 1 on its diagonal; each pair once."""
    label = next((each for each in sheet.columns if _is_text(sheet, each)), None)
    if label is None:
        return
    names = [str(each) for each in sheet.values(label)]
    columns = [each for each in sheet.columns if each != label and each in names]
    if len(columns) < _MATRIX or len(columns) < len(sheet.columns) - 1:
        return
    if any(abs((sheet.number(names.index(each), each) or 0) - 1) > 1e-6 for each in columns):
        return
    for place, one in enumerate(columns):
        for other in columns[place + 1 :]:
            row = names.index(one)
            value = sheet.number(row, other)
            if value is not None:
                yield CorrelatedPair(one, other, value, row, other)


def _is_text(sheet: Sheet, column: str) -> bool:
    values = [each for each in sheet.values(column) if each is not None]
    return bool(values) and all(isinstance(v, str) for v in values) and as_number(values[0]) is None
