"""Standing still before the next step, until a person says how the run goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Final, Literal, Protocol

from flows.core.limits import Meter
from flows.errors import SessionChanged

Choice = Literal["go on", "save", "stop"]
_EVERY_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class PauseCommand:
    """A command to the session, without its colon, that a person gives at a pause."""

    text: str


class Halted(Protocol):
    """What a pause knows of the run that it halts."""

    meter: Meter
    deadline: float
    at_work: int
    stop_wanted: bool

    def set_deadline(self) -> None: ...

    def stop_step(self) -> bool: ...

    async def command(self, text: str) -> tuple[str, bool]: ...


class Pause:
    """Halts a run before its next step. `ask` says what the last command came to, and asks the
    person how the run goes on: as before, not now (`save` ends the process, and the run can be
    resumed), or at its end with what there is. A command is carried out, and they are asked again;
    where it changes the session, the run is taken up as it is then and stands still again.

    Steps that have begun come to their ends first. The time that a run stands still is not its own.
    """

    def __init__(self, ask: Callable[[str], Awaitable[Choice | PauseCommand]]) -> None:
        self._ask = ask
        self._run: Halted | None = None
        self._main: asyncio.Task[object] | None = None
        self._answer: asyncio.Task[None] | None = None
        self.wanted = False

    def begin(self, run: Halted) -> None:
        """Belong to a run that begins in the running task."""
        self._run, self._main = run, asyncio.current_task()
        self._answer = None
        if self.wanted:
            run.deadline = 0.0

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
        """Wait for the person; all steps that come to it wait for the one answer. Errors:
        `SessionChanged` when they change the session."""
        if self._answer is None:
            self._answer = asyncio.ensure_future(self._settle())
        await asyncio.shield(self._answer)

    async def _settle(self) -> None:
        run = self._run
        assert run is not None
        began = perf_counter()
        choice, changed = await self._choose(run)
        while choice != "go on" and run.at_work:  # noqa: ASYNC110 - an event would cost each step
            await asyncio.sleep(_EVERY_S)
        run.meter.put_off(perf_counter() - began)
        if changed:
            raise SessionChanged("paused")
        if choice == "save":
            self.leave()
            await asyncio.Event().wait()  # until it is cancelled with the run
        run.stop_wanted = choice == "stop"
        self.wanted, self._answer = False, None
        run.set_deadline()

    async def _choose(self, run: Halted) -> tuple[Choice | None, bool]:
        """How the run goes on, and whether a command has changed the session instead."""
        reply, changed = await run.command("")
        while not changed:
            choice = await self._ask(reply)
            if not isinstance(choice, PauseCommand):
                return choice, False
            reply, changed = await run.command(choice.text)
        return None, True
