"""The plans of run files, whose data stay open between their runs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Final

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.config.settings import Choice
from flows.errors import FlowsError
from flows.services.hosting.hosted_flow import HostedFile

_PERSON: Final = Choice("human", "detached", "human=detached")


@dataclass(slots=True)
class _OpenPlan:
    """A plan with how many runs use it, and the timer that closes it when none does."""

    plan: RunPlan
    users: int = 0
    timer: asyncio.TimerHandle | None = None


class OpenPlans:
    """Builds each run file once, and keeps what it was built to. Belongs to one event loop."""

    def __init__(self, trust: Sequence[str] = ()) -> None:
        self._trust = tuple(trust)
        self._open: dict[str, _OpenPlan] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._building = asyncio.Lock()

    @asynccontextmanager
    async def use(self, file: HostedFile) -> AsyncIterator[RunPlan]:
        """What the file was built to; its data stay open inside. Errors: `ConfigError`."""
        found = await self._take(file)
        try:
            yield found.plan
        finally:
            found.users -= 1
            if not found.users and file.idle_seconds is not None:
                loop = asyncio.get_running_loop()
                found.timer = loop.call_later(file.idle_seconds, self._forget, file.key)

    async def plan(self, file: HostedFile) -> RunPlan:
        """What the file was built to, for what needs no open data. Errors: `ConfigError`."""
        async with self.use(file) as plan:
            return plan

    async def aclose(self) -> None:
        """Close all data."""
        for key in list(self._open):
            self._forget(key)
        while self._closing:
            await asyncio.gather(*self._closing)

    async def _take(self, file: HostedFile) -> _OpenPlan:
        async with self._building:
            found = self._open.get(file.key)
            if found is None:
                settings = (_PERSON, *file.settings)
                plan, _ = build(file.path, file.overrides, settings=settings, trust=self._trust)
                found = self._open[file.key] = _OpenPlan(plan)
            found.users += 1
            if found.timer is not None:
                found.timer.cancel()
                found.timer = None
            return found

    def _forget(self, key: str) -> None:
        """Close the data of a plan; the next that asks for it gets another."""
        found = self._open.pop(key)
        if found.timer is not None:
            found.timer.cancel()
        task = asyncio.get_running_loop().create_task(_close(found.plan))
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


async def _close(plan: RunPlan) -> None:
    with suppress(FlowsError):
        await plan.aclose()
