"""The named points of an attempt: each is passed, noted, and at one of them the process dies."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from flows.core.store import Durability, JournalFile, Values

LOG_BYTES: Final = 3_000  # the SQLite file takes the rows of the log several times a run


class Point(NamedTuple):
    """The n-th time (from 1) that an attempt passes what has that name."""

    name: str
    number: int


class Points:
    """Counts what is passed, in any thread, and kills its own process with SIGKILL at `target`.

    `tell` is given each point as it is passed.
    """

    def __init__(self, target: Point | None, tell: Callable[[Point], None] | None = None) -> None:
        self._target = target
        self._tell = tell
        self._passed: Counter[str] = Counter()
        self._lock = threading.Lock()

    def reach(self, name: str) -> None:
        with self._lock:
            self._passed[name] += 1
            point = Point(name, self._passed[name])
            if self._tell is not None:
                self._tell(point)
            if point == self._target:
                os.kill(os.getpid(), signal.SIGKILL)

    def watch(self) -> None:
        """Pass a point at each SQL statement and each rename of this process, until its end."""
        connect = sqlite3.connect

        def watched(database: Any, *more: Any, **named: Any) -> sqlite3.Connection:
            connection: sqlite3.Connection = connect(database, *more, **named)
            name = Path(os.fspath(database)).name.partition("?")[0]
            connection.set_trace_callback(partial(self._begin, name))
            return connection

        def hook(event: str, arguments: tuple[Any, ...]) -> None:
            if event == "os.rename":
                self.reach(f"rename to *{Path(os.fspath(arguments[1])).suffix}")

        # The interpreter's own, which has no hook for statements.
        sqlite3.connect = watched  # type: ignore[assignment]
        sys.addaudithook(hook)

    def _begin(self, file: str, statement: str) -> None:
        self.reach(f"{file}: {' '.join(statement.split()[:2])}")


class WatchedFile(JournalFile):
    """A journal's file that passes points before and after each row, and around its commit."""

    def __init__(
        self,
        folder: Path,
        points: Points,
        *,
        new: bool,
        durability: Durability = "full",
        grouped: bool = False,
    ) -> None:
        super().__init__(
            folder, new=new, durability=durability, grouped=grouped, log_bytes=LOG_BYTES
        )
        self._points = points
        self._kind = "row"
        write, sync, take = self._log.write, self._log.sync, self._take

        def watched_write(records: bytes) -> None:
            write(records)
            points.reach(f"{self._kind}: after write")

        def watched_sync() -> None:
            sync()
            points.reach(f"{self._kind}: after sync")

        def watched_take(rows: Iterable[Values]) -> None:
            take(rows)
            points.reach("rows of the log: after COMMIT")

        self._log.write = watched_write  # type: ignore[method-assign]
        self._log.sync = watched_sync  # type: ignore[method-assign]
        self._take = watched_take  # type: ignore[method-assign]

    def add(
        self, kind: str, address: str, digest: str, body: str, at: float, checksum: str, run: int,
        *, text: bytes, durable: bool,
    ) -> asyncio.Future[None] | None:  # fmt: skip
        self._kind = kind
        self._points.reach(f"{kind}: before")
        commit = super().add(
            kind, address, digest, body, at, checksum, run, text=text, durable=durable
        )
        self._points.reach(f"{kind}: after")
        return commit
