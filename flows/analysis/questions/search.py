"""The cheapest ways to read all words of a question as parts of a request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from flows.analysis.questions.parts import GroupingPart, Part, PlacedPart
from flows.analysis.questions.phrases.skips import skip_cost
from flows.analysis.questions.phrases.table import RULES
from flows.analysis.questions.text import Text

_KEPT: Final = 24  # ways kept at each place
_READINGS: Final = 16


@dataclass(frozen=True, slots=True)
class Way:
    """The parts of a question that were read, and the places of words that were left out."""

    parts: tuple[PlacedPart, ...] = ()
    skipped: tuple[int, ...] = ()
    cost: float = 0.0


def find_ways(text: Text) -> list[Way]:
    """The ways to read a text, the cheapest first."""
    size = len(text)
    ways: list[list[Way]] = [[] for _ in range(size + 1)]
    ways[0].append(Way(cost=sum(text.corrected.values())))
    for at in range(size):
        best = _best(ways[at], _KEPT)
        if not best:
            continue
        found = _read(text, at)
        left_out = skip_cost(text, at)
        for way in best:
            grouped = way.parts and isinstance(way.parts[-1].part, GroupingPart)
            for each in found:
                if isinstance(each.part, GroupingPart) and _continues(text, at) and not grouped:
                    continue
                # Longer phrases say more: what is left of them would be parts of their own.
                cost = way.cost + each.cost
                ways[each.end].append(Way((*way.parts, each), way.skipped, cost))
            ways[at + 1].append(Way(way.parts, (*way.skipped, at), way.cost + left_out))
    return _best(ways[size], _READINGS)


def _read(text: Text, at: int) -> list[PlacedPart]:
    """What stands at a place: each part once for the words it takes, at its least cost."""
    cheapest: dict[tuple[int, Part], PlacedPart] = {}
    for rule in RULES:
        for each in rule(text, at):
            known = cheapest.get((each.end, each.part))
            if known is None or each.cost < known.cost:
                cheapest[each.end, each.part] = each
    return list(cheapest.values())


def _continues(text: Text, at: int) -> bool:
    return text.word(at) in ("and", ",") and not text.sees(at, "and", "by")


def _best(ways: list[Way], kept: int) -> list[Way]:
    """The cheapest, each set of parts once; of equal cost the one with fewer parts."""
    ways.sort(key=lambda each: each.cost + 0.005 * len(each.parts))
    seen: set[tuple[object, ...]] = set()
    found = []
    for each in ways:
        key = tuple(placed.part for placed in each.parts)
        if key not in seen:
            seen.add(key)
            found.append(each)
            if len(found) == kept:
                break
    return found
