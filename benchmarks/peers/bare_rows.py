"""The floor of the durable step: the ring in a plain loop, and one row inserted for each step.

A row is a number and the step's delta as JSON, written by `json`; SQLite in autocommit, so that
each row is one commit. Nobody can do with less who wants every step on the disk before the next.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from driver import ask, driver_arguments, measure, set_pragmas
from workload import State, initial_state, last_counter, think

facts: dict[str, Any] = {}


def build(rounds: int, folder: Path, durability: str) -> Callable[[], State]:
    path = Path(tempfile.mkdtemp(dir=folder)) / "rows.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    set_pragmas(connection, durability)
    connection.execute("CREATE TABLE rows (step INTEGER PRIMARY KEY, delta TEXT NOT NULL) STRICT")

    def run() -> State:
        state = initial_state()
        for step in range(last_counter(rounds)):
            counter, thought = think(state["counter"])
            delta = {"counter": counter, "thought": thought}
            connection.execute("INSERT INTO rows VALUES (?, ?)", (step, json.dumps(delta)))
            state.update(delta)
        facts.update(ask(connection, "rows"))
        connection.close()
        return state

    return run


if __name__ == "__main__":
    arguments = driver_arguments(durable=True)
    with tempfile.TemporaryDirectory() as scratch:
        measure(
            lambda rounds: build(rounds, Path(scratch), arguments.durability),
            arguments.rounds,
            lambda: facts,
        )
