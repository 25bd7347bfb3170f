"""What periods are called where a result shows them: `Thursday`, `December`, `2025-Q1`.

Inside of a request a period is a number or its first day, which has an order; only the columns that
a person sees hold names. Months, weeks and days are shown as their first day.
"""

from __future__ import annotations

import calendar
import re
from typing import Final

from flows.core.observation import Cell
from flows.semantics.kinds import columns_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import Expression, Grain, Period, Query

# The names of numbered periods, beginning with 1.
NAMES: Final[dict[Grain, tuple[str, ...]]] = {
    "weekday": tuple(calendar.day_name),
    "month of year": tuple(calendar.month_name)[1:],
    "quarter of year": ("Q1", "Q2", "Q3", "Q4"),
}
# Periods of several months, called by their year and their place in it.
LETTERS: Final[dict[Grain, tuple[str, int]]] = {"quarter": ("Q", 3), "half": ("H", 6)}


def labelled_grain(expression: Expression) -> Grain | None:
    """The grain of a period that has a name; None for anything else."""
    if isinstance(expression, Period) and (
        expression.grain in NAMES or expression.grain in LETTERS
    ):
        return expression.grain
    return None


def label_of(value: Cell, grain: Grain) -> Cell:
    """What a period is called, given its number or its first day."""
    if value is None:
        return None
    if grain in NAMES and isinstance(value, int | float):
        return NAMES[grain][int(value) - 1]
    if grain in LETTERS and re.match(r"\d{4}-\d\d", str(value)):
        letter, months = LETTERS[grain]
        return f"{str(value)[:4]}-{letter}{(int(str(value)[5:7]) - 1) // months + 1}"
    return value


def value_of(label: Cell, grain: Grain) -> Cell:
    """The number or the first day of a period, given what it is called."""
    if label in NAMES.get(grain, ()):
        return NAMES[grain].index(str(label)) + 1
    if grain in LETTERS and (found := re.fullmatch(r"(\d{4})-[QH](\d)", str(label))):
        return f"{found[1]}-{(int(found[2]) - 1) * LETTERS[grain][1] + 1:02d}-01"
    return label


def labelled_columns(query: Query, model: SemanticModel) -> dict[int, Grain]:
    """The columns of what a query shows, by their places, that hold names of periods.

    Where rows of other queries are added the same period has to stand in all of them.
    """
    grains = [
        labelled_grain(each) if query.compare is None or each in query.by else None
        for each in columns_of(query, model)
    ]
    for other in query.combine:
        beside = labelled_columns(other.query, model)
        grains = [
            grain if beside.get(place) == grain else None for place, grain in enumerate(grains)
        ]
    return {place: grain for place, grain in enumerate(grains) if grain is not None}
