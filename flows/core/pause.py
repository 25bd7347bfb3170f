"""Standing still before the next step, until a person says how the run goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Final, Literal, Protocol

from flows.core.limits import Meter

Choice = Literal["go on", "save", "stop"]
_EVERY_S: Final = 0.02


class Halted(Protocol):
    """What a pause knows of the run that it halts."""

    meter: Meter
    deadline: float
    at_work: int
    stop_wanted: bool

    def set_deadline(self) -> None: ...

    def stop_step(self) -> bool: ...


class Pause:
    """Halts a run before its next step. `ask` asks the person how it goes on: as before, not now
    (`save` ends the process, and the run can be resumed), or at its end with what there is.

    Steps that have begun come to their ends first. The time that a run stands still is not its own.
    """

    def __init__(self, ask: Callable[[], Awaitable[Choice]]) -> None:
        self._ask = ask
        self._run: Halted | None = None
        self._main: asyncio.Task[object] | None = None
        self._answer: asyncio.Task[None] | None = None
        self.wanted = False

    def begin(self, run: Halted) -> None:
        """Belong to a run that begins in the running task."""
        self._run, self._main = run, asyncio.current_task()

    def want(self) -> None:
        """Halt the run before its next step. May be called at any time, also by a signal."""
        self.wanted = True
        if self._run is not None:
            self._run.deadline = 0.0

    def stop_step(self) -> bool:
        """End the step that a person can stop, and no more of the run; False where there is none.
        May be called by a signal."""
        return self._run is not None and self._run.stop_step()

    def leave(self) -> None:
        """End the run here, as one that can be gone on with. May be called by a signal."""
        if self._main is not None:
            self._main.get_loop().call_soon_threadsafe(self._main.cancel)

    async def hold(self) -> None:
        """Wait for the person; all steps that come to it wait for the one answer."""
        if self._answer is None:
            self._answer = asyncio.ensure_future(self._settle())
        await asyncio.shield(self._answer)

    async def _settle(self) -> None:
        run = self._run
        assert run is not None
        began = perf_counter()
        choice = await self._ask()
        while choice != "go on" and run.at_work:  # noqa: ASYNC110 - an event would cost each step
            await asyncio.sleep(_EVERY_S)
        run.meter.put_off(perf_counter() - began)
        if choice == "save":
            self.leave()
            await asyncio.Event().wait()  # until it is cancelled with the run
        run.stop_wanted = choice == "stop"
        self.wanted, self._answer = False, None
        run.set_deadline()
