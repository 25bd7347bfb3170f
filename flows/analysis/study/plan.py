"""The typed plan of a study: what is computed and drawn, of which columns, over which rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flows.analysis.plan import AnyOf, Plan
from flows.data.tables import Table

Kind = Literal[
    "correlation", "histogram", "scatter", "box", "chart", "regression", "importance", "outliers",
    "summary", "normality",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Study:
    """A request, read.

    `columns` are what is studied, of a scatter plot the x and the y; `target` is what others
    explain. `method` is a kind's variant: pearson or spearman, iqr or zscore, bar or line. `chart`
    is the grouped result that a chart draws. `number` is a number of bins or a percentile.
    """

    kind: Kind
    table: Table
    columns: tuple[str, ...] = ()
    target: str = ""
    group: str = ""
    filters: tuple[AnyOf, ...] = ()
    method: str = ""
    number: int = 0
    chart: Plan | None = None
    notes: tuple[str, ...] = ()

    @property
    def explanation(self) -> str:
        what = " and ".join(self.columns) or self.target
        by = f" by {self.group}" if self.group else ""
        said = "; ".join([f"{self.kind} of {what}{by}", *self.notes])
        return f"over {self.table.name}: {said}"
