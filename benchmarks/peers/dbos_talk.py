"""DBOS on SQLite: the ring as one workflow whose steps are each recorded before the next begins.

DBOS offers SQLite for development and tests, by SQLAlchemy; what it records is each step's output,
in `operation_outputs`. The write-ahead log and `PRAGMA synchronous` are set on each connection as
it is made (DBOS itself would leave the older rollback log on); they are read back from one out of
its pool. Its polling threads are part of its processor time. No server, no traces, no console log.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import sqlalchemy
from dbos import DBOS, DBOSConfig
from driver import ask, driver_arguments, measure, set_pragmas
from workload import State, initial_state, last_counter, think

facts: dict[str, Any] = {}


@DBOS.step()
def think_step(counter: int) -> State:
    counter, thought = think(counter)
    return {"counter": counter, "thought": thought}


@DBOS.workflow()
def ring(rounds: int) -> State:
    state = initial_state()
    for _ in range(last_counter(rounds)):
        state.update(think_step(state["counter"]))
    return state


def start(folder: Path, durability: str) -> sqlalchemy.Engine:
    engine = sqlalchemy.create_engine(f"sqlite:///{folder / 'dbos.sqlite'}")

    @sqlalchemy.event.listens_for(engine, "connect")
    def prepare(connection: Any, record: Any) -> None:
        del record
        connection.isolation_level = "IMMEDIATE"
        connection.execute("PRAGMA busy_timeout=30000")
        connection.execute("PRAGMA foreign_keys=ON")
        set_pragmas(connection, durability)

    config: DBOSConfig = {
        "name": "benchmark",
        "system_database_url": str(engine.url),
        "system_database_engine": engine,
        "enable_otlp": False,
        "console_log_level": "ERROR",
    }
    DBOS(config=config)
    DBOS.launch()
    return engine


if __name__ == "__main__":
    arguments = driver_arguments(durable=True)
    with tempfile.TemporaryDirectory() as scratch:
        engine = start(Path(scratch), arguments.durability)

        def look() -> dict[str, Any]:
            with engine.connect() as connection:
                return ask(connection.connection.driver_connection, "operation_outputs")

        measure(lambda rounds: lambda: ring(rounds), arguments.rounds, look)
        DBOS.destroy()
