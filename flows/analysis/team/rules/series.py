"""Values over time: the change from first to last, peak and trough, where it goes now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from flows.analysis.methods.sheet import Sheet, derived, worked
from flows.analysis.team.rules.columns import ResultColumns
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.insight import Insight, insight
from flows.analysis.team.rules.rendering import form_of, named, plain, scaled, unit_of, written
from flows.analysis.team.rules.scope import TaskScope
from flows.analysis.telling.cells import foreign
from flows.core.observation import Cell
from flows.data.answers.references import in_text

_POINTS: Final = 2
_MEASURES: Final = 3
_HARDLY: Final = 0.02
_STEPS: Final = 6
_SERIES: Final = 60


def over_time(
    sheet: Sheet, parts: ResultColumns, scope: TaskScope, goal: BusinessGoal
) -> Iterator[Insight]:
    """What points in time say: of one series, or of several that another column names."""
    time = parts.times[0]
    measures = goal.wanted(parts.measures)[:_MEASURES]
    single = points_of(sheet, time, range(len(sheet.rows)))
    if single is not None:
        who = "" if parts.labels else foreign(" and ".join(scope.values))
        for place, measure in enumerate(measures):
            yield from _one(sheet, time, measure, single, 8.0 - 1.5 * place, who)
        return
    for label in sorted(parts.labels, key=lambda each: -goal.share_of(each)):
        groups = series_of(sheet, time, label)
        if groups is not None:
            for place, measure in enumerate(measures[:2]):
                yield from _several(sheet, time, label, measure, groups, 8.0 - 2 * place)
                for name, points in groups.items():
                    if goal.has_value(name):
                        yield from _one(sheet, time, measure, points, 9.0 - 2 * place,
                                        named(sheet, points[0], label))  # fmt: skip
            return


def of_entity(sheet: Sheet, parts: ResultColumns, goal: BusinessGoal) -> Iterator[Insight]:
    """The series of the one that the question names, among rows of many."""
    for time in parts.times[:1]:
        for label in parts.labels:
            groups = series_of(sheet, time, label) or {}
            for name, points in groups.items():
                if goal.has_value(name):
                    who = named(sheet, points[0], label)
                    for measure in goal.wanted(parts.measures)[:1]:
                        yield from _one(sheet, time, measure, points, 7.5, who)


def points_of(sheet: Sheet, time: str, rows: Sequence[int]) -> list[int] | None:
    """The rows in the order of time; None where a time stands twice, or there are too few."""
    times = sheet.values(time)
    there = [at for at in rows if times[at] is not None]
    if len(there) < _POINTS or len({times[at] for at in there}) < len(there):
        return None
    return sorted(there, key=lambda at: _sortable(times[at]))


def series_of(sheet: Sheet, time: str, label: str) -> Mapping[str, list[int]] | None:
    """The points of each series by its name; None where one has a time twice."""
    rows: dict[str, list[int]] = {}
    for at, name in enumerate(sheet.values(label)):
        if name is not None:
            rows.setdefault(str(name), []).append(at)
    found = {name: points_of(sheet, time, each) for name, each in rows.items()}
    whole = {name: points for name, points in found.items() if points is not None}
    return whole if 1 < len(whole) <= _SERIES and len(whole) == len(found) else None


def _sortable(value: Cell) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, str(value))


def _one(
    sheet: Sheet, time: str, measure: str, points: Sequence[int], weight: float, who: str
) -> Iterator[Insight]:
    numbers = sheet.numbers(measure)
    there = [at for at in points if numbers[at] is not None]
    if len(there) < _POINTS or not sheet.refers(time, measure):
        return
    values = [numbers[at] or 0.0 for at in there]
    what = f"{plain(measure)} of {who}" if who else plain(measure)
    first, last = there[0], there[-1]
    names = (measure, who)
    change = _change(sheet, time, measure, first, last)
    steps = [b - a for a, b in pairwise(values)]
    one_way = all(each > 0 for each in steps) or all(each < 0 for each in steps)
    if one_way and len(steps) > 1:
        change += f", with a {'rise' if steps[0] > 0 else 'fall'} at every step"
    yield insight(f"{what} {change}", weight, *names)
    extremes = _extremes(sheet, time, measure, there, values)
    if extremes:
        yield insight(f"{what} {extremes}", weight - 1, *names)
    if recent := _recent(sheet, time, measure, there, values):
        yield insight(f"{recent}, against the direction of {what} as a whole", weight - 1.5, *names)


def _change(sheet: Sheet, time: str, measure: str, first: int, last: int) -> str:
    """`rose from 3 in 2001 to 6 in 2010, by 100 %`"""
    one, other = sheet.number(first, measure) or 0.0, sheet.number(last, measure) or 0.0
    ends = (
        f"from {written(sheet, first, measure)} in {_when(sheet, first, time)} to "
        f"{written(sheet, last, measure)} in {_when(sheet, last, time)}"
    )
    if one == other or (one and abs(other - one) / abs(one) < _HARDLY):
        return f"has hardly changed, {ends}"
    verb = "rose" if other > one else "fell"
    if one > 0 and other >= 0:
        if other / one >= 3:
            times = worked("ratio", sheet.at(last, measure), sheet.at(first, measure), form=".1f")
            return f"{verb} {ends}, {times} times as much"
        high, low = (first, last) if other < one else (last, first)
        gap = derived("difference", sheet.at(high, measure), sheet.at(low, measure))
        by = in_text(derived("share", gap, sheet.at(first, measure)), ".0%")
        return f"{verb} {ends}, by {by}"
    high, low = (last, first) if other > one else (first, last)
    form = scaled(abs(other - one), form_of(sheet.numbers(measure)))
    by = worked("difference", sheet.at(high, measure), sheet.at(low, measure), form=form)
    return f"{verb} {ends}, by {by}{unit_of(sheet, measure)}"


def _when(sheet: Sheet, row: int, time: str) -> str:
    """A point in time; a midnight that only pads a date is left out where all have it."""
    return sheet.cell(row, time).text("plain")


def _extremes(
    sheet: Sheet, time: str, measure: str, there: Sequence[int], values: Sequence[float]
) -> str:
    """Peak and trough, where they are not its ends."""
    high, low = max(values), min(values)
    said = []
    for value, word in ((high, "highest"), (low, "lowest")):
        if values.count(value) == 1 and value not in (values[0], values[-1]):
            at = there[values.index(value)]
            said.append(f"{word} in {_when(sheet, at, time)} ({written(sheet, at, measure)})")
    return f"was {' and '.join(said)}" if said else ""


def _recent(
    sheet: Sheet, time: str, measure: str, there: Sequence[int], values: Sequence[float]
) -> str:
    """Where it goes at the end, when that is not simply the direction of the whole."""
    if len(there) < _STEPS:
        return ""
    overall = values[-1] - values[0]
    step = values[-1] - values[-2]
    if step * overall >= 0 or not values[-2]:
        return ""
    if abs(step / values[-2]) < _HARDLY:
        return ""
    before, last = there[-2], there[-1]
    return (
        f"most recently, from {_when(sheet, before, time)} to {_when(sheet, last, time)}, it "
        f"{'rose' if step > 0 else 'fell'} from {written(sheet, before, measure)} to "
        f"{written(sheet, last, measure)}"
    )


def _several(
    sheet: Sheet,
    time: str,
    label: str,
    measure: str,
    groups: Mapping[str, list[int]],
    weight: float,
) -> Iterator[Insight]:
    """Which series rose most and least, and who is ahead at the end."""
    if not sheet.refers(time, measure):
        return
    numbers = sheet.numbers(measure)
    whole = {
        name: there
        for name, points in groups.items()
        if len(there := [at for at in points if numbers[at] is not None]) >= _POINTS
    }
    if len(whole) < 2:
        return
    what = plain(measure)
    ratio = all((numbers[each[0]] or 0.0) > 0 for each in whole.values())

    def growth(points: Sequence[int]) -> float:
        one, other = numbers[points[0]] or 0.0, numbers[points[-1]] or 0.0
        return (other - one) / one if ratio else other - one

    ranked = sorted(whole, key=lambda name: -growth(whole[name]))
    top, least = whole[ranked[0]], whole[ranked[-1]]
    up = growth(top) > 0
    word = ("rose" if up else "fell least") + (" most" if up else "")
    yield insight(
        f"{what} {word} in {named(sheet, top[0], label)}: it "
        f"{_change(sheet, time, measure, top[0], top[-1])}", weight, measure,
    )  # fmt: skip
    down = growth(least) < 0
    yield insight(
        f"{what} {'fell most' if down else 'rose least'} in {named(sheet, least[0], label)}: it "
        f"{_change(sheet, time, measure, least[0], least[-1])}", weight - 0.5, measure,
    )  # fmt: skip
    yield from _latest(sheet, time, label, measure, whole, weight + 0.5)
    yield from _joint(what, [growth(each) for each in whole.values()], weight - 1.5, measure)


def _latest(
    sheet: Sheet,
    time: str,
    label: str,
    measure: str,
    groups: Mapping[str, list[int]],
    weight: float,
) -> Iterator[Insight]:
    last = max(_sortable(sheet.value(points[-1], time)) for points in groups.values())
    ends = [p[-1] for p in groups.values() if _sortable(sheet.value(p[-1], time)) == last]
    ends.sort(key=lambda at: -(sheet.number(at, measure) or 0.0))
    if len(ends) < 2:
        return
    high, low = ends[0], ends[-1]
    text = (
        f"in {_when(sheet, high, time)}, the latest there is, {named(sheet, high, label)} has the "
        f"highest {plain(measure)} ({written(sheet, high, measure)}) and "
        f"{named(sheet, low, label)} the lowest ({written(sheet, low, measure)})"
    )
    yield insight(text, weight, measure, label)


def _joint(what: str, changes: Sequence[float], weight: float, measure: str) -> Iterator[Insight]:
    """Whether all series go the same way."""
    if all(each > 0 for each in changes):
        yield insight(f"{what} rose in all of them", weight, measure)
    elif all(each < 0 for each in changes):
        yield insight(f"{what} fell in all of them", weight, measure)
