"""The reader's draft of a question: terms, conditions and joins as rules of reading write them.

A plan is made into a query over the semantic model before it leaves the reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flows.core.observation import Cell
from flows.semantics.model import Relationship
from flows.semantics.query import Function, Predicate

Comparison = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "not between", "in", "not in",
    "contains", "not contains", "starts", "not starts", "ends", "not ends", "missing", "present",
    "during", "not during",
]  # fmt: skip
Part = Literal["value", "number", "year", "month of year"]
Kind = Literal["rows", "aggregate", "trend"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column, a part of its dates, or (`number`) its text read as numbers.

    `table` is empty where a plan is about one table only.
    """

    column: str
    part: Part = "value"
    table: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A test of one field. `values` holds one value, two for a range, several for `in`.

    A value may be a plan of one column: its one cell (`above the average`), or with `in` all of
    them (`who have no ...`). Another field is compared row by row.
    `during` has one value, the period in which the time lies: a predicate on `TIME`.
    """

    field: Field
    comparison: Comparison
    values: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Conditions of which one must hold. A filter is a sequence of these, all of which must."""

    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Measure:
    """An aggregation of a field; `count` without a field counts rows.

    `share` is the percentage of rows (with a field: of its different values) for which `of` holds.
    """

    aggregation: Function
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
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Order:
    by: Term
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Combined:
    """What another plan of as many columns does to the rows of this one."""

    operation: Literal["union", "intersect", "except"]
    plan: Plan


@dataclass(frozen=True, slots=True)
class Derived:
    """A column that is computed from the rows of the result.

    `rank` is the place by `order`; `running` the sum so far, `change` and `growth` (in percent) the
    step from the row before in `order`; `share` the percentage of the total; `difference` what is
    left when the one cell of `other` is taken away. All but the last are made `within` each of some
    groups.
    """

    operation: Literal["rank", "running", "change", "growth", "share", "difference"]
    of: Term
    order: tuple[Order, ...] = ()
    within: tuple[Field, ...] = ()
    other: Plan | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """A question, read. `select` is what was asked for; empty it means every column.

    A `trend` has its time field first in `groups`. `joins` connect `table` with the other tables
    that fields name. `apart` tells groups apart that have the same names (their keys, which are not
    selected). With `decimals` the numbers that it computes are rounded. `derived` are columns that
    stand behind the selected ones; a difference stands alone. Of `every` row what is selected is
    asked for, one by one.
    """

    kind: Kind
    table: str
    select: tuple[Term, ...] = ()
    groups: tuple[Field, ...] = ()
    filters: tuple[AnyOf, ...] = ()
    having: tuple[Having, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0
    distinct: bool = False
    joins: tuple[Relationship, ...] = ()
    apart: tuple[Field, ...] = ()
    combined: tuple[Combined, ...] = ()
    decimals: int | None = None
    derived: tuple[Derived, ...] = ()
    every: bool = False


Value = Cell | Field | Plan | Predicate
