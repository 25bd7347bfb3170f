"""The axis of time of rows: the period that a row lies in, or a field that holds its number."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from flows.analysis.language.phrasebook import MONTHS
from flows.analysis.language.words import split_identifier
from flows.analysis.questions.draft import Impossible
from flows.core.observation import Cell
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.query import Expression, FieldRef, Grain, Period

_QUARTER = re.compile(r"(?:q|quarter )\s?([1-4])", re.IGNORECASE)
_YEARS = frozenset(["year", "yr", "jahr"])
_HOURS = ("hour", "hour of day")
_HOUR_NAMES = frozenset(["hour", "hr", "stunde"])


class Timed(Protocol):
    """Rows that have times, or fields that hold a period of theirs."""

    @property
    def dataset(self) -> Dataset: ...

    @property
    def model(self) -> SemanticModel: ...

    def has_times(self) -> bool: ...

    def time(self) -> FieldRef: ...


@dataclass(frozen=True, slots=True)
class Axis:
    """What rows are put in order of time by, and how it spells the numbers of periods."""

    expression: Expression
    spelling: dict[int, Cell] | None = None

    def values(self, numbers: tuple[Cell, ...]) -> tuple[Cell, ...]:
        """The values of periods; raises Impossible for one that the rows do not know."""
        if self.spelling is None:
            return numbers
        found = tuple(self.spelling[each] for each in numbers if each in self.spelling)  # type: ignore[index]
        if len(found) != len(numbers):
            raise Impossible("no row lies in the period")
        return found


def axis_of(rows: Timed, grain: Grain) -> Axis:
    """The axis of a grain; raises Impossible where nothing says in which period a row lies."""
    if rows.has_times():
        if grain in _HOURS and _is_date(rows):
            return _hours(rows, grain)
        return Axis(Period(of=rows.time(), grain=grain))
    read = {"year": _years, "quarter": _quarters, "quarter of year": _quarters,
            "month": _months, "month of year": _months}.get(grain)  # fmt: skip
    for field in rows.dataset.fields if read is not None else ():
        spelling = read(field) if read is not None else None
        if spelling is not None:
            return Axis(FieldRef(dataset=rows.dataset.name, field=field.name), spelling or None)
    raise Impossible("nothing says when its rows happened")


def _is_date(rows: Timed) -> bool:
    time = rows.time()
    dataset = rows.model.dataset(time.dataset)
    field = None if dataset is None else dataset.find(time.field)
    return field is not None and field.type == "date"


def _hours(rows: Timed, grain: Grain) -> Axis:
    """The hours of rows whose time is only a day: those of a column, or of another time."""
    for field in rows.dataset.fields:
        named = _HOUR_NAMES & set(split_identifier(field.name)[-1:])
        if grain == "hour of day" and field.type == "integer" and named:
            return Axis(FieldRef(dataset=rows.dataset.name, field=field.name))
    for field in rows.dataset.fields:
        if field.type == "timestamp":
            return Axis(Period(of=FieldRef(dataset=rows.dataset.name, field=field.name),
                               grain=grain))  # fmt: skip
    raise Impossible("its rows have no hour")


def _years(field: SemanticField) -> dict[int, Cell] | None:
    return {} if field.type == "integer" and _YEARS & set(split_identifier(field.name)) else None


def _quarters(field: SemanticField) -> dict[int, Cell] | None:
    return _spelled(field, "quarter", _quarter)


def _months(field: SemanticField) -> dict[int, Cell] | None:
    return _spelled(field, "month", MONTHS.read)


def _quarter(value: str) -> int | None:
    found = _QUARTER.fullmatch(value.strip())
    return int(found[1]) if found else None


def _spelled(
    field: SemanticField, name: str, read: Callable[[str], int | None]
) -> dict[int, Cell] | None:
    """The values of a field by the numbers that they spell; None where it holds anything else."""
    if field.type == "integer" and split_identifier(field.name) == (name,):
        return {}
    if field.type != "text" or not field.values:
        return None
    numbers = {read(each): each for each in field.values}
    if None in numbers:
        return None
    return {number: value for number, value in numbers.items() if number is not None}
