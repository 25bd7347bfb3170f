"""What the result of a method says: typed findings, which name the cell behind each number.

A finding of one kind for all rows has the names of the columns that hold its parts ("" for a part
that the result does not have); one that differs from row to row has its own place in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Literal, TypeVar

from flows.analysis.methods.sheet import Sheet

# What a question wants to know.
Purpose = Literal[
    "forecast", "segments", "anomalies", "overview", "drivers", "effect", "difference", "ranking",
    "trend", "distribution", "question",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class CorrelatedPair:
    """Two columns of the data, and the cell of their coefficient. `second` is "" where the result
    does not say what the first was compared with."""

    first: str
    second: str
    value: float
    row: int
    column: str
    p: float | None = None

    def other(self, name: str) -> str:
        return self.second if name == self.first else self.first

    def has(self, name: str) -> bool:
        """Whether it is a pair with that column, also where the result does not name it."""
        return name in (self.first, self.second) or not self.second


@dataclass(frozen=True, slots=True)
class Relationships:
    """Pairs of columns with the coefficient of each."""

    found: tuple[CorrelatedPair, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the pairs."""
        return tuple(name for each in self.found for name in (each.first, each.second) if name)


@dataclass(frozen=True, slots=True)
class Driver:
    """A column that counts in a model: its row, by how much, and what more of it goes with. Of a
    category `parts` are its values, each a column of the model, and `value` is that of a part."""

    feature: str
    row: int
    size: float
    effect: float | None = None
    correlation: float | None = None
    p: float | None = None
    parts: tuple[Driver, ...] = ()
    value: str = ""

    @property
    def direction(self) -> float:
        """More than 0 where more of it goes with more of the target; 0 where nobody knows."""
        return self.effect if self.effect is not None else self.correlation or 0.0

    @property
    def rows(self) -> tuple[int, ...]:
        """Its rows in the result that count for something."""
        return tuple(e.row for e in self.parts if e.size > 0) if self.parts else (self.row,)


@dataclass(frozen=True, slots=True)
class Drivers:
    """The columns of a model, that which counts most first; `weight`, `effect` and `score` are the
    names of the columns that say so, and `target` what the model is of."""

    found: tuple[Driver, ...]
    weight: str = ""
    effect: str = ""
    score: str = ""
    target: str = ""
    twins: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Metrics:
    """How good a model is: the row of each metric by its name, and what it is of."""

    rows: Mapping[str, int]
    value: str
    crossed: str = ""
    baseline: str = ""
    target: str = ""


@dataclass(frozen=True, slots=True)
class TimeChange:
    """The first and the last value of something, with their times."""

    first: str
    last: str
    since: str = ""
    until: str = ""
    percent: str = ""


@dataclass(frozen=True, slots=True)
class Slopes:
    """By how much something changes at each step, and how likely that is by chance."""

    slope: str
    step: str = ""
    p: str = ""


@dataclass(frozen=True, slots=True)
class Expectations:
    """What is to be expected at a time, and between which bounds."""

    expected: str
    lower: str = ""
    upper: str = ""


@dataclass(frozen=True, slots=True)
class Outlying:
    """How many values lie outside of the usual range."""

    count: str
    rows: str = ""
    lower: str = ""
    upper: str = ""


@dataclass(frozen=True, slots=True)
class Spreads:
    """Where the values of a column lie."""

    column: str
    middle: str
    low: str
    high: str = ""
    mean: str = ""
    median: str = ""
    deviation: str = ""


@dataclass(frozen=True, slots=True)
class Gaps:
    """How many values of a column are missing."""

    column: str
    missing: str


@dataclass(frozen=True, slots=True)
class Differences:
    """The average of each group, and whether these differ by more than chance."""

    mean: str
    p: str
    effect: str = ""
    size: str = ""


@dataclass(frozen=True, slots=True)
class ResultStatement:
    """A sentence that a method makes of its cells. `weight` is from 0 to 10, 10 what the result is
    about; `about` are the columns and values that it speaks of."""

    text: str
    weight: float
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Statements:
    """All that a result says, in its method's own words. `partial` says that its first rows are
    enough to say so."""

    found: tuple[ResultStatement, ...]
    partial: bool = False


def sentences(said: Iterable[ResultStatement], most: int) -> str:
    """The statements that matter most as a text."""
    chosen = sorted(said, key=lambda each: -each.weight)[:most]
    return " ".join(f"{each.text[:1].upper()}{each.text[1:]}." for each in chosen)


Findings = (
    Relationships | Drivers | Metrics | TimeChange | Slopes | Expectations | Outlying | Spreads
    | Gaps | Differences | Statements
)  # fmt: skip
F = TypeVar("F", TimeChange, Slopes, Expectations, Outlying, Spreads, Gaps, Differences)
Reader = Callable[[Sheet], Findings | None]


def in_columns(kind: type[F], *, without: str = "", **names: str) -> Callable[[Sheet], F | None]:
    """A reader of results that hold each part of a finding in a column.

    `names` are what the column of a part may be called, the likeliest first. A result that lacks a
    part, unless that may be "", is of another kind, as is one with a column of `without`.
    """
    needed = [each.name for each in fields(kind) if each.default is MISSING]
    never = set(without.split())

    def read(sheet: Sheet) -> F | None:
        found = {part: sheet.called(*called.split()) for part, called in names.items()}
        fits = all(found[each] for each in needed) and not never & set(sheet.columns)
        return kind(**found) if fits else None

    return read
