"""Change explained: the arguments."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import (
    AnyColumn,
    Arguments,
    Groups,
    Numbers,
    Times,
    plots,
)
from flows.analysis.methods.change.period import WRITTEN, period_of
from flows.data.tables import Column, Table


class Change(Arguments):
    """A measure in a period and in one before it, and what each group of columns adds to that.

    Periods are written as `2024`, `2024-Q1`, `2024-03`, `2024-03-15` or `2024-03-15..2024-05-02`.
    Without `fields` rows are counted; a share is that of the rows whose field is `yes`, or is known
    where `yes` is empty. `words` are those for a field whose name says little. `expected` is the
    change that is taken for granted, which may be none. Instead of two periods a column of numbers
    may be set against another one, such as what came against what was planned.
    """

    method: ClassVar[str] = "change"

    fields: tuple[AnyColumn, ...] = Field(max_length=1)
    time: Times = ""
    period: str = Field(default="", pattern=rf"^$|{WRITTEN}")
    before: str = Field(default="", pattern=rf"^$|{WRITTEN}")
    against: Numbers = ""
    group: tuple[Groups, ...] = ()
    how: Literal["sum", "mean", "count", "share"] = "sum"
    yes: str = ""
    words: str = ""
    expected: Literal["", "fall", "rise"] = ""

    def limits(self, table: Table) -> tuple[str, ...]:
        known = {each.name: each for each in table.columns}
        if bool(self.fields) == (self.how == "count"):
            return ("a change is that of one column of numbers, or of the count of rows",)
        if self.how != "share" and not all(plots(known[each]) for each in self.fields):
            return (f"{self.fields[0]} holds no numbers but text, and a change needs numbers",)
        if {*self.group} & {*self.fields, self.time, self.against}:
            return ("what has changed cannot be split by itself or by the time",)
        if self.against:
            compared = self.how in ("sum", "mean") and self.against not in self.fields
            return () if compared else (f"it cannot be set against {self.against}",)
        if not (self.time and self.period and self.before):
            return ("it does not say clearly which two periods are to be compared",)
        try:
            before, after = period_of(self.before), period_of(self.period)
        except ValueError as error:
            return (f"there is no such day: {error}",)
        ranges = (before.last is None) == (after.last is None)
        if before.grain != after.grain or before.end > after.start or not ranges:
            return (f"{before} is no period of the same length before {after}",)
        time = known[self.time]
        if time.type == "integer" and after.grain != "year":
            return (f"{time.name} holds whole years, and {after} is none",)
        first, last = _bound(time.minimum), _bound(time.maximum)
        if last and last[: len(after.start.isoformat())] < _start(after.start.isoformat(), time):
            return (f"there is nothing in {after}: {time.name} ends at {last}",)
        if first and first >= _start(before.end.isoformat(), time):
            return (f"there is nothing to compare {after} with: {time.name} begins at {first}",)
        return ()


def _bound(value: object) -> str:
    """The first or last time of a column as a text that can be compared."""
    return "" if value is None else str(value)[:10].strip()


def _start(day: str, time: Column) -> str:
    return day[:4] if time.type == "integer" else day
