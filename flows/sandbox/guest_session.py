"""A guest in use: pieces of code go in, executions come out, and it is ended at its limits."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flows.core.sandbox import Execution
from flows.errors import SandboxError
from flows.sandbox import frames, host_frames
from flows.sandbox.guest_output import GuestReader, NotBelieved, read_report
from flows.sandbox.keeper import Ended, Guest, Keeper, done_within

_READY_SECONDS = 30.0
# The zygote ends a guest whose time is over by itself; one that does not answer is ended whole.
_URGENT_SECONDS = 2.5
_PATIENT_SECONDS = 5.0
_WHY = {
    "disk": "the code was ended: it took more of the disk than is allowed",
    "processes": "the code was ended: it had started processes",
    "zygote": "the whole sandbox had to be ended",
}


@dataclass
class Living:
    """One guest of a keeper. After a limit or a lie it is no longer `alive`."""

    keeper: Keeper
    guest: Guest
    reader: GuestReader
    alive: bool = True

    @classmethod
    def of(cls, keeper: Keeper, guest: Guest) -> Living:
        return cls(keeper, guest, GuestReader(guest.folder, keeper.config))

    async def ready(self) -> dict[str, str]:
        """The layers that it has put up. Raises SandboxError when it does not come to life."""
        self.guest.busy = True
        try:
            async with asyncio.timeout(_READY_SECONDS):
                return await self.guest.ready()
        except (frames.FrameError, TimeoutError, OSError) as error:
            said, _ = self.guest.errors.take()
            raise SandboxError(f"the sandbox does not fork: {said[-1000:] or error}") from error
        finally:
            self.guest.busy = False

    async def run(
        self,
        code: str,
        tables: Mapping[str, Path],
        seconds: float,
        *,
        dropped: bool = False,
        last: bool = False,
    ) -> Execution:
        """Run a piece. With `dropped` only its variables stay; after the `last` the guest is gone
        when its execution is there. Errors: `SandboxError`."""
        await self.ready()
        started = time.monotonic()
        self.guest.busy = True
        try:
            message, ended = await self._answer(code, tables, seconds)
        finally:
            self.guest.busy = False
        spent = time.monotonic() - started
        if last and self.alive:
            await self.end()
        done = _ending(ended, seconds) if message is None else await self._read(message, dropped)
        texts, notes = {}, list(done.notes)
        for name, stream in (("stdout", self.guest.output), ("stderr", self.guest.errors)):
            texts[name], cut = stream.take()
            if cut:
                notes.append(f"{name} was cut after {self.keeper.config.output_chars:,} characters")
        return done.model_copy(update={**texts, "notes": tuple(notes), "seconds": spent})

    async def end(self, *, urgent: bool = False) -> Ended:
        """End the guest and all that it started; its folder goes with `drop`."""
        self.alive = False
        within = _URGENT_SECONDS if urgent else _PATIENT_SECONDS
        return await self.keeper.end(self.guest, within=within)

    def drop(self) -> None:
        self.keeper.drop(self.guest)

    async def _answer(
        self, code: str, tables: Mapping[str, Path], seconds: float
    ) -> tuple[bytes | None, Ended]:
        """What the guest says at the end of a piece, or how it ended without a word."""
        self.keeper.watch(self.guest, seconds)
        asked = asyncio.create_task(self._asked(code, tables))
        try:
            if not await done_within(asked, seconds):
                ended = await self.end(urgent=True)
                return None, Ended(ended.code, "time")
            message = await asked
            self.keeper.watch(self.guest, None)
        except (frames.FrameError, OSError):
            return None, await self.end()
        finally:
            asked.cancel()
        return message, Ended()

    async def _asked(self, code: str, tables: Mapping[str, Path]) -> bytes:
        opened: list[int] = []
        try:
            for path in tables.values():
                opened.append(_opened(path))
            job = {"code": code, "tables": list(tables)}
            await host_frames.send_from_host(self.guest.control, job, opened)
        finally:
            for each in opened:
                os.close(each)
        return await host_frames.receive_at_host(self.guest.control)

    async def _read(self, message: bytes, dropped: bool) -> Execution:
        try:
            report = read_report(message)
            if dropped:
                await asyncio.to_thread(self.reader.overlook)
                return Execution(status=report.status)
            return await asyncio.to_thread(self.reader.execution, report)
        except NotBelieved as error:
            if self.alive:
                await self.end()
            return Execution(status="died", notes=(f"what came back was not believed: {error}",))


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise SandboxError(f"the table {path.name} cannot be opened: {error.strerror}") from error


def _ending(ended: Ended, seconds: float) -> Execution:
    """The execution of code that did not come to its own end."""
    if ended.why == "time":
        note = f"the code was ended after {seconds:g} seconds"
        return Execution(status="timeout", notes=(note,))
    return Execution(status="died", notes=(_WHY.get(ended.why) or _how(ended.code),))


def _how(code: int | None) -> str:
    if code is None or code >= 0:
        return "the process of the code ended without a word"
    return f"the process of the code was ended by {signal.Signals(-code).name}"
