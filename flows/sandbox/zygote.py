"""The parent of all guests: has imported what code wants, forks when told, and keeps watch.

It never runs code itself. The host tells it by messages on one socket; when that closes, it ends
every guest and then itself.
"""

from __future__ import annotations

import io
import json
import os
import select
import signal
import socket
import sys
import time
import traceback
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from flows.sandbox import frames, guest, libc, libraries, processes
from flows.sandbox.collect import OutputLimits
from flows.sandbox.folders import discard
from flows.sandbox.pages import enlarge_pages
from flows.sandbox.read_access import readable
from flows.sandbox.usage import disk_in_use
from flows.sandbox.walls import MISSING, Walls, raise_walls

_TICK = 0.05
_DISK_EVERY = 0.1
_OPEN_FILES = 4096


@dataclass
class Ward:
    """A guest under watch. `code` is what it ended with, None while it lives."""

    pid: int
    folder: Path
    until: float | None = None
    code: int | None = None
    why: str = ""


def main(arguments: list[str]) -> int:
    channel = socket.socket(fileno=int(arguments[0]))
    config = json.loads(arguments[1])
    libc.end_with_parent()
    if sys.platform == "linux":
        libc.prctl(libc.PR_SET_CHILD_SUBREAPER, 1)
    root, kept = Path(config["root"]), None if config["kept"] is None else Path(config["kept"])
    read = readable() if kept is None else (*readable(), kept)
    with open_statm() as statm:
        layers = _walled(config["layers"], root, kept, read)
        os.environ["MPLCONFIGDIR"] = str((kept or root) / "matplotlib")
        loaded = libraries.load(config["libraries"], kept)
        _close(root, kept, read)
        frames.send(channel, {"layers": layers, "libraries": sorted(loaded)})
        os.dup2(1, 2)  # the host reads what is said while starting, and no more
        bounds = guest.Bounds(
            layers=tuple(config["layers"]),
            read=read,
            memory=int(config["memory"]),
            imports=not libraries.are_all(loaded),
            file_bytes=int(config["file_bytes"]),
            limits=OutputLimits(**config["limits"]),
        )
        disk, idle = int(config["disk_bytes"]), float(config["idle"])
        Zygote(channel, bounds, loaded, layers, statm, root, disk, idle).serve()
    return 0


def _walled(
    layers: Collection[str], root: Path, kept: Path | None, read: tuple[Path, ...]
) -> dict[str, str]:
    """Put up the outer walls, behind which the libraries are imported; returns what they are."""
    write = (root,) if kept is None else (root, kept)
    walls = Walls(read=(*read, Path("/proc")), write=write, open_files=_OPEN_FILES, processes=True)
    return raise_walls(walls, layers)


def _close(root: Path, kept: Path | None, read: tuple[Path, ...]) -> None:
    """Give up writing where libraries are kept: nothing has run yet that could have left something
    there; from here on nothing can."""
    if sys.platform == "linux":
        enlarge_pages()
    if kept is not None:
        again = Walls(read=(*read, Path("/proc")), write=(root,), processes=True)
        if any(MISSING in what for what in raise_walls(again, ("landlock",)).values()):
            raise OSError("the walls do not close behind the libraries")


def open_statm() -> io.FileIO:
    """The size of this process, as a file that stays readable behind the walls."""
    try:
        return io.FileIO("/proc/self/statm")
    except OSError:
        return io.FileIO(os.devnull)


