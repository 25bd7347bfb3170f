"""The typed plan of a question: what is computed, of which table, for whom it is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flows.core.observation import Cell
from flows.data.tables import Dialect

Aggregation = Literal["avg", "median", "sum", "min", "max", "count", "count_distinct", "share"]
Comparison = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "not between", "in", "not in",
    "contains", "not contains", "starts", "not starts", "ends", "not ends", "missing", "present",
]  # fmt: skip
Part = Literal["value", "number", "year", "month"]
Kind = Literal["rows", "aggregate", "trend"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column, a part of its dates, or (`number`) its text read as numbers."""

    column: str
    part: Part = "value"


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one field. `values` holds one value, two for a range, several for `in`."""

    field: Field
    comparison: Comparison
    values: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions of which one must hold. A filter is a sequence of these, all of which must."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """An aggregation of a field; `count` without a field counts rows.

    `share` is the percentage of rows (with a field: of its different values) for which `of` holds.
    """

    aggregation: Aggregation
    field: Field | None = None
    of: tuple[AnyOf, ...] = ()


Term = Field | Measure
# The number of rows.
COUNT = Measure("count")


@dataclass(frozen=True, slots=True)
class Having:
    """A test of an aggregate of a group."""

    measure: Measure
    comparison: Comparison
    values: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Order:
    by: Term
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A question, read. `select` is what was asked for.

    `evidence` are terms that the answer rests on without being asked for (the value by which the
    first row won); a caller may select them too. An empty `select` means every column. A `trend`
    has its time field first in `groups`.
    """

    kind: Kind
    source: str
    table: str
    dialect: Dialect
    select: tuple[Term, ...]
    groups: tuple[Field, ...] = ()
    filters: tuple[AnyOf, ...] = ()
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    distinct: bool = False
    evidence: tuple[Term, ...] = ()

    @property
    def columns(self) -> tuple[Term, ...]:
        """What is selected together with the evidence, in the order of the result."""
        extra = [term for term in self.evidence if term not in self.select]
        return (*self.select, *extra) if self.select else ()
