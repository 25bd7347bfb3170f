"""Survival: the arguments."""

from __future__ import annotations

from typing import ClassVar, Final

from pydantic import Field

from flows.analysis.methods.arguments import MOST_GROUPS, AnyColumn, Arguments, Groups, Numbers
from flows.analysis.methods.method import words
from flows.data.tables import Column, Table

# Values of a column that say that something has happened, or has not yet; folded.
HAPPENED: Final = words(
    """yes y true t 1 event happened died dead deceased death churned churn cancelled canceled
    failed failure broken lost left exited closed ended stopped relapsed terminated defaulted
    converted quit resigned recurred inactive"""
)
NOT_YET: Final = words(
    """no n false f 0 none censored alive survived active open running ongoing current retained
    stayed working intact continuing"""
)


class Survival(Arguments):
    """The time until an event or until the last look, whether it happened by then, and the groups.

    It happened in the rows where the column `event` has the value `happened`; the others are
    censored. Without an `event` it happened in all rows.
    """

    method: ClassVar[str] = "survival"

    fields: tuple[Numbers] = Field(min_length=1, max_length=1)
    event: AnyColumn = ""
    happened: bool | int | float | str = True
    group: Groups = ""

    def limits(self, table: Table) -> tuple[str, ...]:
        known = {each.name: each for each in table.columns}
        duration = known[self.fields[0]]
        if isinstance(duration.minimum, int | float) and duration.minimum < 0:
            return (f"{duration.name} has values below nought, and a time until an event has none",)
        named = [each for each in (*self.fields, self.event, self.group) if each]
        if len(set(named)) < len(named):
            return ("the time, the event and the group have to be different columns",)
        if self.group and known[self.group].distinct > MOST_GROUPS:
            return (f"{self.group} has {known[self.group].distinct} values, too many to compare",)
        return _of_event(known[self.event], self.happened) if self.event else ()


def _of_event(column: Column, happened: bool | int | float | str) -> tuple[str, ...]:
    if column.distinct > 2:
        return (f"{column.name} has {column.distinct} values, and it takes two: that it happened, "
                "and that it did not yet",)  # fmt: skip
    known = set(map(_folded, column.values))
    if column.values_complete and len(known) == 2 and _folded(str(happened)) not in known:
        return (f"{column.name} has no value {happened!r}, but {' and '.join(column.values)}",)
    return ()


def happened_in(column: Column) -> bool | int | str | None:
    """The value of a column of two that says that an event happened; None where neither or both
    could. A column of the censored says it the other way round. Where all values say that it has
    not happened yet, it is the one that would say so."""
    if column.distinct > 2 or not column.distinct:
        return None
    values = {_folded(value): value for value in column.values}
    if "censor" in column.name.casefold():
        said = [value for key, value in values.items() if key in NOT_YET - {"censored"}]
    else:
        said = [value for key, value in values.items() if key in HAPPENED]
        rest = [value for key, value in values.items() if key not in NOT_YET]
        said = said or (rest if len(values) == 2 else [])
    if not said and set(values) <= NOT_YET:  # it happened to none of them
        said = ["true" if column.type == "boolean" else "1" if column.type != "text" else "yes"]
    if len(said) != 1:
        return None
    if column.type == "boolean":
        return _folded(said[0]) == "true"
    return int(float(said[0])) if column.type in ("integer", "real") else said[0]


def _folded(value: str) -> str:
    """A value as the words above are written: small letters, whole numbers without decimals."""
    return value.strip().casefold().removesuffix(".0")
