"""What a vector store asks of the database under it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from flows.core.vector_store import Scalar
from flows.memory.ranking import KeywordIndex

T = TypeVar("T")
# Of a larger store the vectors alone rank.
MOST_INDEXED = 50_000


@dataclass(frozen=True, slots=True)
class VectorRow:
    """A text as a database keeps it, with its vector."""

    id: str
    text: str
    metadata: Mapping[str, Scalar]
    vector: Sequence[float]


@dataclass(frozen=True, slots=True)
class NearRow:
    """A row that was found; `distance` is the cosine distance to the vector that was asked for."""

    id: str
    text: str
    metadata: Mapping[str, Scalar]
    distance: float


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Conditions on the metadata of rows, all of which have to hold.

    `equal` maps a key to the values that it may have, `least` and `most` to bounds of a number. A
    row without the key `unless_without` passes whatever it is like.
    """

    equal: Mapping[str, tuple[Scalar, ...]] = field(default_factory=dict)
    least: Mapping[str, float] = field(default_factory=dict)
    most: Mapping[str, float] = field(default_factory=dict)
    unless_without: str = ""

    def __bool__(self) -> bool:
        return bool(self.equal or self.least or self.most)


class VectorTable(Protocol):
    """One collection of rows. It belongs to the thread of its engine, alone in it."""

    def put(self, rows: Sequence[VectorRow]) -> None:
        """Keep the rows, in place of those of the same ids."""
        ...

    def remove(self, which: RowFilter, ids: Sequence[str]) -> int:
        """Delete the rows of the ids, and those that pass the filter, if it has a condition."""
        ...

    def nearest(self, vector: Sequence[float], limit: int, which: RowFilter) -> list[NearRow]:
        """The rows nearest to the vector, nearest first."""
        ...

    def rows(self, ids: Sequence[str], vector: Sequence[float]) -> list[NearRow]:
        """The rows of these ids that are there, with their distance to the vector."""
        ...

    def ids(self, which: RowFilter) -> set[str]:
        """The ids of the rows that pass the filter."""
        ...

    def keywords(self) -> KeywordIndex:
        """The words of all rows; of none if there are more than `MOST_INDEXED`."""
        ...

    def some_distances(self, vector: Sequence[float]) -> list[float]:
        """The distances of some rows to the vector, whichever they are."""
        ...

    def count(self) -> int: ...


class VectorEngine(Protocol):
    """A database of vectors. Errors: `RecallError`."""

    async def is_there(self) -> bool:
        """Whether anything was ever written; nothing is made to know it."""
        ...

    async def run(self, work: Callable[[VectorTable], T]) -> T:
        """Do blocking work with the table in the engine's own thread."""
        ...

    async def aclose(self) -> None: ...
