"""A limit of ours on how long a provider may take."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from flows.errors import ModelUnreachable


@asynccontextmanager
async def within(seconds: float | None, problem: str) -> AsyncIterator[None]:
    """Errors: ModelUnreachable with `problem` when the block takes longer than `seconds`."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise
        raise ModelUnreachable(problem) from None
