"""What the rows of a result say, each number as a reference to its cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from flows.analysis.methods.findings import (
    Differences,
    Drivers,
    Findings,
    Metrics,
    Relationships,
    Statements,
)
from flows.analysis.methods.sheet import Sheet
from flows.analysis.team.rules.columns import ResultColumns, parts_of
from flows.analysis.team.rules.comparison import gaps, gaps_of, is_by_measure, tests
from flows.analysis.team.rules.correlations import correlations
from flows.analysis.team.rules.extraction import extraction
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import MOST, MOST_STATED, Insight, best_of, insight
from flows.analysis.team.rules.models import drivers
from flows.analysis.team.rules.quality import quality
from flows.analysis.team.rules.ranking import label_of, rankings
from flows.analysis.team.rules.rendering import listed, plain, spelled_out
from flows.analysis.team.rules.scope import TaskScope
from flows.analysis.team.rules.series import of_entity, over_time, points_of, series_of
from flows.analysis.team.rules.single_row import single
from flows.analysis.team.rules.statistics import statistics
from flows.analysis.telling.cells import foreign
from flows.data.tables import Table

# A list of names longer than this is no ranking that anybody reads, unless it is asked for one.
_RANKED: Final = 400
_RAW, _WIDE = 200, 5
_NAMED: Final = 0.5
# What a table says that stands beside a result comes after the result itself.
_BESIDE: Final = 1.2
EMPTY: Final = "The result has no rows, so there is nothing in it to tell."


def insights(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `insights_generation`."""
    del tables
    goal = BusinessGoal(str(given.get("question") or given.get("task") or ""))
    beside = [Sheet.of({**each, "table": each["artifact"]}) for each in given.get("beside") or ()]
    return {"insights": said(Sheet.of(given), TaskScope.of(given.get("request")), goal, beside)}


def said(
    sheet: Sheet, scope: TaskScope, goal: BusinessGoal, beside: Sequence[Sheet] = ()
) -> list[str]:
    """The insights of a result, those that help the goal first. Of the tables `beside` it the
    metrics of a model are told."""
    if not sheet.rows:
        return [EMPTY]
    found = list(read_sheet(sheet, scope, goal))
    for other in beside:
        metrics = scope.findings_in(other)
        if isinstance(metrics, Metrics):
            measured = (replace(e, weight=e.weight - _BESIDE) for e in quality(other, metrics))
            found += [within(each, scope) for each in measured]
    if not found:
        found = list(extraction(sheet, parts_of(sheet), goal, scope))
    names = [*sheet.columns, *scope.fields, *(name for each in found for name in each.about)]
    stated = isinstance(scope.findings_in(sheet), Statements)
    chosen = best_of(found, goal, MOST_STATED if stated else MOST)
    return [spelled_out(each, names, goal) for each in chosen]


def within(each: Insight, scope: TaskScope) -> Insight:
    """An insight of a part of the rows says so: what holds there need not hold for all."""
    if not scope.is_part:
        return each
    rest = each.text if each.text.startswith(("{{", "`")) else each.text[:1].lower() + each.text[1:]
    if scope.values:
        return replace(each, text=f"Within {foreign(listed(scope.values))}, {rest}")
    column, bound = scope.bound
    return replace(each, text=f"Where {plain(column)} is {bound}, {rest}")


def read_sheet(sheet: Sheet, scope: TaskScope, goal: BusinessGoal) -> Iterator[Insight]:
    """What a result says by the rules for what was found."""
    findings = scope.findings_in(sheet)
    told: Iterator[Insight] | None
    match findings:
        case Relationships():
            told = correlations(sheet, findings.found, scope, goal)
        case Drivers():
            told = drivers(sheet, findings, goal)
        case Metrics():
            told = quality(sheet, findings)
        case Statements():
            told = (insight(each.text, each.weight, *each.about) for each in findings.found)
        case _:
            parts = parts_of(sheet)
            told = statistics(sheet, findings, parts, goal)
    if told is None:
        yield from _of_rows(sheet, findings, parts, scope, goal)
    else:
        yield from (within(each, scope) for each in told)


def _of_rows(
    sheet: Sheet,
    findings: Findings | None,
    parts: ResultColumns,
    scope: TaskScope,
    goal: BusinessGoal,
) -> Iterator[Insight]:
    who, apart = gaps_of(sheet, goal, scope) if sheet.whole else ("", [])
    if len(sheet.rows) == 1 == sheet.total:
        yield from gaps(who, apart) if apart else single(sheet, parts, goal, scope.end)
        return
    if not sheet.whole or not parts.measures:
        yield from extraction(sheet, parts, goal, scope)
        return
    if isinstance(findings, Differences):
        tested = list(tests(sheet, parts, findings, scope, goal))
        yield from tested
        if tested:
            return
    if apart:
        yield from gaps(who, apart)
        if len(sheet.rows) == 2 or label_of(sheet, parts) is None or is_by_measure(sheet):
            return
    ranked = is_ranked(sheet, parts, goal, scope)
    if is_raw(sheet) and not ranked:
        yield from extraction(sheet, parts, goal, scope)
        yield from of_entity(sheet, parts, goal)
        return
    if is_series(sheet, parts):
        yield from over_time(sheet, parts, scope, goal)
    elif label_of(sheet, parts) is not None and (ranked or len(sheet.rows) <= _RANKED):
        yield from rankings(sheet, parts, goal, scope.end)
    elif not apart:
        yield from extraction(sheet, parts, goal, scope)


def is_ranked(sheet: Sheet, parts: ResultColumns, goal: BusinessGoal, scope: TaskScope) -> bool:
    """Whether these are named rows in the order of a measure that the question names."""
    named = any(goal.share_of(each) >= _NAMED for each in parts.measures)
    return scope.end != "" and named and label_of(sheet, parts) is not None


def is_raw(sheet: Sheet) -> bool:
    """Whether these are rows as they were recorded, and no result that a person reads whole."""
    return len(sheet.rows) > _RAW and len(sheet.columns) >= _WIDE


def is_series(sheet: Sheet, parts: ResultColumns) -> bool:
    """Whether the rows are points in time, of one series or of several."""
    if not parts.times:
        return False
    if points_of(sheet, parts.times[0], range(len(sheet.rows))) is not None:
        return True
    return any(series_of(sheet, parts.times[0], each) is not None for each in parts.labels)
