"""Raw rows: their size, the ranges and gaps of the columns that matter; never a list of rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from flows.analysis.methods.sheet import Sheet, derived, known
from flows.analysis.team.rules.columns import ResultColumns
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.rendering import form_of, listed, plain, scaled, unit_of
from flows.analysis.team.rules.scope import TaskScope
from flows.analysis.telling.query_words import in_words
from flows.data.answers.references import Reference, in_text

_COLUMNS: Final = 3
_MISSING: Final = 0.01


def extraction(
    sheet: Sheet, parts: ResultColumns, goal: BusinessGoal, scope: TaskScope
) -> Iterator[Insight]:
    """How large a result is, and what its columns hold."""
    yield _size(sheet, parts)
    named = [each for each in parts.measures if each in scope.fields]
    measures = goal.wanted(named or parts.measures)[:_COLUMNS]
    for place, column in enumerate(measures):
        if text := _range(sheet, column):
            yield insight(text, 7.0 - 0.5 * place, column)
    columns = [*measures, *parts.times, *parts.labels]
    yield from _gaps(sheet, columns)
    if sheet.whole:
        for column in parts.labels:
            yield from _frequent(sheet, column, goal)


def _size(sheet: Sheet, parts: ResultColumns) -> Insight:
    columns = in_words(len(sheet.columns)) if len(sheet.columns) <= 20 else "many"
    if sheet.cut or not sheet.name:
        text = f"the result holds the first rows of {columns} columns; there are more"
        return insight(text, 6.0)
    rows = in_text(derived("count", Reference(result=sheet.name)), ",")
    text = f"the result holds {rows} rows of {columns} columns"
    for time in parts.times[:1]:
        values = sheet.values(time)
        there = [at for at, each in enumerate(values) if each is not None]
        if there and sheet.whole and sheet.refers(time):
            ends = (
                min(there, key=lambda at: str(values[at])),
                max(there, key=lambda at: str(values[at])),
            )
            first, last = (sheet.cell(at, time).text("plain") for at in ends)
            text += f", from {first} to {last}"
    return insight(text, 6.0)


def _range(sheet: Sheet, column: str) -> str:
    """Where the values of a column lie; told over all rows, also those that are not here."""
    numbers = known(sheet.numbers(column))
    if not numbers or not sheet.refers(column) or sheet.cut:
        return ""
    form = form_of(numbers)
    mean = ".1f" if form == "," else form
    low, high = (sheet.whole_column(f, column, scaled(v, form))  # type: ignore[arg-type]
                 for f, v in (("min", min(numbers)), ("max", max(numbers))))  # fmt: skip
    middle = sheet.whole_column("mean", column, scaled(sum(numbers) / len(numbers), mean))
    unit = unit_of(sheet, column)
    return f"{plain(column)} lies between {low} and {high}{unit}, {middle}{unit} on average"


def _gaps(sheet: Sheet, columns: list[str]) -> Iterator[Insight]:
    """The columns in which values are missing."""
    if sheet.cut or not sheet.name:
        return
    lacking = {c: sum(v is None for v in sheet.values(c)) for c in columns}
    there = [c for c, n in lacking.items() if n > _MISSING * len(sheet.rows) and sheet.refers(c)]
    if not there:
        return
    there.sort(key=lambda each: -lacking[each])
    rows = derived("count", Reference(result=sheet.name))
    said = []
    for column in there[:_COLUMNS]:
        gone = derived("difference", rows, derived("count", sheet.of_column(column)))
        said.append(f"{plain(column)} in {in_text(gone, ',')} rows")
    yield insight(f"a value is missing: {listed(said)}", 6.5, *there)


def _frequent(sheet: Sheet, column: str, goal: BusinessGoal) -> Iterator[Insight]:
    """That nearly all rows have the same value; more a list of names could not say."""
    counts = Counter(str(each) for each in sheet.values(column) if each is not None)
    if not counts:
        return
    if len(counts) == 1 and not any(map(str.isdigit, next(iter(counts)))):
        weight = 4.0 if goal.share_of(column) else 2.0
        yield insight(f"{plain(column)} is {next(iter(counts))} in all rows", weight, column)
