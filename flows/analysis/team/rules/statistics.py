"""Tables of statistics, each by its columns: summaries, growth, trends, forecasts, outliers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.methods.findings import (
    Expectations,
    Findings,
    Gaps,
    Outlying,
    Slopes,
    Spreads,
    TimeChange,
)
from flows.analysis.methods.method import words
from flows.analysis.methods.sheet import Sheet, worked
from flows.analysis.team.rules.columns import ResultColumns
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.ranking import in_order
from flows.analysis.team.rules.rendering import form_of, listed, named, rows_words, written

_FEW: Final = 3
_MOST: Final = 60
_UNSURE: Final = 0.05
_LARGE: Final = 1e4
# What a table of statistics calls its columns: an outlier among those says nothing of the data.
_STATISTICS: Final = words(
    """
    mean average median mode std variance cv skewness kurtosis mad iqr q1 q3 p25 p50 p75 min max
    minimum maximum count missing distinct unique nunique standard_error range sum
    """
)


def statistics(
    sheet: Sheet, found: Findings | None, parts: ResultColumns, goal: BusinessGoal
) -> Iterator[Insight] | None:
    """What the table of a statistic says; None for a result of another kind."""
    match found:
        case TimeChange():
            return _growth(sheet, found, parts)
        case Slopes():
            return _slopes(sheet, found, parts)
        case Expectations() if parts.times:
            return _forecast(sheet, found, parts.times[0])
        case Outlying() if len(sheet.rows) <= _MOST:
            return _outliers(sheet, found, parts)
        case Spreads():
            return _summary(sheet, found, parts, goal)
        case Gaps():
            return _missing(sheet, found)
    return None


def _name(sheet: Sheet, row: int, parts: ResultColumns) -> str:
    """What a row of statistics is about: the column, of the group that it was computed for."""
    groups = [c for c in parts.labels if c not in ("column", "from", "to", "step", "method")]
    said = [named(sheet, row, each) for each in groups[:1]]
    if "column" in sheet.columns:
        said.insert(0, named(sheet, row, "column"))
    return " of ".join(said) or "it"


def _growth(sheet: Sheet, found: TimeChange, parts: ResultColumns) -> Iterator[Insight]:
    rows = in_order(sheet, found.percent or found.last)
    ends = rows if len(rows) <= 2 else [rows[0], rows[-1]]
    for place, at in enumerate(ends):
        one, other = (sheet.number(at, each) or 0.0 for each in (found.first, found.last))
        verb = "rose" if other > one else "fell" if other < one else "stayed the same"
        text = f"{_name(sheet, at, parts)} {verb} from {_ends(sheet, at, found, found.first)}"
        text += f" to {_ends(sheet, at, found, found.last)}"
        if found.percent:
            text += f" ({sheet.cell(at, found.percent).text('+.0f')} %)"
        if len(rows) > 2:
            most = "the largest growth of all" if place == 0 else "the smallest of all"
            text += f", {most} {rows_words(sheet)}"
        yield insight(text, 9.0 - place, *(str(sheet.value(at, each)) for each in parts.labels[:1]))


def _ends(sheet: Sheet, row: int, found: TimeChange, value: str) -> str:
    form = form_of([*sheet.numbers(found.first), *sheet.numbers(found.last)])
    when = found.since if value == found.first else found.until
    shown = _in(sheet, row, value, form)
    return f"{shown} in {sheet.cell(row, when).text('plain')}" if when else shown


def _slopes(sheet: Sheet, found: Slopes, parts: ResultColumns) -> Iterator[Insight]:
    rows = sorted(range(len(sheet.rows)), key=lambda at: -(sheet.number(at, found.slope) or 0.0))
    for place, at in enumerate(rows if len(rows) <= 2 else [rows[0], rows[-1]]):
        name, p = _name(sheet, at, parts), sheet.number(at, found.p)
        if p is not None and p >= _UNSURE:
            text = f"{name} shows no clear trend: its ups and downs may be chance"
            yield insight(text, 9 - place)
            continue
        step = str(sheet.value(at, found.step)) if found.step else "step"
        word = "upward" if (sheet.number(at, found.slope) or 0.0) > 0 else "downward"
        text = f"{name} has a clear {word} trend: {written(sheet, at, found.slope)} per {step}"
        yield insight(text, 9.0 - place, name)


def _forecast(sheet: Sheet, found: Expectations, time: str) -> Iterator[Insight]:
    column = found.expected
    rows = [at for at in range(len(sheet.rows)) if sheet.number(at, column) is not None]
    if not rows:
        return
    labels = [c for c in sheet.columns if isinstance(sheet.value(rows[0], c), str) and c != time]
    if labels and len({sheet.value(at, labels[0]) for at in rows}) > 1:
        groups = {str(sheet.value(at, labels[0])): at for at in rows}
        for place, at in enumerate(list(groups.values())[:4]):
            text = f"{named(sheet, at, labels[0])}: {_expected(sheet, at, time, found)}"
            yield insight(text, 9.0 - place)
        return
    first, last = rows[0], rows[-1]
    yield insight(_expected(sheet, last, time, found), 9.0)
    one, other = sheet.number(first, column) or 0.0, sheet.number(last, column) or 0.0
    if last != first and one != other:
        verb = "rises" if other > one else "falls"
        text = (
            f"the forecast {verb} from {written(sheet, first, column)} in "
            f"{sheet.cell(first, time).text('plain')} to {written(sheet, last, column)} in "
            f"{sheet.cell(last, time).text('plain')}"
        )
        yield insight(text, 8.0)


def _expected(sheet: Sheet, row: int, time: str, found: Expectations) -> str:
    form = form_of(sheet.numbers(found.expected))
    value, when = written(sheet, row, found.expected), sheet.cell(row, time).text("plain")
    text = f"{value} is expected in {when}"
    bounds = (found.lower, found.upper)
    if any(sheet.number(row, each) is None for each in bounds):
        return text
    low, high = (written(sheet, row, each, None if form == "," else form) for each in bounds)
    return f"{text}, most likely between {low} and {high}"


def _outliers(sheet: Sheet, found: Outlying, parts: ResultColumns) -> Iterator[Insight]:
    there = [at for at in range(len(sheet.rows)) if not _of_statistic(sheet, at)]
    rows = [
        at for at in in_order(sheet, found.count) if at in there and sheet.number(at, found.count)
    ]
    if not there:
        yield insight("the result says nothing of the data: it is of statistics alone", 0.0)
        return
    if not rows:
        yield insight("no value lies far outside of the usual range", 9.0)
        return
    for place, at in enumerate(rows[:_FEW]):
        count = sheet.cell(at, found.count).text(",")
        one = sheet.number(at, found.count) == 1
        share = ""
        if sheet.number(at, found.rows) and sheet.refers(found.count, found.rows):
            of = (sheet.at(at, each) for each in (found.count, found.rows))
            share = f" ({worked('share', *of, form='.1%')})"
        text = f"{count}{share} {'value' if one else 'values'} of {_name(sheet, at, parts)} "
        text += f"{'lies' if one else 'lie'} far outside of the usual range"
        if found.lower and found.upper:
            low, high = (written(sheet, at, each) for each in (found.lower, found.upper))
            text += f", which is {low} to {high}"
        about = str(sheet.value(at, "column")) if "column" in sheet.columns else ""
        yield insight(text, 9.0 - place, about)


def _of_statistic(sheet: Sheet, row: int) -> bool:
    name = str(sheet.value(row, "column")) if "column" in sheet.columns else ""
    return name.casefold() in _STATISTICS or name.endswith("%")


def _summary(
    sheet: Sheet, found: Spreads, parts: ResultColumns, goal: BusinessGoal
) -> Iterator[Insight]:
    rows = sorted(range(len(sheet.rows)),
                  key=lambda at: -goal.share_of(str(sheet.value(at, found.column))))  # fmt: skip
    three = (found.middle, found.low, found.high)
    for place, at in enumerate(rows[:4]):
        if not found.high or sheet.number(at, found.middle) is None:
            continue
        form = form_of([sheet.number(at, each) for each in three])
        value, least, most = (_in(sheet, at, each, form) for each in three)
        about = str(sheet.value(at, found.column))
        text = f"{_name(sheet, at, parts)} is {value} on average, between {least} and {most}"
        yield insight(text, 8.0 - 0.5 * place, about)
        mean, median, std = (
            sheet.number(at, each) for each in (found.mean, found.median, found.deviation)
        )
        if mean is not None and median is not None and std and abs(mean - median) > 0.2 * std:
            text = (
                f"few very {'high' if mean > median else 'low'} values pull the average of "
                f"{_name(sheet, at, parts)} away from the middle value, "
                f"{_in(sheet, at, found.median, form)}"
            )
            yield insight(text, 6.5 - 0.5 * place, about)


def _in(sheet: Sheet, row: int, column: str, form: str) -> str:
    """A number in the form of those beside it; a large one in its own."""
    large = abs(sheet.number(row, column) or 0.0) >= _LARGE
    return written(sheet, row, column, None if large else form)


def _missing(sheet: Sheet, found: Gaps) -> Iterator[Insight]:
    rows = [at for at in in_order(sheet, found.missing) if sheet.number(at, found.missing)]
    if not rows:
        yield insight("no value is missing", 9.0)
        return
    said = [f"{named(sheet, at, found.column)} ({sheet.cell(at, found.missing).text(',')})"
            for at in rows[:_FEW]]  # fmt: skip
    yield insight(f"most values are missing in {listed(said)}", 9.0)
