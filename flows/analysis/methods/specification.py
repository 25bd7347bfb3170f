"""An analysis that was read: what its method is given, over which rows of which table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from flows.analysis.methods.arguments import Arguments
from flows.analysis.plan import AnyOf, Plan
from flows.data.tables import Table
from flows.semantics.request import ChartType

A_co = TypeVar("A_co", bound=Arguments, covariant=True)


@dataclass(frozen=True, slots=True)
class Specification(Generic[A_co]):
    """What is computed of the rows of `table` for which all `filters` hold.

    `chart` is the grouped result that a chart draws. `notes` say how the words were read.
    """

    table: Table
    arguments: A_co
    filters: tuple[AnyOf, ...] = ()
    notes: tuple[str, ...] = ()
    chart: Plan | None = None

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
