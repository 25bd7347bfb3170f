"""No framework: the children are coroutines of one `asyncio.gather`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from driver import driver_arguments, measure_async
from workload import State, fan_state


async def child(number: int) -> int:
    return number + 1


def build(width: int) -> Callable[[], Awaitable[State]]:
    async def run() -> State:
        return fan_state(await asyncio.gather(*(child(number) for number in range(width))))

    return run


if __name__ == "__main__":
    measure_async(build, driver_arguments(size="width").width)
