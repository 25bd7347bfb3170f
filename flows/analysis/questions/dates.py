"""Periods of rows whose year, month and day stand in columns of their own."""

from __future__ import annotations

from datetime import date
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.core.observation import Cell
from flows.semantics.model import Dataset
from flows.semantics.query import (
    Arithmetic,
    Between,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    OneOf,
    Or,
    Period,
    Predicate,
)

_MONTHS: Final = {"year": 12, "half": 6, "quarter": 3, "month": 1}


def test_of_parts(test: Predicate, dataset: Dataset) -> Predicate | None:
    """A test of a period as one of the numbers of its years and months, or None where the rows have
    no such numbers or the test is of another kind."""
    match test:
        case Comparison(left=Period(grain=grain), right=Constant(value=value)):
            ends = _ends(grain, value)
            of = _number(dataset, grain)
            if ends is None or of is None:
                return None
            low, high = (Constant(value=each) for each in ends)
            if test.operator == "=":
                return _between(of, low, high)
            right = low if test.operator in (">=", "<") else high
            return Comparison(left=of, operator=test.operator, right=right)
        case Between(of=Period(grain=grain), low=Constant(value=first), high=Constant(value=last)):
            begin, end, of = _ends(grain, first), _ends(grain, last), _number(dataset, grain)
            if begin is None or end is None or of is None:
                return None
            return _between(of, Constant(value=begin[0]), Constant(value=end[1]))
        case OneOf(of=Period() as side, values=values):
            each = [
                test_of_parts(
                    Comparison(left=side, operator="=", right=Constant(value=value)), dataset
                )
                for value in values
            ]
            found = tuple(one for one in each if one is not None)
            if len(found) < len(values):
                return None
            return Or(of=found) if len(found) > 1 else found[0]
    return None


def month_number(dataset: Dataset) -> Expression | None:
    """The year and the month of a row as one number, 202406; None where it has no such fields."""
    return _number(dataset, "month")


def _between(of: Expression, low: Constant, high: Constant) -> Predicate:
    if low == high:
        return Comparison(left=of, operator="=", right=low)
    return Between(of=of, low=low, high=high)


def _ends(grain: str, value: Cell) -> tuple[int, int] | None:
    """The numbers of the first and the last month of a period, or of its day."""
    if not isinstance(value, str):
        return None
    first = date.fromisoformat(value[:10])
    if grain == "day":
        number = (first.year * 100 + first.month) * 100 + first.day
        return number, number
    if grain not in ("half", "quarter", "month"):
        return None
    number = first.year * 100 + first.month
    return number, number + _MONTHS[grain] - 1


def _number(dataset: Dataset, grain: str) -> Expression | None:
    names = ("year", "month", "day") if grain == "day" else ("year", "month")
    fields = [_field(dataset, each) for each in names]
    number: Expression | None = None
    for each in fields:
        if each is None:
            return None
        if number is None:
            number = each
        else:
            above = Arithmetic(operator="*", left=number, right=Constant(value=100))
            number = Arithmetic(operator="+", left=above, right=each)
    return number


def _field(dataset: Dataset, name: str) -> FieldRef | None:
    """The field of whole numbers that is called as a part of a date is."""
    for each in dataset.fields:
        if each.type == "integer" and split_identifier(each.name)[-1:] == (name,):
            return FieldRef(dataset=dataset.name, field=each.name)
    return None
