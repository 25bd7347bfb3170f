"""The typed plan of a study: what is computed and drawn, of which columns, over which rows."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.plan import AnyOf, Plan
from flows.core.observation import Cell
from flows.data.tables import Table


@dataclass(frozen=True, slots=True)
class Study:
    """A request, read. `kind` is the name of its operation in `operations.catalog`.

    `columns` are what is studied, of a scatter plot the x and the y; `target` is what others
    explain, `time` what orders the rows. `method` is a kind's variant: pearson or spearman, iqr or
    zscore, bar or line. `chart` is the grouped result that a chart draws. `number` is a number of
    bins, clusters or steps; `settings` are further words of the request as its operation names
    them; `at` are the values for which something is predicted.
    """

    kind: str
    table: Table
    columns: tuple[str, ...] = ()
    target: str = ""
    group: str = ""
    filters: tuple[AnyOf, ...] = ()
    method: str = ""
    number: int = 0
    time: str = ""
    settings: tuple[tuple[str, str], ...] = ()
    at: tuple[tuple[str, Cell], ...] = ()
    chart: Plan | None = None
    notes: tuple[str, ...] = ()

    def setting(self, name: str) -> str:
        """What the request said of it; empty where it said nothing."""
        return dict(self.settings).get(name, "")

    @property
    def explanation(self) -> str:
        """How the request was read, in words."""
        what = " and ".join(self.columns) or self.target
        by = f" by {self.group}" if self.group else ""
        said = "; ".join([f"{self.kind} of {what}{by}", *self.notes])
        return f"over {self.table.name}: {said}"
