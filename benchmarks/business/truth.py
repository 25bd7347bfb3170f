"""What a generated table is made of, as data: whoever judges an answer knows it from here alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Driver:
    """A column that moves the target: by `slope` of the target's unit for one more of its own.

    With a `bend` the slope is `slope_beyond` from there on.
    """

    name: str
    slope: float
    bend: float | None = None
    slope_beyond: float | None = None


@dataclass(frozen=True, slots=True)
class Confounded:
    """`column` goes along with `target` only because `by` moves both."""

    column: str
    target: str
    by: str


@dataclass(frozen=True, slots=True)
class Truth:
    """How one table was made: its target, what drives it, what does not.

    `twins` maps a scaled copy to its column; `idle` columns have no effect of their own; `planted`
    says in words what single rows have of their own.
    """

    table: str
    target: str
    drivers: tuple[Driver, ...]
    noise: float
    twins: Mapping[str, str] = field(default_factory=dict)
    idle: tuple[str, ...] = ()
    confounded: tuple[Confounded, ...] = ()
    planted: Mapping[str, str] = field(default_factory=dict)

    def driver(self, name: str) -> Driver:
        """The driver of that name."""
        return next(each for each in self.drivers if each.name == name)
