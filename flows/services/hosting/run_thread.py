"""The thread that runs are in, so that the event loop of whoever asks for them stays free."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

T = TypeVar("T")


class RunThread:
    """A thread with an event loop of its own. `do` may be called from any event loop."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="runs", daemon=True)
        self._thread.start()

    async def do(self, work: Coroutine[Any, Any, T]) -> T:
        """What the work comes to in the thread. To cancel this cancels the work, and
        waits until that has ended."""
        result: Future[T] = Future()
        begun: list[asyncio.Task[T]] = []

        def begin() -> None:
            task = self._loop.create_task(work)
            begun.append(task)
            task.add_done_callback(lambda ended: _hand_over(ended, result))

        self._loop.call_soon_threadsafe(begin)
        waiting = asyncio.wrap_future(result)
        try:
            return await asyncio.shield(waiting)
        except asyncio.CancelledError:
            if not waiting.done():
                self._loop.call_soon_threadsafe(lambda: begun[0].cancel())
                await asyncio.wait([waiting])
            raise

    async def aclose(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.to_thread(self._thread.join)
        self._loop.close()


def _hand_over(ended: asyncio.Task[T], result: Future[T]) -> None:
    """Give what a task came to, to whoever waits for it in another thread."""
    if ended.cancelled():
        result.cancel()
    elif (error := ended.exception()) is not None:
        result.set_exception(error)
    else:
        result.set_result(ended.result())
