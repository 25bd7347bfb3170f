"""The limit on a run's wall time, and the steps that it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from time import perf_counter
from types import coroutine
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from flows.core.flow import AtomicFlow
    from flows.core.scope import CallScope
    from flows.core.session import Session

LOOK_SECONDS: Final = 0.05  # how often is looked whether a person has said what is waited for


class WallTime:
    """Ends the steps of a run that are under way when its wall time is over. One timer serves all
    of them; a step that never waits could not be ended, and costs nothing."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._waiting: dict[asyncio.Timeout, CallScope] = {}
        self._timer: asyncio.TimerHandle | None = None

    @coroutine
    def limit(
        self, flow: AtomicFlow, work: Awaitable[Any], run: CallScope
    ) -> Generator[Any, Any, Any]:
        """Wait for the work of a step until the wall time is over, and give it up then: a call of a
        model, a tool or a query ends, a function that a thread is in goes on unheard. A person who
        is asked is waited for.

        Errors: `LimitReached`, which is recorded, as time will not tell it again.
        """
        steps = work.__await__()
        try:
            awaited = next(steps)
        except StopIteration as end:
            return end.value
        return (yield from self._watch(flow, _Begun(steps, awaited), run).__await__())

    def end(self) -> None:
        """Let go of the timer: the run is over."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _watch(self, flow: AtomicFlow, work: _Begun, run: CallScope) -> Any:
        if self._timer is None:
            self._look()
        try:
            async with asyncio.timeout(None) as limit:
                self._waiting[limit] = run
                try:
                    return await work
                finally:
                    del self._waiting[limit]
        except TimeoutError:
            if not limit.expired():
                raise
            within = f"within {run.address}" if run.address else ""
            why = "; ".join(each for each in (within, flow.goes_on) if each)
            raise await self._session.out_of_time(run.address, why) from None

    def _look(self) -> None:
        """End what waits if the time is over, and look again."""
        loop, left = asyncio.get_running_loop(), self._session.meter.deadline - perf_counter()
        if left <= 0 and not self._session.stands_still:
            for limit, run in self._waiting.items():
                if not run.asks_person and not limit.expired():
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
