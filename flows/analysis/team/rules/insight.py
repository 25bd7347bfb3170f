"""One thing that a result says, and how much it matters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.rendering import sentence

MOST: Final = 6
# Of what a method says of the figure that is asked about.
MOST_STATED: Final = 12
# A name that the question has is worth as much as the step from a detail to a main result.
_NAMED: Final = 4.0


@dataclass(frozen=True, slots=True)
class Insight:
    """A sentence. `weight` is from 0 to 10, 10 what the result is about; `about` are the columns
    and values that it speaks of."""

    text: str
    weight: float
    about: tuple[str, ...] = ()


def insight(text: str, weight: float, *about: str) -> Insight:
    return Insight(sentence(text), weight, about)


def best_of(found: Iterable[Insight], goal: BusinessGoal, most: int = MOST) -> list[str]:
    """The insights that matter most for the question, the first first; each text once."""
    ranked = sorted(found, key=lambda each: -_score(each, goal))
    return list(dict.fromkeys(each.text for each in ranked))[:most]


def _score(each: Insight, goal: BusinessGoal) -> float:
    named = max((_share(name, goal) for name in each.about), default=0.0)
    return each.weight + _NAMED * named


def _share(name: str, goal: BusinessGoal) -> float:
    return 1.0 if goal.has_value(name) else goal.share_of(name)
