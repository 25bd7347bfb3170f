"""A single row: its values, each in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.methods.sheet import Sheet
from flows.analysis.team.goals.kinds import End
from flows.analysis.team.rules.columns import ResultColumns
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.rendering import is_blank, is_number, listed, named, plain, written

_MOST: Final = 5
# Of a question for one end the only row is the one at that end.
_ENDS: Final = {"high": "highest", "low": "lowest"}


def single(sheet: Sheet, parts: ResultColumns, goal: BusinessGoal, end: End) -> Iterator[Insight]:
    """What one row says, the columns that the question names first; of one `end` it is at that."""
    labels = [*parts.labels, *parts.times]
    who = listed([named(sheet, 0, each) for each in labels[:2]])
    measures = [c for c in sheet.columns if c not in labels and not is_blank(sheet.value(0, c))]
    measures = goal.wanted(measures)
    if not measures and labels:
        said = [f"{plain(each)} is {named(sheet, 0, each)}" for each in labels[:_MOST]]
        yield insight(listed(said), 9.0, *labels)
        return
    for place, column in enumerate(measures[:_MOST]):
        value = written(sheet, 0, column)
        text = f"the {plain(column)}{f' of {who}' if who else ''} is {value}"
        if who and not place and end and is_number(sheet.value(0, column)):
            text = f"{who} has the {_ENDS[end]} {plain(column)}: {value}"
        yield insight(text, 9.0 - place, column)
    if not measures:
        yield insight("the one row of the result holds no value", 9.0)
