"""The work that every contestant does, and how one run of it is measured.

A ring of five subflows goes round. The shared state has eight keys. Each subflow reads `counter`
and `items`, adds one to the counter, and appends the old counter to the list, of which the last 50
are kept. The other six keys pass through untouched. So one step is one subflow called once, and
the work inside it is next to nothing: what is measured is the framework around it.

Standard library only, because each driver imports it in an environment of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

SUBFLOWS = ("one", "two", "three", "four", "five")
KEPT_ITEMS = 50
WARM_UP_ROUNDS = 10

State = dict[str, Any]


def initial_state() -> State:
    """The eight keys as every run starts with them, fresh each time."""
    return {
        "counter": 0,
        "items": [],
        "goal": "Count to the end of the last round.",
        "thought": "The next subflow knows what to do.",
        "command": "count",
        "command_args": {"by": 1, "keep": KEPT_ITEMS},
        "recalled": ["the first memory", "the second memory", "the third memory"],
        "answer": "",
    }


def advance(counter: int, items: Sequence[int]) -> tuple[int, list[int]]:
    """One subflow's work: the next counter, and a new list of at most `KEPT_ITEMS`."""
    return counter + 1, [*items[-(KEPT_ITEMS - 1) :], counter]


def last_counter(rounds: int) -> int:
    """What the counter says after so many rounds, which is also the number of steps."""
    return rounds * len(SUBFLOWS)


def digest(state: Mapping[str, Any]) -> str:
    """A short fingerprint of a whole state: same keys, same values, same text."""
    text = json.dumps(dict(state), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def expected_digest(rounds: int) -> str:
    """The fingerprint of the right final state, computed by a plain loop."""
    state = initial_state()
    for _ in range(last_counter(rounds)):
        state["counter"], state["items"] = advance(state["counter"], state["items"])
    return digest(state)


Build = Callable[[int], Callable[[], Mapping[str, Any]]]
AsyncBuild = Callable[[int], Callable[[], Awaitable[Mapping[str, Any]]]]


def measure(build: Build, rounds: int) -> None:
    """Warm up, run once with the clocks on, print the JSON line that the harness reads.

    `build(rounds)` makes a fresh run, outside the measured time; calling what it returns runs it
    and gives the final state.
    """
    build(min(rounds, WARM_UP_ROUNDS))()
    run = build(rounds)
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    final = run()
    _print(final, cpu_s=time.process_time() - cpu, wall_s=time.perf_counter() - wall)


def measure_async(build: AsyncBuild, rounds: int) -> None:
    """As `measure`, for a run that is awaited; starting the event loop is not measured."""
    asyncio.run(_measured(build, rounds))


async def _measured(build: AsyncBuild, rounds: int) -> None:
    await build(min(rounds, WARM_UP_ROUNDS))()
    run = build(rounds)
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    final = await run()
    _print(final, cpu_s=time.process_time() - cpu, wall_s=time.perf_counter() - wall)


def _print(final: Mapping[str, Any], *, cpu_s: float, wall_s: float) -> None:
    sample = {
        "cpu_s": cpu_s,
        "wall_s": wall_s,
        "steps": final["counter"],
        "check": digest(final),
    }
    print(json.dumps(sample), flush=True)


def driver_arguments(modes: Sequence[str] = ()) -> argparse.Namespace:
    """The command line of a driver: `--rounds N`, and `--mode` where it has more than one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, required=True)
    if modes:
        parser.add_argument("--mode", choices=modes, default=modes[0])
    return parser.parse_args()