class Zygote:
    """Forks guests of the `bounds`, with the libraries that are `loaded`; each may hold `disk`
    bytes, in its folder below `root`.

    It ends when it had no guest for `idle` seconds.
    """

    def __init__(
        self,
        channel: socket.socket,
        bounds: guest.Bounds,
        loaded: frozenset[str],
        layers: dict[str, str],
        statm: io.FileIO,
        root: Path,
        disk: int,
        idle: float,
    ) -> None:
        self._channel = channel
        self._bounds = bounds
        self._loaded = loaded
        self._wards: dict[int, Ward] = {}
        self._statm = statm
        self._root = root
        self._disk = disk
        self._idle = idle
        self._disk_seen = 0.0
        # A process that the filter does not keep from forking is watched for what it starts.
        standing = {name for name, what in layers.items() if not what.startswith(MISSING)}
        self._alone = "limits" in standing and "seccomp" not in standing
        self._followed = "seccomp" not in standing

    def serve(self) -> None:
        """Answer the host until it closes, or for so long asks for nothing."""
        while True:
            busy = any(each.until is not None for each in self._wards.values())
            patience = _TICK if busy else None if self._wards else self._idle
            ready, _, _ = select.select([self._channel], [], [], patience)
            if not ready and not self._wards:
                break
            if ready:
                try:
                    message, passed = frames.receive(self._channel)
                except (frames.FrameError, OSError):
                    break
                self._answer(message, passed)
            self._watch()
        for ward in self._wards.values():
            self._end(ward)
        for folder in self._root.iterdir():
            discard(folder)

    def _answer(self, message: frames.Message, passed: list[int]) -> None:
        if message["do"] == "load":
            self._load(message["libraries"])
            return
        number = int(message["guest"])
        if message["do"] == "fork":
            self._fork(number, Path(message["folder"]), passed)
        elif message["do"] == "watch":
            ward = self._wards.get(number)
            if ward is not None:
                seconds = message["seconds"]
                ward.until = None if seconds is None else time.monotonic() + seconds
        elif message["do"] == "end":
            ward = self._wards.pop(number, None)
            told = {"ended": number, "code": None, "why": ""}
            if ward is not None:
                self._end(ward)
                told |= {"code": ward.code, "why": ward.why}
            frames.send(self._channel, told)

    def _load(self, names: list[str]) -> None:
        """Import more for later guests. While this takes nobody is watched: there is no guest."""
        if self._wards:
            raise ValueError("libraries are loaded where there is no guest")
        self._loaded = libraries.load(names, None, self._loaded)
        self._bounds = replace(self._bounds, imports=not libraries.are_all(self._loaded))
        frames.send(self._channel, {"libraries": sorted(self._loaded)})

    def _fork(self, number: int, folder: Path, passed: list[int]) -> None:
        in_use = self._size()
        try:
            pid = os.fork()
        except OSError:  # the machine is full; the host reads the end of the stream
            pid = -1
        if pid:
            for each in passed:
                os.close(each)
            if pid < 0:
                return
            self._wards[number] = Ward(pid, folder)
            return
        try:
            self._channel.close()
            self._statm.close()
            control, output, errors = passed
            with socket.socket(fileno=control) as channel:
                layers = guest.settle(folder, output, errors, self._bounds, in_use)
                frames.send(channel, {"layers": layers})
                guest.serve(channel, folder, self._bounds.limits)
        except BaseException:  # noqa: BLE001 - nothing of this copy may reach the zygote's loop
            traceback.print_exc()
        finally:
            os._exit(0)

    def _size(self) -> int:
        told = os.pread(self._statm.fileno(), 200, 0).split()
        return int(told[0]) * os.sysconf("SC_PAGE_SIZE") if told else 0

    def _watch(self) -> None:
        """End the guests that are over a limit: first those whose time is over, since looking at
        the others' disks takes a while."""
        now = time.monotonic()
        watched = [
            each
            for each in self._wards.values()
            if each.code is None and each.until is not None and not self._has_ended(each)
        ]
        for ward in watched:
            if ward.until is not None and now > ward.until:
                self._end(ward, "time")
            elif self._alone and processes.tree(ward.pid):
                self._end(ward, "processes")
        if now - self._disk_seen > _DISK_EVERY:
            self._watch_disk([each for each in watched if each.code is None])
            self._disk_seen = time.monotonic()

    def _watch_disk(self, wards: list[Ward]) -> None:
        for ward in wards:
            if disk_in_use(ward.folder, ward.pid, self._disk) > self._disk:
                self._end(ward, "disk")

    def _has_ended(self, ward: Ward) -> bool:
        pid, status = os.waitpid(ward.pid, os.WNOHANG)
        if pid:
            ward.code = os.waitstatus_to_exitcode(status)
        return bool(pid)

    def _end(self, ward: Ward, why: str = "") -> None:
        """End a guest, and where it could start others, those too."""
        if ward.code is None and not self._has_ended(ward):
            ward.why = why
            if self._followed:
                processes.end_tree(ward.pid, spare_root=True)
            processes.send(ward.pid, signal.SIGKILL)
            ward.code = os.waitstatus_to_exitcode(os.waitpid(ward.pid, 0)[1])
        if self._followed:
            self._sweep()

    def _sweep(self) -> None:
        """End what lost its parent and so became a child of this process."""
        known = {each.pid for each in self._wards.values() if each.code is None}
        for each in processes.all_seen():
            if each.parent == os.getpid() and each.pid not in known:
                processes.end_tree(each.pid)
        while True:
            try:
                # Only those that no ward waits for: a guest's own end is read by its number.
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if found is None or found.si_pid in known:
                return
            os.waitpid(found.si_pid, 0)
