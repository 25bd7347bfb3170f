"""Functions in threads that nobody has to wait for: none of them can be ended from outside."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar, copy_context
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")
MOST_AT_ONCE: Final = 32  # functions of one event loop that are in threads
GOES_ON: Final = "its function cannot be ended, and is not waited for"

_inside: ContextVar[bool] = ContextVar("_inside", default=False)
_free: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


async def call_in_thread(function: Callable[..., T], *given: Any, **named: Any) -> T:
    """What a function comes to that is called in a thread of its own.

    Whoever gives up waiting leaves the thread alone with it, and the process does not wait for the
    thread when it ends. No future can hold a `StopIteration`: one that the function raises is a
    `RuntimeError`, as in a generator. One that a function in a thread calls counts with that: it
    would wait for a place that its caller holds.
    """
    loop = asyncio.get_running_loop()
    free = None if _inside.get() else _free.setdefault(loop, asyncio.Semaphore(MOST_AT_ONCE))
    if free is not None:
        await free.acquire()
    result: asyncio.Future[T] = loop.create_future()
    context = copy_context()
    context.run(_inside.set, True)

    def settle(found: Callable[[], None]) -> None:
        if free is not None:
            free.release()
        if not result.done():  # else it was given up
            found()

    def call() -> None:
        try:
            found = context.run(function, *given, **named)
        except StopIteration:
            _tell(loop, settle, result.set_exception, RuntimeError("it raised StopIteration"))
        except BaseException as error:  # noqa: BLE001 - whoever waits is told, whatever it is
            _tell(loop, settle, result.set_exception, error)
        else:
            _tell(loop, settle, result.set_result, found)

    threading.Thread(target=call, name=f"function {function.__name__}", daemon=True).start()
    return await result


def _tell(
    loop: asyncio.AbstractEventLoop,
    settle: Callable[[Callable[[], None]], None],
    give: Callable[[Any], None],
    found: object,
) -> None:
    with suppress(RuntimeError):  # the loop has ended: nobody waits any more
        loop.call_soon_threadsafe(settle, lambda: give(found))
