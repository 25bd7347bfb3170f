"""The floor of many sessions: coroutines that wait, and no framework at all.

Each session is one task of asyncio; a step waits and does the ring's `think`. What the row costs is
the event loop's timers and the tasks, which every other row has, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from driver import driver_arguments, measure_async
from workload import WAIT_SECONDS, State, all_sessions, initial_state, think


async def session(rounds: int) -> State:
    state = initial_state()
    for _ in range(rounds):
        await asyncio.sleep(WAIT_SECONDS)
        state["counter"], state["thought"] = think(state["counter"])
    return state


def build(sessions: int, rounds: int) -> Callable[[], Awaitable[State]]:
    async def run() -> State:
        return all_sessions(await asyncio.gather(*(session(rounds) for _ in range(sessions))))

    return run


if __name__ == "__main__":
    arguments = driver_arguments(durable=True, sessions=True)
    measure_async(lambda sessions: build(sessions, arguments.rounds), arguments.sessions)
