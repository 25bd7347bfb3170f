"""Columns of a model that are the values of one category, put together as the category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

# Between the name of a category and its value, where a model has a column for each value.
_IS: Final = " = "
UNSURE: Final = 0.05


@dataclass(frozen=True, slots=True)
class Driver:
    """A column that counts in a model: its row, by how much, and what more of it goes with. Of a
    category `parts` are its values, each a column of the model."""

    feature: str
    row: int
    size: float
    effect: float | None = None
    correlation: float | None = None
    p: float | None = None
    parts: tuple[Driver, ...] = ()

    @property
    def direction(self) -> float:
        """More than 0 where more of it goes with more of the target; 0 where nobody knows."""
        return self.effect if self.effect is not None else self.correlation or 0.0

    @property
    def value(self) -> str:
        """The value of a category that it stands for, "" for a column of the data."""
        return self.feature.partition(_IS)[2]

    @property
    def rows(self) -> tuple[int, ...]:
        """Its rows in the result that count for something."""
        return tuple(e.row for e in self.parts if e.size > 0) if self.parts else (self.row,)


def by_category(found: Sequence[Driver]) -> list[Driver]:
    """The drivers with the values of each category as one, the largest first."""
    groups: dict[str, list[Driver]] = {}
    for each in found:
        groups.setdefault(each.feature.partition(_IS)[0], []).append(each)
    return sorted(_grouped(groups), key=lambda each: -each.size)


def _grouped(groups: dict[str, list[Driver]]) -> Iterator[Driver]:
    for name, parts in groups.items():
        if not any(each.value for each in parts):
            yield from parts
            continue
        chances = [each.p for each in parts if each.p is not None]
        size = sum(max(each.size, 0.0) for each in parts)
        most = max(parts, key=lambda each: each.size)
        yield Driver(name, most.row, size, p=min(chances) if chances else None, parts=tuple(parts))
