"""Ask again after an error that passes, never after one that stays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from flows.errors import ModelError

if TYPE_CHECKING:
    from tenacity import RetryCallState

T = TypeVar("T")


class Retry(BaseModel):
    """How often one request is made, and the longest wait between two attempts in seconds.

    A provider that asks for a longer wait (Retry-After) is not asked again.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempts: int = Field(default=3, ge=1, le=20)
    wait_max: float = Field(default=20.0, ge=0, le=600, allow_inf_nan=False)


async def call_with_retry(
    retry: Retry, attempt: Callable[[], Awaitable[T]], may_repeat: Callable[[], bool]
) -> T:
    """The result of the first attempt that succeeds, or the error of the last.

    `may_repeat` is asked after each transient error: text that was already shown to somebody
    cannot be taken back, so an attempt that gave some away is not repeated.
    """
    from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt
    from tenacity.wait import wait_random_exponential

    backoff = wait_random_exponential(multiplier=0.5, max=retry.wait_max)

    def wait(state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, ModelError) and error.retry_after is not None:
            return error.retry_after
        return backoff(state)

    def passes(error: BaseException) -> bool:
        if not isinstance(error, ModelError) or not error.transient:
            return False
        too_long = error.retry_after is not None and error.retry_after > retry.wait_max
        return not too_long and may_repeat()

    attempts = AsyncRetrying(
        stop=stop_after_attempt(retry.attempts),
        wait=wait,
        retry=retry_if_exception(passes),
        reraise=True,
    )
    return await attempts(attempt)
