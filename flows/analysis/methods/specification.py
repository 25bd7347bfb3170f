"""An analysis or a chart with what its names mean: its table, and its arguments after their check.

It is made by `analyses.study_of`, and handed to all that a method does with a request.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from flows.analysis.methods.arguments import A, Arguments
from flows.analysis.methods.request_arguments import given_to
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.query import FieldRef, Predicate, Query
from flows.semantics.request import Analysis, Chart, ChartType
from flows.semantics.tree import parts

A_co = TypeVar("A_co", bound=Arguments, covariant=True)


@dataclass(frozen=True, slots=True)
class Specification(Generic[A_co]):
    """A request, the profile of its dataset, and what its method is given.

    `model` says what the fields mean. `notes` say how the words were read, `left_out` are those
    that nothing was read for, and `doubt` is what the reading leaves: 0 for none.
    """

    request: Analysis | Chart
    table: Table
    arguments: A_co
    model: SemanticModel
    notes: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    doubt: float = 0.0

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
        of = self.request if isinstance(self.request, Analysis) else self.request.of
        return of.over if isinstance(of, Analysis) else of

    @property
    def where(self) -> Predicate | None:
        """What holds of the rows."""
        return self.rows.where

    @property
    def chart(self) -> Query | None:
        """The query whose result a chart draws; None for an analysis."""
        return self.rows if isinstance(self.request, Chart) else None

    @property
    def filtered(self) -> tuple[str, ...]:
        """The columns by which rows are chosen."""
        return tuple(each.field for each in parts(self.where) if isinstance(each, FieldRef))

    @property
    def style(self) -> ChartType:
        """The form of a chart; empty for what is none, or where the choice is left."""
        return self.request.type if isinstance(self.request, Chart) else ""

    @property
    def explanation(self) -> str:
        """How the request was read, in words."""
        what = " and ".join(self.columns) or self.target
        by = f" by {self.group}" if self.group else ""
        method = " ".join(self.kind.split("_"))
        said = "; ".join([f"{method} of {what}{by}", *self.notes])
        return f"over {self.table.name}: {said}"

    def with_arguments(self, arguments: A) -> Specification[A]:
        """What a method makes of the same rows that is given these arguments."""
        given = given_to(arguments, self.table.name, self.model)
        request = Analysis(method=arguments.method, over=self.rows, arguments=given)
        return Specification(
            request, self.table, arguments, self.model, self.notes, self.left_out, self.doubt
        )
