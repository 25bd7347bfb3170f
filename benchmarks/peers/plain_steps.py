"""The floor: the same ring as five coroutines in a loop, and no framework at all.

Nothing can be cheaper in Python than one `await` of a coroutine that does the work, so this row
says how much of every other row is the work itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from driver import driver_arguments, measure_async
from workload import SUBFLOWS, State, advance, initial_state


async def count(state: State) -> None:
    state["counter"], state["items"] = advance(state["counter"], state["items"])


def build(rounds: int) -> Callable[[], Awaitable[State]]:
    ring = [count for _ in SUBFLOWS]

    async def run() -> State:
        state = initial_state()
        for _ in range(rounds):
            for subflow in ring:
                await subflow(state)
        return state

    return run


if __name__ == "__main__":
    measure_async(build, driver_arguments().rounds)
