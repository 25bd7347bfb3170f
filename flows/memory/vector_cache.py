"""Vectors that were computed before, by embedder and text; in a folder, as a SQLite file."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

FILE_NAME: Final = "vectors.sqlite3"
# About 30 MB with 384 numbers each. Of more, those that were not used for longest are removed.
MOST: Final = 20_000
_TABLES = """
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, used INTEGER) WITHOUT ROWID;
"""
_WAIT_SECONDS = 5.0


class VectorCache:
    """Vectors of single precision that several processes may keep and find at once.

    Texts are not kept, only hashes of them. Where the file cannot be used, nothing is found or
    kept, which costs time and not the answer; one that is no SQLite file is made anew.
    """

    def __init__(self, folder: Path, most: int = MOST) -> None:
        self._file = folder / FILE_NAME
        self._most = most

    def find(self, embedder: str, texts: Sequence[str]) -> dict[str, list[float]]:
        """The vectors of those texts that the embedder of this name has made before."""
        if not self._file.exists():
            return {}
        found: dict[str, list[float]] = {}
        try:
            with self._open() as cache:
                for text in dict.fromkeys(texts):
                    key = _key(embedder, text)
                    row = cache.execute(
                        "UPDATE vectors SET used = ? WHERE key = ? RETURNING vector",
                        (time.time_ns(), key),
                    ).fetchone()
                    if row is not None:
                        found[text] = array("f", row[0]).tolist()
        except (sqlite3.Error, OSError, ValueError):  # not ours, locked or damaged: made again
            return {}
        return found

    def keep(self, embedder: str, vectors: Mapping[str, Sequence[float]]) -> bool:
        """Remember vectors by their texts; False where that is not possible."""
        now = time.time_ns()
        rows = [
            (_key(embedder, text), array("f", vector).tobytes(), now)
            for text, vector in vectors.items()
        ]
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._open() as cache:
                cache.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
                cache.execute(
                    "DELETE FROM vectors WHERE key IN"
                    " (SELECT key FROM vectors ORDER BY used DESC LIMIT -1 OFFSET ?)",
                    (self._most,),
                )
        except (sqlite3.OperationalError, OSError):  # a full disk or a closed folder
            return False
        except sqlite3.DatabaseError:  # it is no database, and holds nothing that cannot be made
            self._file.unlink(missing_ok=True)
            return False
        return True

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._file, timeout=_WAIT_SECONDS)) as cache:
            cache.execute("PRAGMA synchronous = OFF")
            cache.executescript(_TABLES)
            with cache:
                yield cache


def _key(embedder: str, text: str) -> bytes:
    return hashlib.sha256(f"{embedder}\0{text}".encode()).digest()
