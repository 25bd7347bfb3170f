"""A worker as the run sees it: lines that go to it and come from it, wherever it is."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Final, Protocol

MODULE: Final = "flows.runners.workers.program"
LONGEST: Final = 1 << 30  # bytes of a line
END_SECONDS: Final = 5.0


class WorkerLink(Protocol):
    """The lines of one worker."""

    async def read(self) -> bytes:
        """The next line; empty when it has ended."""
        ...

    async def send(self, line: bytes) -> None:
        """Send a line; one that has ended does not take it, which its reader finds out."""
        ...

    async def end(self) -> None:
        """End it, if it has not."""
        ...


class Launcher(Protocol):
    """Starts workers. What they `said` is to be found where that says."""

    said: str

    async def count(self) -> int:
        """How many workers there are to be."""
        ...

    async def start(self) -> WorkerLink:
        """Start one. Errors: `FlowsError` where none can be started."""
        ...

    async def aclose(self) -> None:
        """Give up what it holds."""
        ...


class ProcessLink:
    """A worker that is a child process of this one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process

    async def read(self) -> bytes:
        assert self.process.stdout is not None
        return await self.process.stdout.readline()

    async def send(self, line: bytes) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(line)
            await self.process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            return

    async def end(self) -> None:
        """By the end of its input, then by a signal, then at once."""
        process = self.process
        if process.returncode is None and process.stdin is not None:
            process.stdin.close()
        for end in (None, process.terminate, process.kill):
            if process.returncode is not None:
                return
            if end is not None:
                end()
            try:
                await asyncio.wait_for(process.wait(), END_SECONDS if end else 1.0)
            except TimeoutError:
                continue


class LocalProcesses:
    """Starts workers on this machine, each of them the program of the module, in the `folder` if
    that is there."""

    said = "what they said stands above"

    def __init__(self, processes: int, module: str = MODULE, folder: str | None = None) -> None:
        self.processes = processes
        self.module = module
        self.folder = folder if folder is not None and Path(folder).is_dir() else None

    async def count(self) -> int:
        return self.processes

    async def start(self) -> WorkerLink:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", self.module,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=LONGEST,
            start_new_session=True, env=worker_environment(),
            cwd=self.folder,
        )  # fmt: skip
        return ProcessLink(process)

    async def aclose(self) -> None:
        """Nothing is held beside the processes."""


def worker_environment() -> dict[str, str]:
    """The environment of a worker: it imports what this process does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
