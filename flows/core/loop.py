"""The way from ordinary code into asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def run_coroutine(coroutine: Coroutine[Any, Any, T]) -> T:
    """What a coroutine comes to, waited for.

    Where an event loop runs in this thread already, as in a notebook, the coroutine runs in a loop
    of another thread, and this one waits; Ctrl-C cancels it there too.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(coroutine)
    cancels: list[Callable[[], object]] = []

    async def work() -> T:
        task = asyncio.current_task()
        assert task is not None
        loop = asyncio.get_running_loop()
        cancels.append(lambda: loop.call_soon_threadsafe(task.cancel))
        return await coroutine

    with ThreadPoolExecutor(1, "flows") as pool:
        ended = pool.submit(copy_context().run, asyncio.run, work())
        try:
            return ended.result()
        except KeyboardInterrupt:
            if cancels and not ended.done():
                cancels[0]()
            raise


def synchronous(start: Callable[P, Coroutine[Any, Any, T]], name: str) -> Callable[P, T]:
    """A function of that name for ordinary code: it does what `start` does, and waits for what the
    coroutine that `start` returns comes to."""

    @wraps(start)
    def wait(*args: P.args, **kwargs: P.kwargs) -> T:
        return run_coroutine(start(*args, **kwargs))

    return _with_name(wait, name)


def asynchronous(
    start: Callable[P, Coroutine[Any, Any, T]], name: str
) -> Callable[P, Coroutine[Any, Any, T]]:
    """As `synchronous`, for code that awaits. What `start` itself does (reading and checking files)
    it does in a thread, so that the event loop goes on."""

    @wraps(start)
    async def work(*args: P.args, **kwargs: P.kwargs) -> T:
        return await (await asyncio.to_thread(start, *args, **kwargs))

    return _with_name(work, name)


def _with_name(function: Callable[P, T], name: str) -> Callable[P, T]:
    function.__name__ = function.__qualname__ = name
    return function
