"""The vectors of functions: kept on the disk beside them, compared in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
from numpy.typing import NDArray

from flows.core.function_description import FunctionDescription
from flows.tools.catalog.database import FunctionDatabase, read_totals

_TYPE = np.dtype("<f4")


class FunctionVectors:
    """The vectors that one embedder gave. Those that another process adds are seen with the next
    search. Not safe in threads. Errors: `ToolError`."""

    def __init__(self, database: FunctionDatabase, embedder: str, dimension: int) -> None:
        self._database = database
        self._embedder = embedder
        self._dimension = dimension
        self._forget()

    def missing(self, after: int, limit: int) -> dict[int, FunctionDescription]:
        """Functions without a vector by their numbers, at most so many, of those whose number is
        greater than `after`."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT f.number, f.description FROM functions f WHERE f.number > ? AND "
                "NOT EXISTS (SELECT 1 FROM vectors v WHERE v.number = f.number "
                "AND v.embedder = ?) ORDER BY f.number LIMIT ?",
                [after, self._embedder, limit],
            ).fetchall()
        return {number: FunctionDescription.model_validate_json(text) for number, text in rows}

    def put(self, vectors: Mapping[int, list[float]]) -> None:
        """Keep the vectors by the functions' numbers, but for functions that are gone since."""
        rows = [
            (self._embedder, _unit(np.array(vector, _TYPE)).tobytes(), number)
            for number, vector in vectors.items()
        ]
        with self._database.writing() as db:
            db.execute("INSERT OR IGNORE INTO embedders VALUES (?)", [self._embedder])
            db.executemany(
                "INSERT OR REPLACE INTO vectors (number, embedder, vector) "
                "SELECT number, ?, ? FROM functions WHERE number = ?",
                rows,
            )

    def similarities(
        self, vector: list[float], limit: int, among: Collection[int] | None
    ) -> dict[int, float]:
        """The functions nearest to the vector by cosine, with their similarities, by number.
        With `among` only these functions."""
        self._refresh()
        if not len(self._numbers):
            return {}
        found = self._matrix @ _unit(np.array(vector, _TYPE))
        if among is not None:
            kept = np.isin(self._numbers, np.fromiter(among, np.int64, len(among)))
            found = np.where(kept, found, -np.inf)
        limit = min(limit, len(found))
        best = np.argpartition(-found, limit - 1)[:limit]
        return {
            int(self._numbers[place]): float(found[place])
            for place in best
            if np.isfinite(found[place])
        }

    def of(self, numbers: Collection[int], vector: list[float]) -> dict[int, float]:
        """The similarities of these functions, of those that have a vector."""
        wanted = _unit(np.array(vector, _TYPE))
        places = (self._places.get(number) for number in numbers)
        return {
            int(self._numbers[place]): float(self._matrix[place] @ wanted)
            for place in places
            if place is not None
        }

    def _forget(self) -> None:
        self._removed = self._last = 0
        self._numbers: NDArray[np.int64] = np.empty(0, np.int64)
        self._matrix: NDArray[np.float32] = np.empty((0, self._dimension), _TYPE)
        self._places: dict[int, int] = {}

    def _refresh(self) -> None:
        """Read the vectors that came since, or all where some are gone."""
        with self._database.reading() as db:
            removed = read_totals(db).get("removed", 0)
            if removed != self._removed:
                self._forget()
                self._removed = removed
            rows = db.execute(
                "SELECT sequence, number, vector FROM vectors "
                "WHERE embedder = ? AND sequence > ? ORDER BY sequence",
                [self._embedder, self._last],
            ).fetchall()
        if not rows:
            return
        came = np.frombuffer(b"".join(row[2] for row in rows), _TYPE)
        start = len(self._numbers)
        self._matrix = np.vstack((self._matrix, came.reshape(len(rows), self._dimension)))
        self._numbers = np.append(self._numbers, [row[1] for row in rows])
        self._places |= {row[1]: start + place for place, row in enumerate(rows)}
        self._last = rows[-1][0]


def embedders_of(database: FunctionDatabase) -> tuple[str, ...]:
    """The names of the embedders that there are vectors of."""
    with database.reading() as db:
        rows = db.execute("SELECT name FROM embedders ORDER BY name").fetchall()
    return tuple(name for (name,) in rows)


def _unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector
