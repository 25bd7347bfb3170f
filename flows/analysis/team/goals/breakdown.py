"""A business question as a list of tasks: its parts, the kind of each, the tasks of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from flows.analysis.reading.outcome import Unread
from flows.analysis.team.abilities import Team
from flows.analysis.team.goals.anaphora import refers
from flows.analysis.team.goals.changes import plan_against, plan_all_changes
from flows.analysis.team.goals.comparison import plan_difference, plan_ranking
from flows.analysis.team.goals.description import (
    plan_anomalies,
    plan_distribution,
    plan_overview,
    plan_segments,
)
from flows.analysis.team.goals.development import plan_forecast, plan_trend
from flows.analysis.team.goals.drivers import plan_drivers
from flows.analysis.team.goals.effects import plan_effect
from flows.analysis.team.goals.goal import Goal
from flows.analysis.team.goals.kinds import (
    Kind,
    asks_same,
    asks_why,
    kinds_of,
    ranks,
    sets_against,
)
from flows.analysis.team.goals.measured import is_whole, plan_measured
from flows.analysis.team.goals.metrics import metric_words, plan_metric
from flows.analysis.team.goals.parts import about_what, listed_things, parts_of
from flows.analysis.team.goals.predictions import plan_predictions
from flows.analysis.team.goals.scope import TableScope
from flows.analysis.team.goals.single_request import plan_analysis, plan_query
from flows.analysis.team.goals.soundness import plan_soundness
from flows.analysis.team.goals.steps import PlannedTask, Steps
from flows.analysis.team.goals.understanding import (
    left_words,
    understood_as,
    unused,
    wanted_words,
)
from flows.data.tables import Table
from flows.semantics.model import SemanticModel

Planner = Callable[[Steps, TableScope, str], object]
_PLANNERS: Final[dict[Kind, Planner]] = {
    "forecast": plan_forecast,
    "segments": plan_segments,
    "anomalies": plan_anomalies,
    "overview": plan_overview,
    "drivers": plan_drivers,
    "effect": plan_effect,
    "difference": plan_difference,
    "ranking": plan_ranking,
    "trend": plan_trend,
    "distribution": plan_distribution,
}
_LEAST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The tasks of a question, how it was understood, and why there are none."""

    steps: tuple[PlannedTask, ...]
    understood: str
    cannot: str = ""
    # What the question names and no task works on.
    left_out: tuple[str, ...] = ()


