"""A column in the order of time: what all studies over time have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from flows.analysis.language.words import COUNTS
from flows.analysis.methods.arguments import Arguments, Groups, Numbers, Times, plots
from flows.analysis.methods.method import MethodRequest, words
from flows.analysis.methods.narration import InColumn, OfGroup
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.reader import Unread
from flows.analysis.telling.cells import CitedCell

UNIT = r"(?:days?|weeks?|months?|quarters?|years?)"
STEPS = r"(?:periods?|steps?|points?|values?|observations?|time steps?|data points?)"
_WORDS = {"a": 1, "an": 1, "one": 1, "couple of": 2, **COUNTS}
MANY = rf"(?:\d{{1,4}}|{'|'.join(_WORDS)})"
AROUND_TIME = words(
    """over time trend rise rises fall falls grow grows growth grew per year years month months week
    weeks day days period periods from overall percent percentage rate change changes changed total
    annual yearly monthly weekly daily by how fast much many did does going each ahead most least
    fastest quickly slowest mean following coming future next will be what development development's
    developed evolution sum summed average rolling running moving window its to compound"""
)


class Series(Arguments):
    """One column in the order of time; `how` makes one value of several rows of one time."""

    fields: tuple[Numbers] = Field(min_length=1, max_length=1)
    time: Times = Field(min_length=1)
    group: Groups = ""
    how: Literal["mean", "sum"] = "mean"


S = TypeVar("S", bound=Series)


def over_time(request: MethodRequest, model: type[S], given: Mapping[str, object]) -> S | Unread:
    """The arguments of a method for a column in the order of the table's time."""
    time = request.draft.time_column()
    if time is None:
        return Unread(f"{request.table.name} has no column that says when: no date, month or year "
                      "of time")  # fmt: skip
    columns = [c.name for c in request.columns if c.name not in (time.name, request.group)]
    measures = [name for name in request.measures if name != time.name]
    if not columns and len(measures) == 1:
        columns = measures
    if len(columns) != 1:
        unfit = [name for name in columns if not plots(request.of(name))]
        why = f"{' and '.join(unfit)} holds no numbers but text, and " if unfit else ""
        named = " and ".join(columns) or "none"
        return Unread(f"{why}{model.label()} is about one column of numbers, and it names {named}")
    summed = request.says(r"\btotal\b|\bsum\b|\bcombined\b|running total")
    how = "sum" if summed else "mean"
    series = {"fields": (columns[0],), "time": time.name, "group": request.group, "how": how}
    return request.make(model, {**series, **given})


@dataclass(frozen=True, kw_only=True)
class Point(OfGroup):
    """A value at a time."""

    time: Annotated[CitedCell, InColumn(lambda study: study.time)]
    value: CitedCell


def points_words(points: Sequence[Point], unit: str = "") -> str:
    """The values with their times, one after the other."""
    said = []
    for each in points:
        head = f"{each.group}, " if each.group else ""
        said.append(f"{head}{each.time}: {each.value}{unit}")
    return "; ".join(said)


def series_of(study: Specification[Series]) -> tuple[str, str, str, str]:
    """What the recipes of series are given: time, column, group, and how rows of one time join."""
    given = study.arguments
    return given.time, given.fields[0], given.group, given.how


def steps_of(said: str) -> tuple[int, str]:
    """How many steps, and of what unit; none is the step of the data."""
    many = re.search(rf"\b({MANY})\b", said, re.IGNORECASE)
    unit = re.search(UNIT, said, re.IGNORECASE)
    size = 1 if said else 3
    if many:
        word = many.group(1).casefold()
        size = _WORDS.get(word) or int(word)
    return size, unit.group().rstrip("s").casefold() if unit else ""
