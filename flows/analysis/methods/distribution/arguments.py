"""Histograms and frequencies: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, AnyColumn, Arguments, Groups, plots
from flows.data.tables import Table


class Distribution(Arguments):
    """The columns whose values are counted: numbers in `bins` (0: as many as fit), or each value
    of one column (`frequencies`)."""

    method: ClassVar[str] = "distribution"

    fields: tuple[AnyColumn, ...] = Field(min_length=1, max_length=MOST_COLUMNS)
    group: Groups = ""
    variant: Literal["histogram", "frequencies"] = "histogram"
    bins: int = Field(default=0, ge=0, le=999)

    def limits(self, table: Table) -> tuple[str, ...]:
        unfit = [c.name for c in table.columns if c.name in self.fields and not plots(c)]
        if unfit and self.variant == "histogram":
            return (f"{' and '.join(unfit)} holds no numbers but text, and a histogram needs "
                    "numbers",)  # fmt: skip
        return ()
