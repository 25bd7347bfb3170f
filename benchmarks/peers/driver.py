"""What every driver does: reads its command line, runs the work with the clocks on, and tells.

Standard library only, as `workload.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sqlite3
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from workload import digest

WARM_UP = 10

Build = Callable[[int], Callable[[], Mapping[str, Any]]]
AsyncBuild = Callable[[int], Callable[[], Awaitable[Mapping[str, Any]]]]
Facts = Callable[[], Mapping[str, Any]]


def measure(build: Build, size: int, facts: Facts = dict) -> None:
    """Warm up, run once with the clocks on, print the JSON line that the harness reads.

    `build(size)` makes a fresh run, outside the measured time; calling what it returns runs it and
    gives the final state. `facts()` is asked after the run for what else there is to tell.
    """
    build(min(size, WARM_UP))()
    run = build(size)
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    final = run()
    cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
    _print(final, cpu_s, wall_s, facts())


def measure_async(build: AsyncBuild, size: int, facts: Facts = dict) -> None:
    """As `measure`, for a run that is awaited; starting the event loop is not measured."""
    asyncio.run(_measured(build, size, facts))


async def _measured(build: AsyncBuild, size: int, facts: Facts) -> None:
    await build(min(size, WARM_UP))()
    run = build(size)
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    final = await run()
    cpu_s, wall_s = time.process_time() - cpu, time.perf_counter() - wall
    _print(final, cpu_s, wall_s, facts())


def _print(final: Mapping[str, Any], cpu_s: float, wall_s: float, facts: Mapping[str, Any]) -> None:
    sample = {
        "cpu_s": cpu_s,
        "wall_s": wall_s,
        "steps": final["counter"],
        "check": digest(final),
        "facts": dict(facts),
    }
    print(json.dumps(sample), flush=True)


def driver_arguments(
    modes: Sequence[str] = (),
    *,
    size: str = "rounds",
    durable: bool = False,
    sessions: bool = False,
) -> argparse.Namespace:
    """The command line of a driver: `--rounds N`, or another size, and what else there is.

    `durable` adds `--durability full|normal`, `sessions` adds `--sessions N`.
    """
    parser = argparse.ArgumentParser()
    parser.add_argument(f"--{size}", type=int, required=True)
    if modes:
        parser.add_argument("--mode", choices=modes, default=modes[0])
    if durable:
        parser.add_argument("--durability", choices=("full", "normal"), required=True)
    if sessions:
        parser.add_argument("--sessions", type=int, required=True)
    return parser.parse_args()


def set_pragmas(connection: sqlite3.Connection, durability: str) -> None:
    """What every contestant's connection is set to: the same log, synced as often."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={durability}")


ASKED = ("PRAGMA journal_mode", "PRAGMA synchronous", "SELECT count(*) FROM {table}")
ANSWERS = ("journal_mode", "synchronous", "rows")


def ask(connection: sqlite3.Connection, table: str) -> dict[str, Any]:
    """What the connection that was written by says of itself and of its table, to be checked."""
    found = [connection.execute(each.format(table=table)).fetchone()[0] for each in ASKED]
    return dict(zip(ANSWERS, found, strict=True))


def bytes_below(folder: Path) -> dict[str, int]:
    """The size of all files of a run together, once it is closed."""
    return {"bytes": sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())}
