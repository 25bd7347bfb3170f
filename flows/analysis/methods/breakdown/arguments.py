"""A target broken down by columns: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import AnyColumn, Arguments, plots
from flows.analysis.reading.draft import is_time
from flows.data.tables import Column, Table

MOST_FIELDS = 40
# Whole numbers of which nearly each row has its own only tell rows apart.
_NUMBERED = 0.98


class Breakdown(Arguments):
    """What is measured of the target, and the columns that it is broken down by.

    A share is that of the rows whose target is `yes`, or is known where `yes` is empty. `words`
    are those for the target where its name says little, `parts` the columns that it is computed of,
    which explain nothing, `kin` those of the same kind, such as money beside money, which may be
    parts of it.
    """

    method: ClassVar[str] = "breakdown"

    target: AnyColumn = Field(min_length=1)
    fields: tuple[AnyColumn, ...] = Field(min_length=1, max_length=MOST_FIELDS)
    how: Literal["average", "sum", "share"] = "average"
    yes: str = ""
    words: str = ""
    parts: tuple[AnyColumn, ...] = ()
    kin: tuple[AnyColumn, ...] = ()

    def limits(self, table: Table) -> tuple[str, ...]:
        known = {each.name: each for each in table.columns}
        if self.target in self.fields:
            return (f"{self.target} cannot be broken down by itself",)
        if self.how != "share" and not plots(known[self.target]):
            return (f"{self.target} holds no numbers but text, of which there is a share only",)
        return ()


def breaks_down(column: Column) -> bool:
    """Whether a target can be broken down by a column: its values are groups, amounts or times."""
    if is_time(column):
        return column.type in ("date", "timestamp")
    numbered = column.type == "integer" and column.distinct >= _NUMBERED * column.rows
    return column.role != "id" and not numbered and (
        plots(column) or (column.role in ("category", "boolean") and 2 <= column.distinct <= 60)
        or (column.type == "text" and 2 <= column.distinct <= 60)
    )  # fmt: skip
