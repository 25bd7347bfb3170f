"""The host's side of the zygote: starts it, has it fork guests, and sees to it that they end.

To start one costs a second of imports. So a zygote whose sandbox is closed rests, without guests,
until the next sandbox of this process takes it over, and one that has no guest imports in its place
what later code wants beyond what it has.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import weakref
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flows.core.sandbox import SandboxConfig
from flows.errors import SandboxError
from flows.sandbox import bubblewrap, frames, host_frames, landlock
from flows.sandbox.bytecode import kept_folder
from flows.sandbox.folders import discard
from flows.sandbox.launch import Child, Program, launch
from flows.sandbox.scratch import ScratchFolder
from flows.sandbox.streams import Stream
from flows.sandbox.walls import LAYERS, MISSING

ALL_LAYERS = ("bubblewrap", *LAYERS)
DISK_BYTES = 1 << 30

_START_SECONDS = 100.0
# One heap, which large pages can hold, in place of many small arenas; hence without -I, which
# would not read it. Nothing else of Python's is in the environment.
# Nor can joblib have processes, about which it would warn each time.
_ENVIRONMENT = {"PYTHONMALLOC": "malloc", "JOBLIB_MULTIPROCESSING": "0"}
_LEAST_FILE = 256 << 20
_GRACE_SECONDS = 0.03
_REST_SECONDS = 2.5
_LAST_WORDS = 1 << 16
# A zygote that nobody has asked for so long ends.
IDLE_SECONDS = 300.0


@dataclass
class Guest:
    """A process that runs code: its folder, the socket to it, and its two streams."""

    number: int
    folder: Path
    control: socket.socket
    output: Stream
    errors: Stream
    busy: bool = False
    _ready: dict[str, str] | None = None
    _open: bool = True

    async def ready(self) -> dict[str, str]:
        """The layers that it has put up. Raises FrameError when it did not come to life."""
        if self._ready is None:
            told = json.loads(await host_frames.receive_at_host(self.control))
            self._ready = {str(key): str(value) for key, value in told["layers"].items()}
        return self._ready

    def close(self) -> None:
        if self._open:
            self._open = False
            self.control.close()
            self.output.close()
            self.errors.close()


@dataclass(frozen=True)
class Ended:
    """How a guest ended: its exit code or minus the signal, and why the zygote ended it."""

    code: int | None = None
    why: str = ""


@dataclass(eq=False)
class Keeper:
    """One zygote and its guests, of one event loop. In its guests `libraries` are imported."""

    config: SandboxConfig
    layers: Collection[str]
    libraries: frozenset[str]
    scratch: ScratchFolder
    child: Child
    channel: socket.socket
    outer: Mapping[str, str]
    loop: asyncio.AbstractEventLoop
    dead: bool = False
    _numbers: int = 0
    _guests: dict[int, Guest] = field(default_factory=dict)
    _asked: dict[int, asyncio.Future[Ended]] = field(default_factory=dict)
    _leaving: set[asyncio.Future[None]] = field(default_factory=set)
    _loading: asyncio.Future[frozenset[str]] | None = None
    _listening: asyncio.Task[None] | None = None

    @classmethod
    async def start(
        cls,
        config: SandboxConfig,
        layers: Collection[str],
        libraries: Collection[str] = frozenset(),
    ) -> Keeper:
        """Raises SandboxError when the zygote does not come up."""
        try:
            return await cls._started(config, layers, libraries)
        except SandboxError:
            if "bubblewrap" not in layers or not bubblewrap.doubt():
                raise
        return await cls._started(config, layers, libraries)

    @classmethod
    async def _started(
        cls, config: SandboxConfig, layers: Collection[str], libraries: Collection[str]
    ) -> Keeper:
        folder = await asyncio.to_thread(ScratchFolder, "flows-sandbox-")
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            # In this thread, since the kernel ends a child with the thread that started it.
            child = _launched(config, layers, libraries, folder, theirs)
        try:
            async with asyncio.timeout(_START_SECONDS):
                told = json.loads(await host_frames.receive_at_host(ours))
        except BaseException as error:
            last = await asyncio.to_thread(_last_words, child)
            ours.close()
            folder.close()
            if isinstance(error, (frames.FrameError, TimeoutError)):
                raise SandboxError(f"the sandbox does not start: {last or error}") from error
            raise
        outer = {**child.layers, **told["layers"]}
        loaded = frozenset(told["libraries"])
        loop = asyncio.get_running_loop()
        keeper = cls(config, layers, loaded, folder, child, ours, outer, loop)
        # Who forgets to close it leaves no folder either, once the program ends.
        weakref.finalize(keeper, _leave_nothing, child, folder, ours)
        keeper._listening = asyncio.create_task(keeper._listen())
        return keeper

    @classmethod
    async def rested(cls, config: SandboxConfig, layers: Collection[str]) -> Keeper | None:
        """The keeper of this process that rests, for the running loop; None where there is none
        for such a sandbox."""
        keeper = _resting.get(os.getpid())
        if keeper is None or (keeper.config, keeper.layers) != (config, layers):
            return None
        del _resting[os.getpid()]
        keeper.loop = asyncio.get_running_loop()
        if keeper.child.process.poll() is not None:
            await keeper.aclose()
            return None
        keeper._listening = asyncio.create_task(keeper._listen())
        return keeper

    def guest(self) -> Guest:
        """Have a guest forked, without waiting. Raises SandboxError when the zygote is gone."""
        self._numbers += 1
        folder = self.scratch.path / str(self._numbers)
        for each in (folder, folder / "work", folder / "out", folder / "tmp"):
            each.mkdir(mode=0o700)
        control, theirs = socket.socketpair()
        control.setblocking(False)
        output, output_end = os.pipe()
        errors, errors_end = os.pipe()
        most = self.config.output_chars
        guest = Guest(self._numbers, folder, control, Stream(output, most), Stream(errors, most))
        self._guests[guest.number] = guest
        try:
            message = {"do": "fork", "guest": guest.number, "folder": str(folder)}
            self._tell(message, (theirs.fileno(), output_end, errors_end))
        finally:
            theirs.close()
            os.close(output_end)
            os.close(errors_end)
        return guest

    async def load(self, libraries: Collection[str]) -> None:
        """Have the zygote import more, for the guests from then on; `can_load` has to be true.
        Where that does not come to its end all is ended. Raises SandboxError."""
        self._loading = self.loop.create_future()
        try:
            self._tell({"do": "load", "libraries": sorted(libraries)})
            async with asyncio.timeout(_START_SECONDS):
                self.libraries = await self._loading
        except BaseException as error:
            self._loading.cancel()
            self.kill()
            if isinstance(error, TimeoutError):
                raise SandboxError("the sandbox does not load its libraries") from error
            raise
        finally:
            self._loading = None

    @property
    def can_load(self) -> bool:
        """Whether it can import more: it has no guest, and none before could leave anything."""
        return not self.dead and self.is_idle and self._keeps_nothing

    def watch(self, guest: Guest, seconds: float | None) -> None:
        """Have the zygote end the guest after `seconds` by itself; None is never."""
        if self.dead and seconds is None:
            return
        self._tell({"do": "watch", "guest": guest.number, "seconds": seconds})

    async def end(self, guest: Guest, *, within: float) -> Ended:
        """End a guest and all it started. A zygote that does not answer `within` seconds is ended
        too, with all its guests."""
        if self.dead or guest.number not in self._guests:
            return Ended(why="zygote")
        answer = self._asked.setdefault(guest.number, self.loop.create_future())
        try:
            self._tell({"do": "end", "guest": guest.number})
            if not await done_within(answer, within):
                self.kill()
            return answer.result() if answer.done() else Ended(why="zygote")
        except SandboxError:
            self.kill()
            return Ended(why="zygote")
        finally:
            self._asked.pop(guest.number, None)

    def drop(self, guest: Guest) -> None:
        """Let go of a guest that was ended, with its folder."""
        if self._guests.pop(guest.number, None) is not None:
            guest.close()
            self._leave(discard, guest.folder)

    @property
    def is_idle(self) -> bool:
        """Whether it has no guest."""
        return not self._guests

    def kill(self) -> None:
        """End the zygote and every guest, and have their folders removed."""
        if self.dead:
            return
        self.dead = True
        if self._listening is not None and not self.loop.is_closed():
            self._listening.cancel()
            # Else its last callback takes the reader of a later socket of the same number away.
            self.loop.remove_reader(self.channel)
        if self._loading is not None and not self._loading.done():
            self._loading.set_exception(SandboxError("the sandbox has ended"))
        self.child.process.kill()
        self.channel.close()
        for guest in list(self._guests.values()):
            if guest.busy:
                # Whoever waits for it is told so by the end of the stream, and drops it then.
                guest.control.shutdown(socket.SHUT_RDWR)
            else:
                self._guests.pop(guest.number).close()
        self._leave(_leave_nothing, self.child, self.scratch, self.channel)

    async def rest(self) -> None:
        """End every guest, and have the zygote wait for the next sandbox; where something is not
        as it should be, end all."""
        guests = list(self._guests.values())
        if not self.dead and self._keeps_nothing and not any(each.busy for each in guests):
            for each in guests:
                await self.end(each, within=_REST_SECONDS)
                self.drop(each)
            await asyncio.gather(*self._leaving, return_exceptions=True)
        if self.dead or self._guests or self._listening is None:
            await self.aclose()
            return
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)
        self._listening = None
        former = _resting.get(os.getpid())
        _resting[os.getpid()] = self
        if former is not None:
            former.loop = self.loop
            await former.aclose()

    @property
    def _keeps_nothing(self) -> bool:
        """Whether no guest could write where a later one would read it: Landlock stands."""
        return not self.outer.get("landlock", MISSING).startswith(MISSING)

    async def aclose(self) -> None:
        """As `kill`, and wait until all is gone."""
        self.kill()
        await asyncio.gather(*self._leaving, return_exceptions=True)
        await asyncio.to_thread(self.scratch.close)

    def _leave(self, clear: Callable[..., None], *arguments: Any) -> None:
        """Remove something beside the loop: code may have left a million folders."""
        if self.loop.is_closed():
            clear(*arguments)
            return
        leaving = self.loop.run_in_executor(None, clear, *arguments)
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    def _tell(self, message: Mapping[str, Any], passed: tuple[int, ...] = ()) -> None:
        try:
            host_frames.send_at_once(self.channel, message, passed)
        except OSError as error:
            raise SandboxError(f"the sandbox has ended: {error}") from error

    async def _listen(self) -> None:
        while True:
            try:
                told = json.loads(await host_frames.receive_at_host(self.channel))
            except frames.FrameError:
                self.kill()
                return
            if "libraries" in told:
                if self._loading is not None and not self._loading.done():
                    self._loading.set_result(frozenset(told["libraries"]))
                continue
            waiting = self._asked.get(told["ended"])
            if waiting is not None and not waiting.done():
                waiting.set_result(Ended(told["code"], told["why"]))


async def done_within(waited: asyncio.Future[Any], seconds: float) -> bool:
    """Whether it is done in time. A loop that stood still is let read what came meanwhile."""
    for timeout in (seconds, _GRACE_SECONDS):
        done, _ = await asyncio.wait((waited,), timeout=timeout)
        if done:
            return True
    return False


def _launched(
    config: SandboxConfig,
    layers: Collection[str],
    libraries: Collection[str],
    folder: ScratchFolder,
    channel: socket.socket,
) -> Child:
    file_bytes = config.file_mb << 20
    # Who may write it later could put code into the next zygote: see bytecode.py.
    kept = kept_folder() if "landlock" in layers and landlock.version() else None
    told = {
        "root": str(folder.path),
        "kept": None if kept is None else str(kept),
        "layers": [each for each in LAYERS if each in layers],
        "libraries": sorted(libraries),
        "memory": config.memory_mb << 20,
        "file_bytes": max(file_bytes, _LEAST_FILE),
        "disk_bytes": DISK_BYTES,
        "idle": IDLE_SECONDS,
        "limits": {"table_rows": config.table_rows, "file_bytes": file_bytes},
    }
    program = Program(
        "flows.sandbox.zygote",
        (str(channel.fileno()), json.dumps(told)),
        write=(folder.path,) if kept is None else (folder.path, kept),
        environment=_ENVIRONMENT,
        passed=(channel.fileno(),),
        bubblewrap="bubblewrap" in layers,
        options=("-s", "-P", *(("-B",) if kept is None else ("-X", f"pycache_prefix={kept}"))),
    )
    try:
        return launch(program, stderr=subprocess.PIPE)
    except OSError as error:
        folder.close()
        raise SandboxError(f"the sandbox cannot be started: {error}") from error


def _last_words(child: Child) -> str:
    """What a zygote that did not come up said last; ends it."""
    stream = child.process.stderr
    assert stream is not None
    child.process.kill()
    said = stream.read(_LAST_WORDS).decode("utf-8", "replace").strip()
    child.kill()
    return said[-1000:]


def _leave_nothing(child: Child, folder: ScratchFolder, channel: socket.socket) -> None:
    channel.close()
    child.kill()
    folder.close()


# By the process that they belong to, which one that is forked from it is not.
_resting: dict[int, Keeper] = {}
