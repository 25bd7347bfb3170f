"""What inference may look at besides profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from flows.core.observation import Cell
from flows.data.tables import Column, Table

# How many values and rows are looked at where the profile has not all of them.
MOST_VALUES = 100_000
MOST_ROWS = 20_000


class Evidence(Protocol):
    """Looks at the data, each of which may find nothing (None)."""

    def values(self, table: Table, column: str, most: int) -> tuple[Cell, ...] | None:
        """The distinct values of a column; None when there are more than `most`."""

    def rows(
        self, table: Table, columns: Sequence[str], most: int
    ) -> tuple[tuple[Cell, ...], ...] | None:
        """Some columns of the first `most` rows."""


class _Unseen:
    """Data that nobody can look at."""

    def values(self, table: Table, column: str, most: int) -> None:
        del table, column, most

    def rows(self, table: Table, columns: Sequence[str], most: int) -> None:
        del table, columns, most


UNSEEN: Final = _Unseen()


def texts_of(table: Table, column: Column, evidence: Evidence) -> tuple[str, ...]:
    """The distinct values of a text column, the most frequent first where the profile has them
    all: as many as can be looked at, none when nothing of the rest could be."""
    if column.values_complete:
        return column.values
    found = evidence.values(table, column.name, MOST_VALUES)
    if found is None:
        rows = evidence.rows(table, [column.name], MOST_VALUES)
        found = None if rows is None else tuple(dict.fromkeys(row[0] for row in rows))
    return () if found is None else tuple(str(each) for each in found if each is not None)


def numbers_of(table: Table, column: Column, evidence: Evidence) -> tuple[float, ...]:
    """The distinct numbers of a column, in their order; none when they could not be looked at."""
    if column.values_complete:
        return tuple(sorted(float(each) for each in column.values))
    found = evidence.values(table, column.name, MOST_VALUES)
    numbers = (each for each in found or () if isinstance(each, (int, float)))
    return tuple(sorted(float(each) for each in numbers))
