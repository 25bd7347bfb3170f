"""A business question as a list of tasks: its parts, the kind of each, the tasks of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from flows.analysis.reading.outcome import Reading, Unread
from flows.analysis.reading.read import read
from flows.analysis.team.goals.asking import plan_question, plan_study
from flows.analysis.team.goals.comparing import plan_difference, plan_ranking
from flows.analysis.team.goals.describing import (
    plan_anomalies,
    plan_distribution,
    plan_overview,
    plan_segments,
)
from flows.analysis.team.goals.developing import plan_forecast, plan_trend
from flows.analysis.team.goals.drivers import plan_drivers
from flows.analysis.team.goals.effects import plan_effect
from flows.analysis.team.goals.kinds import Kind, asks_same, asks_why, kinds_of, ranks
from flows.analysis.team.goals.parts import about_what, parts_of
from flows.analysis.team.goals.referring import refers
from flows.analysis.team.goals.scope import Scope, scopes_of
from flows.analysis.team.goals.steps import GOAL, INSIGHTS, Step, Steps
from flows.analysis.team.goals.told import left_words, understood_as, wanted_words
from flows.data.tables import Table

Planner = Callable[[Steps, Scope, str], object]
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
# A question that a query answers with less doubt than this is not asked for more.
_PLAIN: Final = 0.45
_LEAST: Final = 0.5


@dataclass(frozen=True, slots=True)
class Broken:
    """The tasks of a question, how it was understood, and why there are none."""

    steps: tuple[Step, ...]
    understood: str
    cannot: str = ""


def break_down(question: str, agents: Sequence[str], tables: Sequence[Table], most: int) -> Broken:
    """The tasks of a question; of several in one, each is planned by itself."""
    parts = parts_of(question)
    if len(parts) == 1:
        return _one(question, agents, tables, most)
    parts = about_what(parts, tables)
    if GOAL in agents and len(parts) <= most and any(_is_goal(each, tables) for each in parts):
        return _goals(parts, tables)
    share = max(4, most // len(parts))
    found = [_one(each, agents, tables, share) for each in parts]
    steps = tuple(dict.fromkeys(step for each in found for step in each.steps))
    said = " ".join(f"({n}) {each.understood or each.cannot}" for n, each in enumerate(found, 1))
    cannot = "" if steps else " ".join(each.cannot for each in found)
    return Broken(_fitted(steps, most), said, cannot)


def _is_goal(part: str, tables: Sequence[Table]) -> bool:
    """Whether a part takes several tasks of its own, or what an earlier part finds."""
    scope = next(iter(scopes_of(part, tables)), None)
    if scope is None or refers(part, tables):
        return True
    kinds = _ordered([scope], part, tables)
    return not kinds or kinds[0] not in ("question", "distribution")


def _goals(parts: Sequence[str], tables: Sequence[Table]) -> Broken:
    """Each part as a goal that a team of its own works on."""
    steps = [Step(GOAL, part) for part in parts if _related(part, tables)]
    left = [part for part in parts if not _related(part, tables)]
    said = f"It asks {len(parts)} things; each is a goal of its own."
    if left:
        said += f" Not related to the data: {'; '.join(left)}"
    if not steps:
        return Broken((), said, why_not(parts[0], tables))
    return Broken(tuple(steps), said)


# What can be asked of any data, and how many words may then be left that nothing explains.
_OF_ANY: Final[dict[Kind, int]] = {"overview": 0, "segments": 1, "anomalies": 1}


def _related(part: str, tables: Sequence[Table]) -> bool:
    """Whether a question has to do with the data."""
    scope = next(iter(scopes_of(part, tables)), None)
    if scope is None or scope.worth >= _LEAST:
        return scope is not None
    reading = read(part, tables)
    if isinstance(reading, Reading) and reading.doubt <= _PLAIN and not reading.unexplained:
        return True
    unknown = left_words(scope, part)
    return not scope.names and any(
        kind in _OF_ANY and len(unknown) <= _OF_ANY[kind] for kind in kinds_of(scope.plain)
    )


def _one(question: str, agents: Sequence[str], tables: Sequence[Table], most: int) -> Broken:
    scopes = scopes_of(question, tables)
    if not scopes:
        return Broken((), "", "there is no table to work on")
    if not _related(question, tables):
        return Broken((), "", why_not(question, tables))
    for kind in _ordered(scopes, question, tables):
        for scope in _fitting(scopes, kind):
            steps = Steps(agents, tables)
            if _planned(kind, steps, scope, question) and _does_something(steps):
                said = understood_as(kind, scope, question, steps)
                return Broken(_fitted(tuple(steps.steps), most), said)
    why = f"none of the agents here ({', '.join(agents)}) can work on it"
    if missing := wanted_words(scopes[0], question, read(question, tables)):
        why = why_not(question, tables, missing)
    return Broken((), understood_as("question", scopes[0], question, None), why)


_NEAR: Final = 0.35


def _fitting(scopes: Sequence[Scope], kind: Kind) -> list[Scope]:
    """The scopes to try: of those that explain about the same, the one with the most to compare."""
    near = [each for each in scopes if each.worth > scopes[0].worth - _NEAR]
    unnamed = not scopes[0].numbers and (
        kind in ("ranking", "difference") or (kind == "overview" and bool(scopes[0].entities))
    )
    if unnamed or scopes[0].worth < _LEAST:
        near.sort(key=lambda each: -len(each.measures))
    return near[:2]


def _ordered(scopes: Sequence[Scope], question: str, tables: Sequence[Table]) -> list[Kind]:
    """The kinds to try: first of all `question`, where one query answers it as it stands."""
    scope = scopes[0]
    kinds = kinds_of(scope.plain)
    order = list(kinds)
    of_one = bool(scope.entities and scope.numbers and asks_why(question))
    if "ranking" in kinds and not of_one and (asks_why(question) or ranks(scope.plain)):
        order = ["ranking", *(each for each in kinds if each != "ranking")]
    if asks_same(question) and len(scope.numbers) > 1:
        order = ["effect", *order]
    reading = read(question, tables)
    plain = isinstance(reading, Reading) and reading.doubt <= _PLAIN and not reading.unexplained
    more = set(kinds) - {"question", "ranking"} or ranks(scope.plain)
    if plain and not more:
        order = ["question", *order]
    return list(dict.fromkeys([*order, *_otherwise(scope, question, kinds, reading)]))


def _otherwise(
    scope: Scope, question: str, kinds: Sequence[Kind], reading: Reading | Unread
) -> list[Kind]:
    """What else a question may want, by what it names: columns beside each other, a thing beside
    the others, how a column is spread; an overview only of what is understood."""
    found: list[Kind] = []
    if len(scope.columns) > 1 and (scope.numbers or scope.asked):
        found.append("effect")
    named = bool(set(kinds) - {"question"}) or not wanted_words(scope, question, reading)
    if scope.entities and (scope.numbers or named):
        found.append("ranking")
    if scope.numbers:
        found.append("distribution")
    if named:
        found.append("overview")
    return found


def _planned(kind: Kind, steps: Steps, scope: Scope, question: str) -> bool:
    if kind == "question":
        return plan_question(steps, scope, question) or plan_study(steps, scope, question)
    if not _PLANNERS[kind](steps, scope, question):
        return False
    if kind == "ranking" and asks_why(question):
        also = Steps(steps.agents, steps.tables)
        named_target = scope if scope.numbers else replace(scope, columns=scope.measures[:1])
        if plan_drivers(also, replace(named_target, entities=()), question):
            steps.steps.extend(each for each in also.steps if each not in steps.steps)
    return True


def _does_something(steps: Steps) -> bool:
    """Whether more comes of the tasks than the data itself."""
    return len({each.name for each in steps.steps} - {INSIGHTS}) > 0


def _fitted(steps: tuple[Step, ...], most: int) -> tuple[Step, ...]:
    """At most so many tasks: the last ones before the insights go first."""
    kept = list(steps)
    while len(kept) > most:
        spare = [n for n, each in enumerate(kept) if each.name != INSIGHTS and n > 0]
        kept.pop(spare[-1] if spare else -1)
    if kept and all(each.name == INSIGHTS for each in kept):
        return ()
    return tuple(kept)


_LISTED: Final = 6


def why_not(question: str, tables: Sequence[Table], missing: Sequence[str] = ()) -> str:
    """Why nothing can be done: what the data is about instead."""
    reading = read(question, tables)
    words = reading.not_understood if isinstance(reading, Unread) else ()
    about = "; ".join(
        f"{table.name}: {', '.join(column.name for column in table.columns[:_LISTED])}"
        for table in tables[:_LISTED]
    )
    if missing:
        said = ", ".join(repr(each) for each in missing)
        return f"nothing in the data is called {said}. It holds {about}"
    said = f" (not understood: {', '.join(words)})" if words else ""
    return f"nothing in the question names something that the data holds{said}. It holds {about}"
