"""The limit on a run's wall time, and the steps that it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from time import perf_counter
from types import coroutine
from typing import Any, Final, Protocol

from flows.core.limits import Meter
from flows.errors import LimitReached

LOOK_SECONDS: Final = 0.05  # how often is looked whether a person has said what is waited for


class TimedStep(Protocol):
    """A step that may have to be ended: where it is, and whether it asks a person now."""

    address: str
    asks_person: bool


class WallTime:
    """Ends the steps of a run that are under way when its wall time is over. One timer serves all
    of them; a step that never waits could not be ended, and costs nothing.

    `stands_still` says whether a person has halted the run; `out_of_time` records that the limit
    has ended the step at an address, with the reason, and gives the error of it.
    """

    def __init__(
        self,
        meter: Meter,
        stands_still: Callable[[], bool],
        out_of_time: Callable[[str, str], Awaitable[LimitReached]],
    ) -> None:
        self._meter = meter
        self._stands_still = stands_still
        self._out_of_time = out_of_time
        self._waiting: set[_Watched] = set()
        self._timer: asyncio.TimerHandle | None = None

    @coroutine
    def limit(
        self, step: TimedStep, work: Awaitable[Any], goes_on: str
    ) -> Generator[Any, Any, Any]:
        """Wait for the work of a step until the wall time is over, and give it up then: a call of a
        model, a tool or a query ends, a function that a thread is in goes on unheard. A person who
        is asked is waited for. `goes_on` says what of the step cannot be ended.

        Errors: `LimitReached`, which is recorded, as time will not tell it again.
        """
        steps = work.__await__()
        try:
            awaited = next(steps)
        except StopIteration as end:
            return end.value
        if self._timer is None:
            self._look()
        watched = _Watched(step)
        self._waiting.add(watched)
        try:
            return (yield from _rest(steps, awaited))
        except asyncio.CancelledError:
            if not watched.take_back():
                raise
        finally:
            self._waiting.discard(watched)
            watched.take_back()
        within = f"within {step.address}" if step.address else ""
        why = "; ".join(each for each in (within, goes_on) if each)
        raise (yield from self._out_of_time(step.address, why).__await__())

    def end(self) -> None:
        """Let go of the timer: the run is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        """End what waits if the time is over, and look again."""
        loop, left = asyncio.get_running_loop(), self._meter.deadline - perf_counter()
        if left <= 0 and not self._stands_still():
            for each in self._waiting:
                each.end()
        self._timer = loop.call_later(max(left, LOOK_SECONDS), self._look)


class _Watched:
    """A step that waits, and its task, which is cancelled when the time is over: what
    `asyncio.timeout` does, without a frame that the task is woken through."""

    __slots__ = ("_cancelling", "_ended", "_step", "_task")

    def __init__(self, step: TimedStep) -> None:
        task = asyncio.current_task()
        assert task is not None  # nothing else can wait
        self._step = step
        self._task = task
        self._cancelling = task.cancelling()
        self._ended = False

    def end(self) -> None:
        """Cancel the step, once, unless it waits for a person."""
        if not self._ended and not self._step.asks_person:
            self._ended = True
            self._task.cancel()

    def take_back(self) -> bool:
        """Take the cancel back, if there was one; whether nobody else has cancelled the task."""
        if not self._ended:
            return False
        self._ended = False
        return self._task.uncancel() <= self._cancelling


def _rest(steps: Generator[Any, Any, Any], awaited: Any) -> Generator[Any, Any, Any]:
    """Go on with work that has begun, and waits for something."""
    while True:
        try:
            yield awaited
        except BaseException as error:  # noqa: BLE001 - it is the work's, which may catch it
            try:
                awaited = steps.throw(error)
            except StopIteration as end:
                return end.value
        else:
            return (yield from steps)
