"""One try of a flow after another, each within the time that it may take."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from flows.core.events import Retrying
from flows.core.flow import AtomicFlow, Flow, Retry
from flows.core.scope import CallScope
from flows.errors import ModelError, StepStopped, StepTimeout, ToolError

if TYPE_CHECKING:
    from tenacity import RetryCallState

LOOK_SECONDS: Final = 0.05  # how often is looked whether a person has said what is waited for


async def run_until_deadline(flow: AtomicFlow, work: Awaitable[Any], run: CallScope) -> Any:
    """Wait for the work of a step until the run's wall time is over, and give it up then: a call of
    a model, a tool or a query ends, a function that a thread is in goes on unheard. A person who is
    asked is waited for.

    Errors: `LimitReached`, which is recorded, as time will not tell it again.
    """
    session, loop = run.session, asyncio.get_running_loop()
    timer: asyncio.TimerHandle

    def look() -> None:
        nonlocal timer
        left = session.meter.deadline - perf_counter()
        if left > 0 or run.asks_person or session.stands_still:
            timer = loop.call_later(max(left, LOOK_SECONDS), look)
        else:
            limit.reschedule(loop.time())

    timer = loop.call_later(max(0.0, session.meter.deadline - perf_counter()), look)
    try:
        async with asyncio.timeout(None) as limit:
            return await work
    except TimeoutError:
        if not limit.expired():
            raise
        within = f"within {run.address}" if run.address else ""
        why = "; ".join(each for each in (within, flow.goes_on) if each)
        raise await session.out_of_time(run.address, why) from None
    finally:
        timer.cancel()


async def run_in_time(flow: Flow, inputs: Any, run: CallScope) -> Any:
    """Run the flow within its time limit, if it has one. Errors: `StepTimeout`; `StepStopped` where
    a person had it end before."""
    seconds, session = flow.config.timeout, run.session
    try:
        async with asyncio.timeout(seconds) as limit:
            if not flow.stoppable:
                return await flow.run(inputs, run)
            session.stoppable = limit
            try:
                return await flow.run(inputs, run)
            finally:
                session.stoppable = None
    except TimeoutError as error:
        if limit.expired():
            if limit is session.ended_early:
                raise StepStopped(f"{flow.name} was stopped") from error
            raise StepTimeout(f"{flow.name} took more than {seconds:g} s") from error
        raise


async def run_with_retries(flow: AtomicFlow, inputs: Any, run: CallScope) -> Any:
    """Run an atomic flow as often as its `retry` allows while its errors may pass."""
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

    retry = flow.config.retry

    def tell(state: RetryCallState) -> None:
        wait = state.next_action.sleep if state.next_action else 0.0
        cause = state.outcome.exception() if state.outcome else None
        _emit_retry(run, state.attempt_number, wait, str(cause))

    async for attempt in AsyncRetrying(
        stop=stop_after_attempt(retry.attempts),
        wait=_waits(retry),
        retry=retry_if_exception(_may_pass),
        before_sleep=tell,
        reraise=True,
    ):
        with attempt:
            await run.session.check_time(run.address)
            run.saved = ()
            return await run_in_time(flow, inputs, run)
    raise AssertionError("tenacity ends by returning or raising")


def _waits(retry: Retry) -> Callable[[RetryCallState], float]:
    """A growing wait in seconds, or the one that the provider asked for if that is longer."""
    from tenacity.wait import wait_exponential

    growing = wait_exponential(multiplier=retry.wait, max=retry.wait_max)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, ModelError) else None
        return max(growing(state), min(asked or 0.0, retry.wait_max))

    return wait


def _may_pass(error: BaseException) -> bool:
    if isinstance(error, ModelError):
        return error.transient
    return isinstance(error, (ToolError, StepTimeout))


def _emit_retry(run: CallScope, attempt: int, wait: float, message: str) -> None:
    session = run.session
    if session.listeners:
        seq = session.next_seq()
        session.emit(Retrying(session.run_id, seq, run.address, run.round, attempt, wait, message))
