"""Pairs of columns that go together: read from lists of coefficients and from matrices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.team.rules.asked import Asked, best_named
from flows.analysis.team.rules.sheet import Sheet
from flows.analysis.team.rules.vocabulary import words_in
from flows.analysis.team.rules.wording import is_number

_COEFFICIENT: Final = words_in(
    "correlation corr pearson spearman kendall r rho tau correlation_coefficient"
)
_P: Final = ("p_adjusted", "p_value", "pvalue", "p")
_ROWS: Final = ("rows", "n", "count", "observations")
_MATRIX: Final = 3


@dataclass(frozen=True, slots=True)
class Link:
    """Two columns of the data, and the cell of their coefficient. `second` is "" where the result
    does not say what the first was compared with."""

    first: str
    second: str
    value: float
    row: int
    column: str
    p: float | None = None
    rows_column: str = ""

    def other(self, name: str) -> str:
        return self.second if name == self.first else self.first

    def has(self, name: str) -> bool:
        """Whether it is a pair with that column, also where the result does not name it."""
        return name in (self.first, self.second) or not self.second


def links_of(sheet: Sheet) -> list[Link]:
    """The pairs that a result lists, or its matrix holds; none for a result of another kind."""
    column = next((each for each in sheet.columns if _is_coefficient(each)), None)
    found = list(_listed(sheet, column)) if column is not None else list(_in_matrix(sheet))
    sane = all(-1.0000001 <= each.value <= 1.0000001 for each in found)
    return found if sane else []


def _is_coefficient(column: str) -> bool:
    lower = column.casefold()
    return lower in _COEFFICIENT or lower.startswith(("correlation_with", "corr_with"))


def _listed(sheet: Sheet, column: str) -> Iterator[Link]:
    texts = [each for each in sheet.columns if each != column and _is_text(sheet, each)]
    if not texts or any(each in sheet.columns for each in ("importance", "coefficient")):
        return
    p = next((each for each in _P if each in sheet.columns), None)
    rows = next((each for each in _ROWS if each in sheet.columns), "")
    target = column.partition("_with_")[2]
    for row in range(len(sheet.rows)):
        value = sheet.number(row, column)
        names = [str(sheet.value(row, each)) for each in texts[:2]]
        if value is None or (len(names) > 1 and names[0] == names[1]):
            continue
        second = names[1] if len(names) > 1 else target
        if names[0] == target:
            continue
        chance = None if p is None else sheet.number(row, p)
        yield Link(names[0], second, value, row, column, chance, rows)


def _in_matrix(sheet: Sheet) -> Iterator[Link]:
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
                yield Link(one, other, value, row, other)


def _is_text(sheet: Sheet, column: str) -> bool:
    values = [each for each in sheet.values(column) if each is not None]
    return bool(values) and all(isinstance(v, str) for v in values) and not is_number(values[0])


def target_of(links: Sequence[Link], asked: Asked, also: Asked | None = None) -> str:
    """The column that the question is about: the one in every pair, else the one it names first."""
    common = set.intersection(*({each.first, each.second} for each in links))
    common.discard("")
    if len(links) > 1 and len(common) == 1:
        return common.pop()
    if not links[0].second and also is not None:
        firsts = {each.first for each in links}
        return next((each for each in also.quoted() if each not in firsts), "")
    names = dict.fromkeys(name for each in links for name in (each.first, each.second) if name)
    for words in filter(None, (asked, also)):
        if found := best_named(words, names):
            if len(links) == 1:
                return found[-1] if asked.kind == "effect" else found[0]
            return found[0]
    return links[0].second if len(links) == 1 else ""
