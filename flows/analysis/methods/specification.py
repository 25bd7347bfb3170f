"""An analysis that was read: what its method is given, over which rows of which table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from flows.analysis.methods.arguments import Arguments
from flows.data.tables import Table
from flows.semantics.query import FieldRef, Predicate, Query
from flows.semantics.request import ChartType
from flows.semantics.tree import parts

A_co = TypeVar("A_co", bound=Arguments, covariant=True)


@dataclass(frozen=True, slots=True)
class Specification(Generic[A_co]):
    """What is computed of the rows of `table` for which `where` holds.

    `chart` is the query whose result a chart draws. `notes` say how the words were read.
    """

    table: Table
    arguments: A_co
    where: Predicate | None = None
    notes: tuple[str, ...] = ()
    chart: Query | None = None

    @property
    def kind(self) -> str:
        """The name of the method."""
        return self.arguments.method

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are studied."""
        return self.arguments.columns("fields")

    @property
    def target(self) -> str:
        """The column that others explain; empty for none."""
        return next(iter(self.arguments.columns("target")), "")

    @property
    def group(self) -> str:
        """The column whose values make groups; empty for none."""
        return next(iter(self.arguments.columns("group")), "")

    @property
    def time(self) -> str:
        """The column that orders the rows; empty for none."""
        return next(iter(self.arguments.columns("time")), "")

    @property
    def rows(self) -> Query:
        """The query that gives the rows that are studied, or what a chart draws."""
        return self.chart or Query(dataset=self.table.name, where=self.where)

    @property
    def filtered(self) -> tuple[str, ...]:
        """The columns by which rows are chosen."""
        return tuple(each.field for each in parts(self.where) if isinstance(each, FieldRef))

    @property
    def style(self) -> ChartType:
        """The form of a chart; empty for what is none, or where the choice is left."""
        return self.arguments.form

    @property
    def explanation(self) -> str:
        """How the request was read, in words."""
        what = " and ".join(self.columns) or self.target
        by = f" by {self.group}" if self.group else ""
        method = " ".join(self.kind.split("_"))
        said = "; ".join([f"{method} of {what}{by}", *self.notes])
        return f"over {self.table.name}: {said}"
