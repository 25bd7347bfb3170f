"""A target predicted for rows that lack it: the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from pydantic import Field

from flows.analysis.methods.arguments import MOST_GROUPS, AnyColumn, Arguments, plots
from flows.data.tables import Table

LEAST_ROWS: Final = 20


class Prediction(Arguments):
    """What is predicted for the `rows` of another table, or for those of its own table that lack it
    (empty), and from which columns (empty: all that both have). `identifier` names each row,
    `classes` says that the target's values are names of classes, and `file` that the predictions
    are wanted as the file submission.csv."""

    method: ClassVar[str] = "prediction"

    target: AnyColumn = Field(min_length=1)
    fields: tuple[AnyColumn, ...] = ()
    rows: str = ""
    identifier: str = ""
    classes: bool = False
    file: bool = False
    seed: int = Field(default=0, ge=0)

    def others(self) -> tuple[str, ...]:
        return (self.rows,) if self.rows else ()

    def limits(self, table: Table) -> tuple[str, ...]:
        known = {each.name: each for each in table.columns}
        target = known[self.target]
        if self.target in self.fields:
            return (f"{self.target} cannot be predicted from itself",)
        if self.rows == table.name:
            return (f"the rows of {self.rows} are those that are learned from",)
        if not self.rows and not target.missing:
            return (f"no row of {table.name} lacks {self.target}: there is nothing to predict",)
        if not plots(target) and not self.classes:
            return (f"{self.target} holds no numbers but text, and is to be learned as classes",)
        if self.classes and target.distinct > MOST_GROUPS:
            return (f"{target.name} has {target.distinct} values, too many to tell apart",)
        if table.rows - (target.missing or 0) < LEAST_ROWS:
            return (
                f"{table.name} has {table.rows - (target.missing or 0)} rows with {self.target}, "
                f"too few to learn from: it needs {LEAST_ROWS}",
            )
        return ()

    def faults_beside(self, table: Table, others: Sequence[Table]) -> tuple[str, ...]:
        for other in others:
            names = {each.name for each in other.columns}
            if absent := [each for each in self.fields if each not in names]:
                return (f"{other.name} has no column {' and no '.join(map(repr, absent))}",)
            if self.identifier and self.identifier not in names:
                return (f"{other.name} has no column {self.identifier!r}",)
            if not self.fields and not learned_from(table, self.target, other):
                return (f"{table.name} and {other.name} have no column to learn from in common",)
        return ()


def identifier_of(table: Table) -> str:
    """The column that names each row of a table; empty where none does."""
    ids = [each.name for each in table.columns if each.role == "id"]
    keys = [key[0] for key in table.keys if len(key) == 1]
    return next((each for each in keys if each in ids), next(iter(ids), ""))


def learned_from(table: Table, target: str, other: Table | None = None) -> tuple[str, ...]:
    """The columns that a target can be learned from: all that both tables have, but those that
    only name their row."""
    names = {each.name for each in (other or table).columns}
    return tuple(
        each.name
        for each in table.columns
        if each.name in names
        and each.name != target
        and not (each.role == "id" and each.distinct * 2 > table.rows)
    )
