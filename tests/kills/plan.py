"""Which cases are played: every named point once, and runs that are killed at random moments."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.kills.attempt import Way
from tests.kills.case import Case, Kill, Moment, Report
from tests.kills.points import Point

# The share of the kills that are at named points, where those do not all fit.
NAMED_SHARE = 0.6
WATCHED: tuple[Way, ...] = ("own", "shared")
RANDOM: tuple[Way, ...] = ("door", "door", "door", "normal", "shared")


@dataclass(frozen=True)
class Plan:
    """`named` are the cases of single points, in the order in which they are played; `known` are
    all points that there are, by way and attempt."""

    named: tuple[Case, ...]
    possible: int
    known: dict[Way, list[list[Point]]]


def undisturbed(way: Way, base_url: str, name: str) -> Case:
    """A case without kills, that tells what it passes."""
    return Case(f"{name}-{way}", way, (), base_url, note_points=way != "door")


def letters_lost(way: Way, points: Sequence[Sequence[Point]], base_url: str) -> list[Case]:
    """Cases that are killed after a letter was sent, and just before: what came of it is asked."""
    found = []
    for attempt, passed in enumerate(points):
        names = [point.name for point in passed]
        if "intent: after" in names:
            begun = names.index("intent: after")
            sent = next(at for at in range(begun, len(names)) if names[at] == "outcome: before")
            for name, at in (("unsent", begun), ("sent", sent)):
                kills = (*[None] * attempt, passed[at])
                found.append(Case(f"{name}-{way}", way, kills, base_url, note_points=True))
    return found


def make_plan(calm: Sequence[Report], kills: int, chance: random.Random) -> Plan:
    """The plan for so many kills, from reports on cases that told what they passed."""
    cases = []
    known: dict[Way, list[list[Point]]] = {}
    for report in calm:
        if report.case.way not in WATCHED and report.case.way != "naive":
            continue
        before = report.case.kills
        known.setdefault(report.case.way, report.points)
        for attempt, points in enumerate(report.points):
            if attempt < len(before):
                continue
            for point in dict.fromkeys(points):
                schedule = (*before, *[None] * (attempt - len(before)), point)
                cases.append((report.case, schedule))
    chance.shuffle(cases)
    taken = cases[: max(1, round(kills * NAMED_SHARE))]
    named = tuple(
        Case(f"p{number}", case.way, schedule, case.base_url)
        for number, (case, schedule) in enumerate(taken)
    )
    return Plan(named, len(cases), known)


def random_cases(
    plan: Plan, base_url: str, chance: random.Random, ways: Sequence[Way]
) -> Iterator[Case]:
    """Cases without end: one to five kills each, at random moments and at named points."""
    number = 0
    while True:
        way = chance.choice(ways)
        kills: list[Kill] = []
        while not any(kills):
            kills = [_kill(plan, way, at, chance) for at in range(chance.randint(1, 6))]
        yield Case(f"r{number}", way, tuple(kills), base_url)
        number += 1


def _kill(plan: Plan, way: Way, attempt: int, chance: random.Random) -> Kill:
    points = plan.known.get(way)
    if points and chance.random() < 0.2:
        return chance.choice(points[min(attempt, len(points) - 1)])
    return Moment(chance.random()) if chance.random() < 0.8 else None
