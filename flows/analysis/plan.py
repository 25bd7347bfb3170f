"""The typed plan of a question: what is computed, of which table, for whom it is compiled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flows.core.observation import Cell
from flows.data.tables import Dialect
from flows.semantics.query import FieldRef, Predicate

Aggregation = Literal["avg", "median", "sum", "min", "max", "count", "count_distinct", "share"]
Comparison = Literal[
    "=", "!=", ">", ">=", "<", "<=", "between", "not between", "in", "not in",
    "contains", "not contains", "starts", "not starts", "ends", "not ends", "missing", "present",
    "during", "not during",
]  # fmt: skip
Part = Literal["value", "number", "year", "month"]
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
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Order:
    by: Term
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Joined:
    """Rows of two tables that belong together: those whose columns hold the same values.

    The rows of `table` refer to those of `to`: one of `to` may belong to many of `table`, but to
    one at most with `single`.
    """

    table: str
    columns: tuple[str, ...]
    to: str
    to_columns: tuple[str, ...]
    single: bool = False


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
    """A question, read. `select` is what was asked for.

    `evidence` are terms that the answer rests on without being asked for (the value by which the
    first row won); a caller may select them too. An empty `select` means every column. A `trend`
    has its time field first in `groups`. `joins` connect `table` with the other tables that fields
    name. `apart` tells groups apart that have the same names (their keys, which are not selected).
    With `decimals` the numbers that it computes are rounded.
    `derived` are columns that stand behind those of `columns`; a difference stands alone.
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
    joins: tuple[Joined, ...] = ()
    apart: tuple[Field, ...] = ()
    combined: tuple[Combined, ...] = ()
    decimals: int | None = None
    derived: tuple[Derived, ...] = ()

    @property
    def columns(self) -> tuple[Term, ...]:
        """What is selected together with the evidence, in the order of the result.

        Nothing of it where a difference stands alone.
        """
        if any(each.operation == "difference" for each in self.derived):
            return ()
        extra = [term for term in self.evidence if term not in self.select]
        return (*self.select, *extra) if self.select else ()


Value = Cell | Field | Plan | Predicate
# What stands in the predicate of a period for the field that says when.
TIME = FieldRef(dataset="", field="")

_NAMES = {
    "avg": "average_{}",
    "median": "median_{}",
    "sum": "total_{}",
    "min": "minimum_{}",
    "max": "maximum_{}",
    "count": "count_{}",
    "count_distinct": "distinct_{}",
    "share": "percent",
}


def term_name(term: Term) -> str:
    """The name of a term's column in the result."""
    if isinstance(term, Field):
        return term.column if term.part in ("value", "number") else f"{term.column}_{term.part}"
    if term.field is None or term.aggregation == "share":
        return "percent" if term.aggregation == "share" else "count"
    return _NAMES[term.aggregation].format(term_name(term.field))
