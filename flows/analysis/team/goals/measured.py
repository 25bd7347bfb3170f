"""The tasks about one figure: what it is, where it differs, how it has changed and by what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from flows.analysis.methods.breakdown.arguments import MOST_FIELDS
from flows.analysis.reading.draft import is_numeric, is_time
from flows.analysis.team.goals.builder import analysis, figure, figures
from flows.analysis.team.goals.changes import (
    dimensions_of,
    is_cleaned,
    plan_explained_change,
    take_rows,
)
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.kin import are_kin
from flows.analysis.team.goals.kinds import asks_change, asks_why, kinds_of
from flows.analysis.team.goals.measure import (
    TargetMeasure,
    main_measure,
    measure_of,
    profit_of,
)
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.steps import Steps
from flows.analysis.team.goals.wide_table import Wide
from flows.data.tables import Column
from flows.semantics.request import Analysis, Chart

_CHOOSES: Final = re.compile(
    r"\b(?:should|focus|worth|important|valuable|matters?|best|worst|concentrat\w+|"
    r"responsible|to blame)\b", re.IGNORECASE,
)  # fmt: skip
_WHICH: Final = re.compile(r"\b(?:which|who)\b", re.IGNORECASE)
_EXPLAINS: Final = re.compile(r"\b(?:explain\w*|cause[sd]?|behind|responsible)\b", re.IGNORECASE)
_GROUPED = 30


def plan_measured(steps: Steps, goal: Goal) -> str:
    """What a question for reasons, a change or a choice takes, where it speaks of a figure: its
    change, else its breakdown. Returns how it was understood, "" where it asks for something else.
    """
    kinds, named = set(kinds_of(goal.text)), any(each.numbers for each in goal.scopes[:1])
    chooses = bool(_CHOOSES.search(goal.text)) and not named
    ranks = "ranking" in kinds and _WHICH.search(goal.text) and asks_why(goal.text)
    if named and ranks and not asks_change(goal.text):
        return ""
    if not (chooses or "drivers" in kinds or ("trend" in kinds and _EXPLAINS.search(goal.text))):
        return ""
    measure = measure_of(goal)
    if measure is None and chooses:
        found = (main_measure(goal, each.wide) for each in goal.scopes)
        measure = next((each for each in found if each is not None), None)
    if measure is None:
        return ""
    scope = next(s for s in goal.scopes if s.wide.base.name == measure.wide.base.name)
    # What the figure itself is of is no condition: `why do people get hired`.
    scope = replace(scope, entities=tuple(e for e in scope.entities if e.column != measure.column))
    wide = _around(measure, scope)
    if not plan_explained_change(steps, measure, wide, scope, goal.text):
        if scope.entities and named:  # what is named is set beside the others
            return ""
        _plan_breakdown(steps, measure, wide, scope, goal.text)
        profit = profit_of(goal, wide) if chooses and measure.how == "sum" else None
        if profit is not None and profit.column != measure.column:
            _plan_breakdown(steps, profit, profit.wide, scope, goal.text)
    return measured_words(measure) if steps.steps else ""


def is_whole(steps: Steps, goal: Goal) -> bool:
    """Whether these tasks are all that a question takes: its change is explained, or no other task
    can work on the figure that it speaks of."""
    explained = any(
        isinstance(each.request, Analysis) and each.request.method == "change"
        for each in steps.steps
    )
    scope = goal.scopes[0]
    return (explained and not scope.entities) or not scope.numbers


def _around(measure: TargetMeasure, scope: TableScope) -> Wide:
    """All that can be said of the rows, where that has what the question names."""
    whole = measure.wide.whole()
    named = {measure.column, *(each.column for each in scope.filters)}
    return whole if named <= set(whole.home) else measure.wide


def _plan_breakdown(
    steps: Steps, measure: TargetMeasure, wide: Wide, scope: TableScope, text: str
) -> None:
    own = wide.base.columns
    dimensions = [
        c for c in dimensions_of(measure, wide, scope)
        if not is_time(c) or (c in own and not is_cleaned(c, wide, steps.model))
    ][:MOST_FIELDS]  # fmt: skip
    named = [c for c in dimensions if c in scope.columns and not is_numeric(c)]
    ranking = "drivers" not in kinds_of(text) and measure.how == "sum"
    of_groups = [c for c in dimensions if not is_numeric(c) and not is_time(c)]
    chosen = of_groups if ranking else dimensions
    if ranking and named:
        chosen = [*named, *(c for c in dimensions if is_numeric(c) and c.name in measure.made_of)]
    how = measure.how if ranking or measure.how == "share" else "average"
    kept = [c for c in measure.made_of if is_numeric(wide.of(c)) and not is_time(wide.of(c))]
    names = [measure.column, *(c.name for c in chosen), *kept]
    take_rows(steps, wide, scope.filters, names)
    called = measure.words or measure.column
    kin = [c.name for c in chosen if is_numeric(c) and are_kin(called, c.name)]
    fields = tuple(c.name for c in chosen)
    asked = analysis(
        "breakdown", wide, scope.filters, target=measure.column, fields=fields, kin=tuple(kin),
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


def measured_words(measure: TargetMeasure) -> str:
    """How the question was understood, in a sentence."""
    what = f'"{measure.words or measure.column}"'
    told = {"average": "the average of", "sum": "the total of", "share": "the share of rows with"}
    of = f" = {measure.yes}" if measure.yes else ""
    where = f' ("{measure.column}"{of})' if measure.words else ""
    return (f"The question is about {told[measure.how]} {what}{where}, in the table "
            f'"{measure.wide.base.name}".')  # fmt: skip
