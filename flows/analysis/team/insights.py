"""What the rows of a result say, each number as a reference to its cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from flows.analysis.team.rules.asked import Asked
from flows.analysis.team.rules.columns import Parts, parts_of
from flows.analysis.team.rules.comparing import gaps, gaps_of, is_by_measure, tests
from flows.analysis.team.rules.correlations import correlations
from flows.analysis.team.rules.extraction import extraction
from flows.analysis.team.rules.insight import Insight, best_of
from flows.analysis.team.rules.links import links_of
from flows.analysis.team.rules.models import drivers, drivers_of
from flows.analysis.team.rules.quality import metrics_of, quality
from flows.analysis.team.rules.ranking import label_of, rankings
from flows.analysis.team.rules.series import of_entity, over_time, points_of, series_of
from flows.analysis.team.rules.sheet import Sheet
from flows.analysis.team.rules.single import single
from flows.analysis.team.rules.statistics import statistics
from flows.analysis.team.rules.wording import listed, plain, spelled_out
from flows.analysis.telling.told import foreign
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
    task = str(given.get("task") or "")
    question = str(given.get("question") or "") or task
    beside = [Sheet.of({**each, "table": each["artifact"]}) for each in given.get("beside") or ()]
    return {"insights": said(Sheet.of(given), task, question, beside)}


def said(sheet: Sheet, task: str, question: str, beside: Sequence[Sheet] = ()) -> list[str]:
    """The insights of a result, those that help the question first. Of the tables `beside` it the
    metrics of a model are told."""
    if not sheet.rows:
        return [EMPTY]
    asked, doing = Asked.of(question), Asked.of(task)
    found = list(read_sheet(sheet, doing, asked))
    for other in beside:
        measured = quality(other, metrics_of(other), task)
        found += [within(replace(each, weight=each.weight - _BESIDE), doing) for each in measured]
    if not found:
        found = list(extraction(sheet, parts_of(sheet), asked, doing))
    names = [*sheet.columns, *doing.quoted(), *(name for each in found for name in each.about)]
    return [spelled_out(each, names, asked) for each in best_of(found, asked)]


def within(each: Insight, task: Asked, placed: str = "") -> Insight:
    """An insight of a part of the rows says so: what holds there need not hold for all."""
    values = task.values() or ([placed] if placed else [])
    if not values and not any(task.condition):
        return each
    rest = each.text if each.text.startswith(("{{", "`")) else each.text[:1].lower() + each.text[1:]
    if not values:
        column, bound = task.condition
        return replace(each, text=f"Where {plain(column)} is {bound}, {rest}")
    return replace(each, text=f"Within {foreign(listed(values))}, {rest}")


def read_sheet(sheet: Sheet, task: Asked, asked: Asked) -> Iterator[Insight]:
    """What a result says by the rules for its shape."""
    links = links_of(sheet) if sheet.whole else []
    if links:
        yield from (within(each, task) for each in correlations(sheet, links, task, asked))
        return
    model = drivers_of(sheet, task.text) if sheet.whole else None
    if model is not None and model.found:
        yield from (within(each, task) for each in drivers(sheet, model, asked))
        return
    metrics = metrics_of(sheet)
    if metrics:
        yield from (within(each, task) for each in quality(sheet, metrics, task.text))
        return
    yield from _of_rows(sheet, parts_of(sheet), task, asked)


def _of_rows(sheet: Sheet, parts: Parts, task: Asked, asked: Asked) -> Iterator[Insight]:
    told = statistics(sheet, parts, asked) if sheet.whole else None
    if told is not None:
        yield from (within(each, task, _placed(sheet, task, asked)) for each in told)
        return
    who, apart = gaps_of(sheet, asked, task) if sheet.whole else ("", [])
    if len(sheet.rows) == 1 == sheet.total:
        yield from gaps(who, apart) if apart else single(sheet, parts, asked)
        return
    if not sheet.whole or not parts.measures:
        yield from extraction(sheet, parts, asked, task)
        return
    if "p_value" in sheet.columns and (found := list(tests(sheet, parts, task, asked))):
        yield from found
        return
    if apart:
        yield from gaps(who, apart)
        if len(sheet.rows) == 2 or label_of(sheet, parts) is None or is_by_measure(sheet):
            return
    ranked = is_ranked(sheet, parts, asked)
    if is_raw(sheet) and not ranked:
        yield from extraction(sheet, parts, asked, task)
        yield from of_entity(sheet, parts, asked)
        return
    if is_series(sheet, parts):
        yield from over_time(sheet, parts, task, asked)
    elif label_of(sheet, parts) is not None and (ranked or len(sheet.rows) <= _RANKED):
        yield from rankings(sheet, parts, asked)
    elif not apart:
        yield from extraction(sheet, parts, asked, task)


def _placed(sheet: Sheet, task: Asked, asked: Asked) -> str:
    """The one that both the question and the task are about, if no cell names it."""
    name = asked.placed()
    there = any(cell == name for row in sheet.rows for cell in row)
    return name if name and name in task.text and not there else ""


def is_ranked(sheet: Sheet, parts: Parts, asked: Asked) -> bool:
    """Whether the question asks for the first of many named rows, by a measure that it names."""
    named = any(asked.share_of(each) >= _NAMED for each in parts.measures)
    return asked.end != "" and named and label_of(sheet, parts) is not None


def is_raw(sheet: Sheet) -> bool:
    """Whether these are rows as they were recorded, and no result that a person reads whole."""
    return len(sheet.rows) > _RAW and len(sheet.columns) >= _WIDE


def is_series(sheet: Sheet, parts: Parts) -> bool:
    """Whether the rows are points in time, of one series or of several."""
    if not parts.times:
        return False
    if points_of(sheet, parts.times[0], range(len(sheet.rows))) is not None:
        return True
    return any(series_of(sheet, parts.times[0], each) is not None for each in parts.labels)
