"""The tasks about one figure: what it is, where it differs, how it has changed and by what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from flows.analysis.language.words import split_identifier, tokenize
from flows.analysis.methods.breakdown.arguments import MOST_FIELDS, breaks_down
from flows.analysis.methods.change.period import CalendarPeriod, Grain, find_periods, period_of
from flows.analysis.methods.data_quality.cue import SOUND, keys_of
from flows.analysis.methods.method import words
from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.team.goals.builder import Restriction, analysis, figure, figures
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.kinds import asks_change, kinds_of
from flows.analysis.team.goals.measure import (
    TargetMeasure,
    is_summed,
    main_measure,
    measure_of,
    profit_of,
)
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import Steps
from flows.analysis.team.goals.wide_table import Wide
from flows.data.tables import Column
from flows.semantics.model import SemanticModel
from flows.semantics.request import Analysis, Chart

_SOUND: Final = re.compile(rf"\b(?:{SOUND})", re.IGNORECASE)
_OPEN: Final = re.compile(r"\b(?:since|(?:beginning|starting) (?:in|with)|as of)\b", re.IGNORECASE)
_CHOOSES: Final = re.compile(
    r"\b(?:should|focus|worth|important|valuable|matters?|best|worst|concentrat\w+|"
    r"responsible|to blame)\b", re.IGNORECASE,
)  # fmt: skip
# What people call what was to be, and what has come of it.
_PLANNED: Final = words("plan planned plans budget budgeted budgets target targets targeted quota "
                        "quotas forecast forecasted goal expected scheduled estimate estimated")
_CAME: Final = words("actual actuals real realised realized result results achieved spent spend "
                     "sold reached done done effective")
_MOST_GROUPS, _GROUPED = 5, 30
_MEASURES = 3
_FEW_ROWS = 20


def asks_quality(text: str) -> bool:
    """Whether a question wants to know whether the data themselves are sound."""
    return bool(_SOUND.search(text))


def plan_quality(steps: Steps, goal: Goal) -> bool:
    """What is wrong with each table: with the named one first."""
    ranked = sorted(goal.scopes, key=lambda each: -each.worth)
    named = [each for each in ranked if each.worth >= 0.5][:1]
    first = {each.wide.base.name for each in named}
    for scope in [*named, *(each for each in ranked if each.wide.base.name not in first)][:3]:
        base = scope.wide.base
        wide = Wide((base,), base, {c.name: (base.name, c.name) for c in base.columns})
        steps.data = None
        asked = analysis("data_quality", wide, keys=keys_of(base))
        if steps.compute(asked) and asked is not None:
            steps.tell_of(asked)
    return bool(steps.steps)


def plan_measured(steps: Steps, goal: Goal) -> TargetMeasure | None:
    """What a question for reasons, a change or a choice takes, where it speaks of a figure: its
    change, then its breakdown. None where it speaks of none."""
    kinds = kinds_of(goal.text)
    if not set(kinds) & {"drivers", "trend", "ranking"}:
        return None
    measure = measure_of(goal)
    chooses = bool(_CHOOSES.search(goal.text))
    if measure is None and chooses and not _numbers_named(goal):
        found = (main_measure(goal, each.wide) for each in goal.scopes)
        measure = next((each for each in found if each is not None), None)
    if measure is None or not (chooses or set(kinds) & {"drivers"} or asks_change(goal.text)):
        return None
    scope = next(s for s in goal.scopes if s.wide.base.name == measure.wide.base.name)
    wide = _around(measure, scope)
    changed = _plan_change(steps, measure, wide, scope, goal.text)
    if not changed:
        _plan_breakdown(steps, measure, wide, scope, goal.text)
        profit = profit_of(goal, wide) if chooses and measure.how == "sum" else None
        if profit is not None and profit.column != measure.column:
            _plan_breakdown(steps, profit, profit.wide, scope, goal.text)
    return measure if steps.steps else None


def _numbers_named(goal: Goal) -> bool:
    return any(each.numbers for each in goal.scopes[:1])


def _around(measure: TargetMeasure, scope: TableScope) -> Wide:
    """All that can be said of the rows, where that has what the question names."""
    whole = measure.wide.whole()
    named = {measure.column, *(each.column for each in scope.filters)}
    return whole if named <= set(whole.home) else measure.wide


def _dimensions(measure: TargetMeasure, wide: Wide, scope: TableScope) -> list[Column]:
    """The columns that a figure can be broken down by, the named ones first."""
    never = {measure.column, *measure.made_of, *(each.column for each in scope.entities)}
    able = [c for c in wide.table.columns if c.name not in never and breaks_down(c)]
    named = {each.name for each in (*scope.columns, *scope.by)}
    return sorted(able, key=lambda each: each.name not in named)


def _plan_breakdown(
    steps: Steps, measure: TargetMeasure, wide: Wide, scope: TableScope, text: str
) -> None:
    dimensions = [c for c in _dimensions(measure, wide, scope) if not is_time(c)][:MOST_FIELDS]
    named = [c for c in dimensions if c in scope.columns and not is_numeric(c)]
    ranking = "drivers" not in kinds_of(text) and measure.how == "sum"
    chosen = [c for c in dimensions if not is_numeric(c)] if ranking else dimensions
    if ranking and named:
        chosen = [*named, *(c for c in dimensions if is_numeric(c) and c.name in measure.made_of)]
    how = measure.how if ranking or measure.how == "share" else "average"
    kept = [c for c in measure.made_of if is_numeric(wide.of(c)) and not is_time(wide.of(c))]
    names = [measure.column, *(c.name for c in chosen), *kept]
    _take_rows(steps, wide, scope.filters, names)
    asked = analysis(
        "breakdown", wide, scope.filters, target=measure.column, fields=tuple(c.name for c in chosen),
        how=how, yes=measure.yes, words=measure.words, parts=tuple(kept),
    )  # fmt: skip
    if asked is not None and steps.compute(asked):
        steps.tell_of(asked)
        _draw(steps, measure, wide, scope, chosen)


def _draw(
    steps: Steps, measure: TargetMeasure, wide: Wide, scope: TableScope,
    dimensions: Sequence[Column],
) -> None:  # fmt: skip
    """Bars of the first column with few groups."""
    first = next((c for c in dimensions if not is_numeric(c) and c.distinct <= _GROUPED), None)
    if first is None or measure.how == "share":
        return
    figured = figure(wide, measure.how, measure.column)
    bars = figures(wide, [figured], wide.expression(first.name), scope.filters, end="high")
    if steps.query(bars):
        steps.draw(Chart(of=bars, type="bar"), over=bars)


def _plan_change(
    steps: Steps, measure: TargetMeasure, wide: Wide, scope: TableScope, text: str
) -> bool:
    """The change between two periods, and where it lies."""
    if not asks_change(text) and not find_periods(text):
        return False
    times = [c for c in wide.base.columns if is_time(c) and c.name not in measure.made_of[1:]]
    if scope.time in wide.base.columns and scope.time is not None:
        times.insert(0, scope.time)
    for time in times:
        made = changes_of(measure, wide, time, scope, text, steps.model)
        if made is None:
            continue
        names = [measure.column, time.name, *made.fields("group")]
        where = [each for each in scope.filters if each.column != time.name]
        _take_rows(steps, wide, where, names)
        if steps.compute(made):
            steps.tell_of(made)
            return True
    return False


def _take_rows(
    steps: Steps, wide: Wide, where: Sequence[Restriction], names: Sequence[str]
) -> None:
    """Begin with rows where columns of several tables or computed ones are needed; else the table
    itself is worked on, with all that its model cleans."""
    own = all(wide.owner(each) == wide.base.name for each in names)
    if own and (wide.made is None or wide.made[0] not in names):
        steps.data = None
    else:
        steps.extract(wide, where, names)


def changes_of(
    measure: TargetMeasure, wide: Wide, time: Column, scope: TableScope, text: str,
    model: SemanticModel,
) -> Analysis | None:  # fmt: skip
    """The analysis of a change; None where it is not known between which periods."""
    how = {"average": "mean", "sum": "sum", "share": "share"}[measure.how]
    periods = periods_of(text, time, of_sum=how == "sum")
    if periods is None:
        return None
    groups = [
        c for c in _dimensions(measure, wide, scope)
        if not is_time(c) and c.role in ("category", "boolean") and c.distinct <= _GROUPED
        and not (_is_cleaned(time, wide, model) and wide.owner(c.name) != wide.base.name)
    ][:_MOST_GROUPS]  # fmt: skip
    where = [each for each in scope.filters if each.column != time.name]
    return analysis(
        "change", wide, where, fields=(measure.column,), time=time.name, how=how, yes=measure.yes,
        words=measure.words, before=str(periods[0]), period=str(periods[1]),
        group=tuple(c.name for c in groups),
    )  # fmt: skip


def _is_cleaned(time: Column, wide: Wide, model: SemanticModel) -> bool:
    """Whether times are texts, which only the table itself has as times."""
    dataset = model.dataset(wide.base.name)
    field = dataset.find(time.name) if dataset is not None else None
    return field is not None and bool(field.cleaning)


def periods_of(
    text: str, time: Column, *, of_sum: bool
) -> tuple[CalendarPeriod, CalendarPeriod] | None:
    """The two periods that a text compares: both named, one and that before it, all since one and
    what was before; else the last whole one of the data and that before it."""
    ends = _ends(time)
    if ends is None:
        return None
    first, last = ends
    named = sorted({_dated(each, first, last) for each in find_periods(text)} - {""})
    found = sorted((period_of(each) for each in named), key=lambda each: each.start)
    if len(found) > 1:
        one, other = found[0], found[-1]
        return (one, other) if one.grain == other.grain and one.end <= other.start else None
    if found and _OPEN.search(text):
        start = found[0].start
        if not first < start <= last:
            return None
        after = CalendarPeriod(start, "day", last)
        begin = start - (after.end - after.start) if of_sum else first
        return CalendarPeriod(max(begin, first), "day", start - timedelta(days=1)), after
    if found:
        before = found[0].moved(-1)
        return (before, found[0]) if before.end > first else None
    return _latest(first, last, whole_years=time.type == "integer")


def _latest(
    first: date, last: date, *, whole_years: bool
) -> tuple[CalendarPeriod, CalendarPeriod] | None:
    """The last period that the data hold all of, beside the one before it."""
    grains: tuple[Grain, ...] = ("year",) if whole_years else ("year", "quarter", "month")
    for grain in grains:
        month = {"year": 1, "quarter": 3 * ((last.month - 1) // 3) + 1, "month": last.month}[grain]
        after = CalendarPeriod(date(last.year, month, 1), grain)
        if (after.end - last).days > 1 + (after.end - after.start).days // 20:
            after = after.moved(-1)
        before = after.moved(-1)
        slack = timedelta(days=(before.end - before.start).days // 20)
        if first <= before.start + slack:
            return before, after
    return None


def _ends(time: Column) -> tuple[date, date] | None:
    """The first and the last day of a column of times."""
    ends = []
    for value, day in ((time.minimum, "01-01"), (time.maximum, "12-31")):
        text = str(value)[:10]
        written = f"{text}-{day}" if re.fullmatch(r"[12]\d{3}", text) else text
        try:
            ends.append(date.fromisoformat(written))
        except ValueError:
            return None
    return ends[0], ends[1]


def _dated(written: str, first: date, last: date) -> str:
    """A period with its year: without one the last year of the data that has it."""
    if not written.startswith("-"):
        return written
    for year in range(last.year, first.year - 1, -1):
        made = period_of(f"{year}{written}")
        if made.start <= last and made.end > first:
            return str(made)
    return ""


def plan_all_changes(steps: Steps, goal: Goal) -> bool:
    """How each measure has changed between two periods, where a question names none."""
    if not asks_change(goal.text) or len(find_periods(goal.text)) < 2:
        return False
    for scope in goal.scopes[:2]:
        time = scope.time
        if time is None or scope.numbers or time not in scope.wide.base.columns:
            continue
        own = [c for c in scope.measures if scope.wide.owner(c.name) == scope.wide.base.name]
        for column in [c for c in own if c.distinct > _FEW_ROWS][:_MEASURES]:
            summed = is_summed(column.name, scope.wide, goal.model)
            measure = TargetMeasure(scope.wide, column.name, "sum" if summed else "average")
            made = changes_of(measure, scope.wide, time, scope, goal.text, goal.model)
            if made is None:
                break
            where = [each for each in scope.filters if each.column != time.name]
            _take_rows(steps, scope.wide, where, [time.name, column.name, *made.fields("group")])
            if steps.compute(made):
                steps.tell_of(made)
        if steps.steps:
            return True
    return False


def measured_words(measure: TargetMeasure) -> str:
    """How the question was understood, in a sentence."""
    what = f'"{measure.words or measure.column}"'
    told = {"average": "the average of", "sum": "the total of", "share": "the share of rows with"}
    of = f" = {measure.yes}" if measure.yes else ""
    where = f' ("{measure.column}"{of})' if measure.words else ""
    return (f"The question is about {told[measure.how]} {what}{where}, in the table "
            f'"{measure.wide.base.name}".')  # fmt: skip



def plan_against(steps: Steps, goal: Goal) -> bool:
    """What came beside what was planned, and where the difference lies."""
    if not _PLANNED & {token.lower for token in tokenize(goal.text)}:
        return False
    for scope in goal.scopes:
        pair = planned_and_actual(scope.wide)
        if pair is None:
            continue
        groups = [
            c for c in scope.wide.table.columns
            if c.role in ("category", "boolean") and 2 <= c.distinct <= _GROUPED
        ][:_MOST_GROUPS]  # fmt: skip
        planned, actual = pair
        names = [c.name for c in (planned, actual, *groups)]
        _take_rows(steps, scope.wide, scope.filters, names)
        asked = analysis(
            "change", scope.wide, scope.filters, fields=(actual.name,), against=planned.name,
            how="sum" if is_summed(actual.name, scope.wide, goal.model) else "mean", group=tuple(c.name for c in groups),
        )  # fmt: skip
        if asked is not None and steps.compute(asked):
            steps.tell_of(asked)
            return True
    return False


def planned_and_actual(wide: Wide) -> tuple[Column, Column] | None:
    """The two measures of a table of which one is what was planned for the other."""
    own = [c for c in wide.base.columns if c.role == "measure" and c.name in wide.home]
    for planned in own:
        words = set(split_identifier(planned.name))
        if not words & _PLANNED:
            continue
        rest = words - _PLANNED
        for actual in own:
            said = set(split_identifier(actual.name))
            if actual is not planned and not said & _PLANNED and said - _CAME == rest:
                return planned, actual
    return None
