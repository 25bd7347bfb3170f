"""A plain connection to DuckDB or SQLite inside the worker's walls, with nothing else to hold it.

    python -m tests.data.behind_walls ENGINE FOLDER SCRATCH < statements.json > outcomes.json

Of the folder only the data files may be read. The outcome of a statement is its rows as text, or
its error.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

from flows.sandbox.read_access import readable
from flows.sandbox.walls import Walls, missing, raise_walls

# DuckDB ends the process where it may not see how much memory there is.
_OF_MACHINE = (Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))
_SECONDS = 0.5
_MEMORY = 768 * 1024 * 1024


def main(engine: str, folder: Path, scratch: Path) -> None:
    statements = json.load(sys.stdin)
    data = [folder / name for name in ("orders.csv", "regions.csv", "books.sqlite")]
    raised = raise_walls(
        Walls(
            read=(*readable(), *_OF_MACHINE, *data),
            write=(scratch,),
            memory=_MEMORY,
            file_bytes=1 << 20,
            open_files=64,
        )
    )
    watch = Watch()
    run = _duckdb(folder, watch) if engine == "duckdb" else _sqlite(folder, watch)
    outcomes = [run(each) for each in statements]
    json.dump({"missing": missing(raised), "outcomes": outcomes}, sys.stdout)


class Watch:
    """Interrupts what has run for too long, from a thread that is there before memory is short."""

    def __init__(self) -> None:
        self._since = 0.0
        self._interrupt: Callable[[], object] = lambda: None
        threading.Thread(target=self._look, daemon=True).start()

    def begin(self, interrupt: Callable[[], object]) -> None:
        self._interrupt = interrupt
        self._since = time.monotonic()

    def end(self) -> None:
        self._since = 0.0

    def _look(self) -> None:
        while True:
            time.sleep(0.1)
            if self._since and time.monotonic() - self._since > _SECONDS:
                self._interrupt()


def _duckdb(folder: Path, watch: Watch) -> Callable[[str], str]:
    # Each extension that it wants by itself costs seconds of vain tries; INSTALL still tries.
    connection = duckdb.connect(
        config={"memory_limit": "256MB", "threads": 1, "autoinstall_known_extensions": False}
    )
    for name in ("orders", "regions"):
        connection.execute(f"CREATE TABLE {name} AS FROM read_csv('{folder}/{name}.csv')")

    def run(sql: str) -> str:
        cursor = connection.cursor()
        watch.begin(cursor.interrupt)
        try:
            return str(cursor.execute(sql).fetchmany(50))[:5000]
        except (duckdb.Error, MemoryError, RuntimeError) as error:
            return f"{type(error).__name__}: {error}"
        finally:
            watch.end()

    return run


def _sqlite(folder: Path, watch: Watch) -> Callable[[str], str]:
    def run(sql: str) -> str:
        try:
            connection = sqlite3.connect(f"file:{folder}/books.sqlite?mode=ro", uri=True)
            watch.begin(connection.interrupt)
            try:
                return str(connection.execute(sql).fetchmany(50))[:5000]
            finally:
                watch.end()
                connection.close()
        except (sqlite3.Error, sqlite3.Warning, MemoryError) as error:
            return f"{type(error).__name__}: {error}"

    return run


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
