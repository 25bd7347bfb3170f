"""What a database engine does for the catalog: it lives in the worker, behind its walls."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flows.core.observation import Cell
from flows.data.cells import to_cell
from flows.data.deadline import Deadline
from flows.data.profiles.profile import TableLayout
from flows.data.tables import ColumnType, Dialect
from flows.errors import QueryFailed

if TYPE_CHECKING:
    import pyarrow

# A result is for people, models and charts; whole tables leave by an export.
RESULT_BYTES = 48 * 1024 * 1024
_FETCHED_AT_ONCE = 500
_CELL_BYTES = 8


@dataclass(frozen=True, slots=True)
class QueryRows:
    """The rows of a query as cells, with their column names and types.

    `cut` says that there were more rows than fit into the limit of bytes, `total` how many there
    are in all, where all were written.
    """

    columns: list[str]
    types: list[ColumnType]
    rows: list[tuple[Cell, ...]]
    cut: bool = False
    total: int | None = None


# Writes all rows of a result, and tells how many they are.
Whole = Callable[["Iterator[pyarrow.RecordBatch]"], int]


class Engine(Protocol):
    """One engine over the sources that it reads, opened read-only and locked.

    Errors of all methods: `SourceError` for what cannot be read, `QueryRefused` for what its own
    guard denies, `QueryFailed` for what the database says or when the time is over, `MemoryError`
    when the memory is used up.
    """

    dialect: Dialect
    warnings: Sequence[str]
    """What its owner should know, such as that the database's user could write."""

    @property
    def layouts(self) -> Sequence[TableLayout]:
        """The tables of its sources, not yet profiled."""
        ...

    @property
    def hashes(self) -> dict[str, str]:
        """What the content of each file was when it was read, as a SHA-256 in hex; of a server
        what it tells of its changes, now."""
        ...

    def fetch(self, sql: str) -> Sequence[tuple[Any, ...]]:
        """Run one of our own queries, for a profile. Not for a query that somebody else wrote."""
        ...

    def query(
        self,
        sql: str,
        tables: Sequence[str],
        rows: int,
        deadline: Deadline,
        whole: Whole | None = None,
    ) -> QueryRows:
        """Run a query that the firewall has written, and fetch `rows` rows; it does not parse it.

        `tables` are the physical names of all tables that it may read. Where there are so many rows
        or more, `whole` gets all of them.
        """
        ...

    def batches(self, table: str) -> Iterator[pyarrow.RecordBatch]:
        """All rows of a table, by its physical name, for an export or for another engine."""
        ...

    def close(self) -> None: ...


def take(
    fetch: Callable[[int], Sequence[tuple[Any, ...]]], rows: int, limit: int = RESULT_BYTES
) -> tuple[list[tuple[Cell, ...]], bool]:
    """At most `rows` rows as cells, and whether there were more than `limit` bytes hold.

    `fetch` is a cursor's `fetchmany`. Errors: `QueryFailed` for a row that is too large by itself.
    """
    found: list[tuple[Cell, ...]] = []
    size = 0
    while len(found) < rows:
        # Rows of large cells come one by one, so that not many of them are in memory at once.
        at_once = _FETCHED_AT_ONCE if size < len(found) * 10_000 else 1
        block = fetch(min(at_once, rows - len(found)))
        if not block:
            break
        for row in block:
            cells = tuple(to_cell(value) for value in row)
            size += sum(len(each) if isinstance(each, str) else _CELL_BYTES for each in cells)
            if size > limit:
                if not found:
                    raise QueryFailed(f"a row of the result is larger than {limit >> 20} MB")
                return found, True
            found.append(cells)
    return found, False
