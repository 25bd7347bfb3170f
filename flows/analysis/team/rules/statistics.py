"""Tables of statistics, each by its columns: summaries, growth, trends, forecasts, outliers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.team.rules.asked import Asked
from flows.analysis.team.rules.columns import Parts
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.sheet import Sheet, derived
from flows.analysis.team.rules.vocabulary import words_in
from flows.analysis.team.rules.wording import form_of, listed, named, rows_words, written
from flows.data.answers.references import in_text

_FORECASTS: Final = ("forecast", "predicted", "yhat", "expected")
_FEW: Final = 3
_UNSURE: Final = 0.05
# What a table of statistics calls its columns: an outlier among those says nothing of the data.
_STATISTICS: Final = words_in(
    """
    mean average median mode std variance cv skewness kurtosis mad iqr q1 q3 p25 p50 p75 min max
    minimum maximum count missing distinct unique nunique standard_error range sum
    """
)


def is_outliers(sheet: Sheet) -> bool:
    """Whether a table counts the values of each column that lie far outside."""
    return "outliers" in sheet.columns


def is_summary(sheet: Sheet) -> bool:
    """Whether a table has the mean and the range of each column."""
    has = set(sheet.columns)
    return "column" in has and bool(has & {"mean", "median"}) and bool(has & {"minimum", "min"})


def statistics(sheet: Sheet, parts: Parts, asked: Asked) -> Iterator[Insight] | None:
    """What a table of statistics says; None for a result of another kind."""
    has = set(sheet.columns)
    if {"first_value", "last_value"} <= has:
        return _growth(sheet, parts)
    if parts.times and any(each in has for each in _FORECASTS):
        return _forecast(sheet, parts.times[0], next(e for e in _FORECASTS if e in has))
    if "per_step" in has:
        return _slopes(sheet, parts)
    if is_outliers(sheet) and len(sheet.rows) <= 60:
        return _outliers(sheet, parts)
    if is_summary(sheet):
        return _summary(sheet, parts, asked)
    if {"column", "missing"} <= has:
        return _missing(sheet)
    return None


def _name(sheet: Sheet, row: int, parts: Parts) -> str:
    """What a row of statistics is about: the column, of the group that it was computed for."""
    groups = [c for c in parts.labels if c not in ("column", "from", "to", "step", "method")]
    said = [named(sheet, row, each) for each in groups[:1]]
    if "column" in sheet.columns:
        said.insert(0, named(sheet, row, "column"))
    return " of ".join(said) or "it"


def _growth(sheet: Sheet, parts: Parts) -> Iterator[Insight]:
    by = "percent" if "percent" in sheet.columns else "last_value"
    rows = [at for at in range(len(sheet.rows)) if sheet.number(at, by) is not None]
    rows.sort(key=lambda at: -(sheet.number(at, by) or 0.0))
    ends = rows if len(rows) <= 2 else [rows[0], rows[-1]]
    for place, at in enumerate(ends):
        one, other = sheet.number(at, "first_value") or 0.0, sheet.number(at, "last_value") or 0.0
        verb = "rose" if other > one else "fell" if other < one else "stayed the same"
        text = f"{_name(sheet, at, parts)} {verb} from {_ends(sheet, at, 'first_value', 'from')}"
        text += f" to {_ends(sheet, at, 'last_value', 'to')}"
        if by == "percent":
            text += f" ({sheet.cell(at, by).text('+.0f')} %)"
        if len(rows) > 2:
            most = "the largest growth of all" if place == 0 else "the smallest of all"
            text += f", {most} {rows_words(sheet)}"
        yield insight(text, 9.0 - place, *(str(sheet.value(at, each)) for each in parts.labels[:1]))


def _ends(sheet: Sheet, row: int, value: str, when: str) -> str:
    form = form_of([*sheet.numbers("first_value"), *sheet.numbers("last_value")])
    number = sheet.number(row, value) or 0.0
    shown = written(sheet, row, value, None if abs(number) >= 1e4 else form)
    return f"{shown} in {sheet.cell(row, when).text('plain')}" if when in sheet.columns else shown


def _slopes(sheet: Sheet, parts: Parts) -> Iterator[Insight]:
    rows = sorted(range(len(sheet.rows)), key=lambda at: -(sheet.number(at, "per_step") or 0.0))
    for place, at in enumerate(rows if len(rows) <= 2 else [rows[0], rows[-1]]):
        value = sheet.number(at, "per_step") or 0.0
        step = str(sheet.value(at, "step")) if "step" in sheet.columns else "step"
        p = sheet.number(at, "p_value") if "p_value" in sheet.columns else None
        name = _name(sheet, at, parts)
        if p is not None and p >= _UNSURE:
            yield insight(
                f"{name} shows no clear trend: its ups and downs may be chance", 9 - place
            )
            continue
        shown = written(sheet, at, "per_step")
        word = "upward" if value > 0 else "downward"
        yield insight(f"{name} has a clear {word} trend: {shown} per {step}", 9.0 - place, name)


def _forecast(sheet: Sheet, time: str, column: str) -> Iterator[Insight]:
    rows = [at for at in range(len(sheet.rows)) if sheet.number(at, column) is not None]
    if not rows:
        return
    labels = [c for c in sheet.columns if isinstance(sheet.value(rows[0], c), str) and c != time]
    if labels and len({sheet.value(at, labels[0]) for at in rows}) > 1:
        groups = {str(sheet.value(at, labels[0])): at for at in rows}
        for place, at in enumerate(list(groups.values())[:4]):
            yield insight(f"{named(sheet, at, labels[0])}: {_expected(sheet, at, time, column)}",
                          9.0 - place)  # fmt: skip
        return
    first, last = rows[0], rows[-1]
    yield insight(_expected(sheet, last, time, column), 9.0)
    one, other = sheet.number(first, column) or 0.0, sheet.number(last, column) or 0.0
    if last != first and one != other:
        verb = "rises" if other > one else "falls"
        text = (
            f"the forecast {verb} from {written(sheet, first, column)} in "
            f"{sheet.cell(first, time).text('plain')} to {written(sheet, last, column)} in "
            f"{sheet.cell(last, time).text('plain')}"
        )
        yield insight(text, 8.0)


def _expected(sheet: Sheet, row: int, time: str, column: str) -> str:
    form = form_of(sheet.numbers(column))
    text = f"{written(sheet, row, column)} is expected in {sheet.cell(row, time).text('plain')}"
    bounds = [
        c for c in ("lower", "upper") if c in sheet.columns and sheet.number(row, c) is not None
    ]
    if len(bounds) < 2:
        return text
    low, high = (written(sheet, row, c, None if form == "," else form) for c in bounds)
    return f"{text}, most likely between {low} and {high}"


def _outliers(sheet: Sheet, parts: Parts) -> Iterator[Insight]:
    there = [at for at in range(len(sheet.rows)) if not _of_statistic(sheet, at)]
    rows = [at for at in there if (sheet.number(at, "outliers") or 0) > 0]
    if not there:
        yield insight("the result says nothing of the data: it is of statistics alone", 0.0)
        return
    if not rows:
        yield insight("no value lies far outside of the usual range", 9.0)
        return
    rows.sort(key=lambda at: -(sheet.number(at, "outliers") or 0.0))
    for place, at in enumerate(rows[:_FEW]):
        count = sheet.cell(at, "outliers").text(",")
        one = sheet.number(at, "outliers") == 1
        share = ""
        if (
            "rows" in sheet.columns
            and sheet.number(at, "rows")
            and sheet.refers("outliers", "rows")
        ):
            part = derived("share", sheet.at(at, "outliers"), sheet.at(at, "rows"))
            share = f" ({in_text(part, '.1%')})"
        text = f"{count}{share} {'value' if one else 'values'} of {_name(sheet, at, parts)} "
        text += f"{'lies' if one else 'lie'} far outside of the usual range"
        if {"lower_bound", "upper_bound"} <= set(sheet.columns):
            low, high = (written(sheet, at, each) for each in ("lower_bound", "upper_bound"))
            text += f", which is {low} to {high}"
        yield insight(text, 9.0 - place, str(sheet.value(at, "column")) if "column" in
                      sheet.columns else "")  # fmt: skip


def _of_statistic(sheet: Sheet, row: int) -> bool:
    name = str(sheet.value(row, "column")) if "column" in sheet.columns else ""
    return name.casefold() in _STATISTICS or name.endswith("%")


def _summary(sheet: Sheet, parts: Parts, asked: Asked) -> Iterator[Insight]:
    low = "minimum" if "minimum" in sheet.columns else "min"
    high = "maximum" if "maximum" in sheet.columns else "max"
    middle = "mean" if "mean" in sheet.columns else "median"
    rows = sorted(range(len(sheet.rows)),
                  key=lambda at: -asked.share_of(str(sheet.value(at, "column"))))  # fmt: skip
    for place, at in enumerate(rows[:4]):
        if high not in sheet.columns or sheet.number(at, middle) is None:
            continue
        form = _common(sheet, at, (middle, low, high))
        value, least, most = (_in(sheet, at, each, form) for each in (middle, low, high))
        text = f"{_name(sheet, at, parts)} is {value} on average, between {least} and {most}"
        yield insight(text, 8.0 - 0.5 * place, str(sheet.value(at, "column")))
        mean, median = (_value(sheet, at, each) for each in ("mean", "median"))
        std = _value(sheet, at, "std")
        if mean is not None and median is not None and std and abs(mean - median) > 0.2 * std:
            way = "high" if mean > median else "low"
            text = (
                f"few very {way} values pull the average of {_name(sheet, at, parts)} away from "
                f"the middle value, {_in(sheet, at, 'median', form)}"
            )
            yield insight(text, 6.5 - 0.5 * place, str(sheet.value(at, "column")))


def _value(sheet: Sheet, row: int, column: str) -> float | None:
    return sheet.number(row, column) if column in sheet.columns else None


def _common(sheet: Sheet, row: int, columns: Sequence[str]) -> str:
    return form_of([sheet.number(row, each) for each in columns])


def _in(sheet: Sheet, row: int, column: str, form: str) -> str:
    number = sheet.number(row, column)
    large = number is not None and abs(number) >= 1e4
    return written(sheet, row, column, None if large else form)


def _missing(sheet: Sheet) -> Iterator[Insight]:
    rows = [at for at in range(len(sheet.rows)) if (sheet.number(at, "missing") or 0) > 0]
    if not rows:
        yield insight("no value is missing", 9.0)
        return
    rows.sort(key=lambda at: -(sheet.number(at, "missing") or 0.0))
    said = [f"{named(sheet, at, 'column')} ({sheet.cell(at, 'missing').text(',')})"
            for at in rows[:_FEW]]  # fmt: skip
    yield insight(f"most values are missing in {listed(said)}", 9.0)
