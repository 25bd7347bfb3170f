"""A column in the order of time: what all studies over time have in common."""

from __future__ import annotations

import re

from flows.analysis.methods.method import Request, no_numbers, words
from flows.analysis.methods.specification import Study
from flows.analysis.reading.read import Unread

UNIT = r"(?:days?|weeks?|months?|quarters?|years?)"
STEPS = r"(?:periods?|steps?|points?|values?|observations?|time steps?|data points?)"
MANY = r"(?:\d{1,4}|a|an|one|two|three|four|five|six|seven|eight|nine|ten|twelve|couple of)"
_WORDS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
          "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "couple of": 2}  # fmt: skip
AROUND_TIME = words(
    """over time trend rise rises fall falls grow grows growth grew per year years month months week
    weeks day days period periods from overall percent percentage rate change changes changed total
    annual yearly monthly weekly daily by how fast much many did does going each ahead most least
    fastest quickly slowest mean following coming future next will be what development development's
    developed evolution sum summed average rolling running moving window its to compound"""
)


def over_time(request: Request, kind: str, method: str = "") -> Study | Unread:
    """A column in the order of the table's time: what all studies over time need."""
    time = request.draft.time_column()
    table = request.draft.schema.table
    if time is None:
        return Unread(f"{table.name} has no column that says when: no date, month or year of time")
    columns = [c for c in request.columns if c.name not in (time.name, request.group)]
    if wrong := no_numbers(columns, kind):
        return wrong
    measures = [name for name in request.measures if name != time.name]
    if not columns and len(measures) == 1:
        columns = [request.of(measures[0])]
    if len(columns) != 1:
        named = " and ".join(c.name for c in columns) or "none"
        return Unread(f"{kind} is about one column of numbers, and it names {named}")
    total = re.search(r"\btotal\b|\bsum\b|\bcombined\b|running total", request.text, re.IGNORECASE)
    summed = kind == "cumulative" or total
    request.settings["how"] = "sum" if summed else "mean"
    return request.study(
        kind, [columns[0].name], group=request.group, time=time.name, method=method
    )


def series_of(study: Study) -> tuple[str, str, str, str]:
    """What the recipes of series are given: time, column, group, and how rows of one time join."""
    return study.time, study.columns[0], study.group, study.setting("how")


def steps_of(said: str) -> tuple[int, str]:
    """How many steps, and of what unit; none is the step of the data."""
    many = re.search(rf"\b({MANY})\b", said, re.IGNORECASE)
    unit = re.search(UNIT, said, re.IGNORECASE)
    size = 1 if said else 3
    if many:
        word = many.group(1).casefold()
        size = _WORDS.get(word) or int(word)
    return size, unit.group().rstrip("s").casefold() if unit else ""
