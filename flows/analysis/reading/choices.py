"""A beam over the ways to read a question: the likeliest, then those with a choice changed."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Choices:
    """The choices of one reading: those that it was told to make, then always the first option."""

    told: tuple[int, ...] = ()
    made: list[int] = field(default_factory=list)
    options: list[tuple[int, float]] = field(default_factory=list)
    cost: float = 0.0

    def pick(self, options: int, cost: float) -> int:
        """The option to take, of so many. Each but the first adds `cost` to the doubt."""
        place = len(self.made)
        chosen = self.told[place] if place < len(self.told) else 0
        self.made.append(chosen)
        self.options.append((options, cost))
        self.cost += cost if chosen else 0.0
        return chosen


def explore(read: Callable[[Choices], T | None], most: int) -> Iterator[T]:
    """The results of at most `most` readings, those with the cheapest choices first.

    `read` must make the same choices in the same order whenever it is told the same.
    """
    waiting: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    for _ in range(most):
        if not waiting:
            return
        _, told = heapq.heappop(waiting)
        choices = Choices(told)
        found = read(choices)
        for place in range(len(told), len(choices.made)):
            options, cost = choices.options[place]
            before = tuple(choices.made[:place])
            spent = sum(c for (_, c), made in zip(choices.options, before, strict=False) if made)
            for other in range(1, options):
                heapq.heappush(waiting, (spent + cost, (*before, other)))
        if found is not None:
            yield found