def break_down(
    question: str, team: Team, tables: Sequence[Table], model: SemanticModel, most: int
) -> Breakdown:
    """The tasks of a question; of several in one, each is planned by itself."""
    predicting = Steps(team, tables, model)
    if said := plan_predictions(predicting, Goal(question, tables, model)):
        return Breakdown(tuple(predicting.steps), said)
    parts, unknown = parts_of(question), tuple[str, ...]()
    if len(parts) == 1:
        listed, unknown = listed_things(question, tables, model)
        parts = listed or parts
    if len(parts) == 1:
        return _one(Goal(question, tables, model), team, most)
    asked = about_what(parts, tables, model)
    if team.goals and len(parts) <= most and any(_is_goal(each, tables) for each in asked):
        steps = tuple(PlannedTask(team.goals, None, each) for each in asked)
        return Breakdown(steps, f"It asks {len(asked)} things; each is a goal of its own.", "",
                         unknown)  # fmt: skip
    share = max(4, most // len(parts))
    found = [_one(Goal(each, tables, model), team, share) for each in asked]
    steps = tuple(dict.fromkeys(step for each in found for step in each.steps))
    said = " ".join(f"({n}) {each.understood or each.cannot}" for n, each in enumerate(found, 1))
    cannot = "" if steps else " ".join(each.cannot for each in found)
    left = dict.fromkeys(word for each in found for word in each.left_out)
    left |= dict.fromkeys(unknown) | dict.fromkeys(
        e for e, made in zip(asked, found, strict=True) if not made.steps
    )
    return Breakdown(_fitted(steps, team, most), said, cannot, tuple(left))


def _is_goal(text: str, tables: Sequence[Table]) -> bool:
    """Whether a part takes several tasks of its own, or what an earlier part finds. Its words say
    so: it is read by those who work on it."""
    more = set(kinds_of(text)) - {"question", "distribution", "ranking"}
    return bool(more) or ranks(text) or refers(text, tables)


# What can be asked of any data, and how many words may then be left that nothing explains.
_OF_ANY: Final[dict[Kind, int]] = {"overview": 0, "segments": 1, "anomalies": 1}


def _related(goal: Goal) -> bool:
    """Whether a question has to do with the data."""
    if goal.metric is not None:
        return True
    scope = next(iter(goal.scopes), None)
    if scope is None or scope.worth >= _LEAST:
        return scope is not None
    if goal.is_plain:
        return True
    unknown = left_words(scope, goal.text)
    return not scope.names and any(
        kind in _OF_ANY and len(unknown) <= _OF_ANY[kind] for kind in kinds_of(scope.plain)
    )


def _one(goal: Goal, team: Team, most: int) -> Breakdown:
    if not goal.scopes:
        return Breakdown((), "", "there is no table to work on")
    for plan in (plan_soundness, plan_against, plan_measured, plan_all_changes):
        steps = Steps(team, goal.tables, goal.model)
        if said := plan(steps, goal):
            alone = plan is not plan_measured or is_whole(steps, goal)
            also = Breakdown((), "") if alone else _of_kind(goal, team, most)
            planned = _fitted((*steps.steps, *also.steps), team, most)
            left = left_words(goal.scopes[0], goal.text) if plan is plan_measured else ()
            told = f"{said} {also.understood}".strip()
            return Breakdown(planned, told, "", tuple(dict.fromkeys((*left, *also.left_out))))
    if not _related(goal):
        return Breakdown((), "", why_not(goal))
    return _of_kind(goal, team, most)


def _of_kind(goal: Goal, team: Team, most: int) -> Breakdown:
    """The tasks of a question by the kind of answer that it wants."""
    figured = Steps(team, goal.tables, goal.model)
    if plan_metric(figured, goal) and _does_something(figured):
        return Breakdown(_fitted(tuple(figured.steps), team, most), metric_words(goal))
    for kind in _ordered(goal):
        for scope in _fitting(goal.scopes, kind):
            steps = Steps(team, goal.tables, goal.model)
            if _planned(kind, steps, scope, goal) and _does_something(steps):
                if sets_against(goal.text) or unused(scope, steps.steps):
                    plan_effect(steps, scope, goal.text)
                planned = _fitted(tuple(steps.steps), team, most)
                said = understood_as(kind, scope, goal.text, planned, goal.model)
                left = (*left_words(scope, goal.text), *unused(scope, planned))
                return Breakdown(planned, said, "", left)
    why = f"none of the agents here ({', '.join(team.names)}) can work on it"
    if missing := wanted_words(goal.scopes[0], goal.text, goal.reading):
        why = why_not(goal, missing)
    return Breakdown((), understood_as("question", goal.scopes[0], goal.text, (), goal.model), why)


_NEAR: Final = 0.35


def _fitting(scopes: Sequence[TableScope], kind: Kind) -> list[TableScope]:
    """The scopes to try: of those that explain about the same, the one with the most to compare."""
    near = [each for each in scopes if each.worth > scopes[0].worth - _NEAR]
    unnamed = not scopes[0].numbers and (
        kind in ("ranking", "difference") or (kind == "overview" and bool(scopes[0].entities))
    )
    if unnamed or scopes[0].worth < _LEAST:
        near.sort(key=lambda each: -len(each.measures))
    return near[:2]


def _ordered(goal: Goal) -> list[Kind]:
    """The kinds to try: first of all `question`, where one query answers it as it stands."""
    scope = goal.scopes[0]
    kinds = kinds_of(scope.plain)
    order = list(kinds)
    of_one = bool(scope.entities and scope.numbers and asks_why(goal.text))
    if "ranking" in kinds and not of_one and (asks_why(goal.text) or ranks(scope.plain)):
        order = ["ranking", *(each for each in kinds if each != "ranking")]
    if asks_same(goal.text) and len(scope.numbers) > 1:
        order = ["effect", *order]
    more = set(kinds) - {"question", "ranking"} or ranks(scope.plain)
    if not more and goal.is_plain:
        order = ["question", *order]
    return list(dict.fromkeys([*order, *_otherwise(scope, goal, kinds)]))


def _otherwise(scope: TableScope, goal: Goal, kinds: Sequence[Kind]) -> list[Kind]:
    """What else a question may want, by what it names: columns beside each other, a thing beside
    the others, how a column is spread; an overview only of what is understood."""
    found: list[Kind] = []
    if len(scope.columns) > 1 and (scope.numbers or scope.asked):
        found.append("effect")
    named = bool(set(kinds) - {"question"}) or not wanted_words(scope, goal.text, goal.reading)
    if scope.entities and (scope.numbers or named):
        found.append("ranking")
    if scope.numbers:
        found.append("distribution")
    if named:
        found.append("overview")
    return found


def _planned(kind: Kind, steps: Steps, scope: TableScope, goal: Goal) -> bool:
    if kind == "question":
        return plan_query(steps, scope, goal) or plan_analysis(steps, goal)
    if not _PLANNERS[kind](steps, scope, goal.text):
        return False
    if kind == "ranking" and asks_why(goal.text):
        also = Steps(steps.team, steps.tables, steps.model)
        named_target = scope if scope.numbers else replace(scope, columns=scope.measures[:1])
        if plan_drivers(also, replace(named_target, entities=()), goal.text):
            steps.steps.extend(each for each in also.steps if each not in steps.steps)
    return True


def _does_something(steps: Steps) -> bool:
    """Whether more comes of the tasks than what they tell of."""
    return any(each.name != steps.team.tells for each in steps.steps)


def _fitted(steps: tuple[PlannedTask, ...], team: Team, most: int) -> tuple[PlannedTask, ...]:
    """At most so many tasks: the last ones before the insights go first."""
    kept = list(steps)
    while len(kept) > most:
        spare = [n for n, each in enumerate(kept) if each.name != team.tells and n > 0]
        kept.pop(spare[-1] if spare else -1)
    if kept and all(each.name == team.tells for each in kept):
        return ()
    return tuple(kept)


_LISTED: Final = 6


def why_not(goal: Goal, missing: Sequence[str] = ()) -> str:
    """Why nothing can be done: what the data is about instead."""
    about = "; ".join(
        f"{table.name}: {', '.join(column.name for column in table.columns[:_LISTED])}"
        for table in goal.tables[:_LISTED]
    )
    if missing:
        said = ", ".join(repr(each) for each in missing)
        return f"nothing in the data is called {said}. It holds {about}"
    words = goal.reading.not_understood if isinstance(goal.reading, Unread) else ()
    said = f" (not understood: {', '.join(words)})" if words else ""
    return f"nothing in the question names something that the data holds{said}. It holds {about}"
