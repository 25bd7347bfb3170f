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
        self._waiting: dict[asyncio.Timeout, TimedStep] = {}
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
        begun = _Begun(steps, awaited)
        return (yield from self._watch(step, begun, goes_on).__await__())

    def end(self) -> None:
        """Let go of the timer: the run is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _watch(self, step: TimedStep, work: _Begun, goes_on: str) -> Any:
        if self._timer is None:
            self._look()
        try:
            async with asyncio.timeout(None) as limit:
                self._waiting[limit] = step
                try:
                    return await work
                finally:
                    del self._waiting[limit]
        except TimeoutError:
            if not limit.expired():
                raise
            within = f"within {step.address}" if step.address else ""
            why = "; ".join(each for each in (within, goes_on) if each)
            raise await self._out_of_time(step.address, why) from None

    def _look(self) -> None:
        """End what waits if the time is over, and look again."""
        loop, left = asyncio.get_running_loop(), self._meter.deadline - perf_counter()
        if left <= 0 and not self._stands_still():
            for limit, step in self._waiting.items():
                if not step.asks_person and not limit.expired():
                    limit.reschedule(loop.time())
        self._timer = loop.call_later(max(left, LOOK_SECONDS), self._look)


class _Begun:
    """Work that has begun, and waits for something."""

    def __init__(self, steps: Generator[Any, Any, Any], awaited: Any) -> None:
        self._steps = steps
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, Any]:
        awaited = self._awaited
        while True:
            try:
                yield awaited
            except BaseException as error:  # noqa: BLE001 - it is the work's, which may catch it
                try:
                    awaited = self._steps.throw(error)
                except StopIteration as end:
                    return end.value
            else:
                return (yield from self._steps)
