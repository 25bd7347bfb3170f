"""The walls that a child process puts up around itself, layer by layer, before it does its work."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import struct
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

from flows.sandbox import landlock, libc, seccomp

LAYERS = ("limits", "no_new_privs", "capabilities", "landlock", "seccomp")
MISSING = "missing: "

_LAST_CAPABILITY = 63
_DEVICES = tuple(Path("/dev") / name for name in ("null", "zero", "urandom", "random"))


@dataclass(frozen=True)
class Walls:
    """What a process may still do. Programs are never executed; `processes` are forks.

    `memory` is what it may add to what it has now, `file_bytes` the longest file it may write;
    `watched` lets its parent see which files it has open.
    """

    read: tuple[Path, ...] = ()
    write: tuple[Path, ...] = ()
    memory: int | None = None
    cpu_seconds: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None
    processes: bool = False
    network: bool = False
    watched: bool = False


def raise_walls(
    walls: Walls, layers: Collection[str] = LAYERS, *, in_use: int | None = None
) -> dict[str, str]:
    """Put up the layers around this process, for good; returns what each of them is here.

    A layer that cannot be had is reported as `MISSING` and why. `in_use` are the bytes of address
    space that the process has, where /proc cannot be read any more.
    """
    raising: dict[str, Callable[[], str]] = {
        "limits": lambda: _limit(walls, in_use, alone="seccomp" not in layers),
        "no_new_privs": lambda: _forgo_privileges(watched=walls.watched),
        "capabilities": _drop_capabilities,
        "landlock": lambda: landlock.put_up(
            walls.read, (*walls.write, *_DEVICES), network=walls.network
        ),
        "seccomp": lambda: seccomp.put_up(processes=walls.processes, network=walls.network),
    }
    return {name: _outcome(raising[name]) for name in LAYERS if name in layers}


def missing(raised: dict[str, str]) -> tuple[str, ...]:
    """The layers that could not be put up."""
    return tuple(name for name, what in raised.items() if what.startswith(MISSING))


def address_space() -> int:
    """The bytes of address space that this process has, 0 when /proc does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _outcome(put_up: Callable[[], str]) -> str:
    try:
        return put_up()
    except (OSError, AttributeError, ImportError) as error:
        return f"{MISSING}{error}"


def _limit(walls: Walls, in_use: int | None, *, alone: bool) -> str:
    import resource as limits

    wanted = {limits.RLIMIT_CORE: 0}
    told = ["no core dumps"]
    if walls.memory is not None:
        used = address_space() if in_use is None else in_use
        wanted[limits.RLIMIT_AS] = used + walls.memory
        told.append("memory")
    if walls.cpu_seconds is not None:
        wanted[limits.RLIMIT_CPU] = walls.cpu_seconds
        told.append("CPU time")
    if walls.file_bytes is not None:
        wanted[limits.RLIMIT_FSIZE] = walls.file_bytes
        told.append("file size")
    if walls.open_files is not None:
        wanted[limits.RLIMIT_NOFILE] = walls.open_files
        told.append("open files")
    if alone and not walls.processes and sys.platform == "linux":
        # It counts threads too, and not for root: only where no filter forbids to fork.
        wanted[limits.RLIMIT_NPROC] = _tasks_of_user() + 64
        told.append("processes")
    for kind, value in wanted.items():
        hard = limits.getrlimit(kind)[1]
        least = value if hard == limits.RLIM_INFINITY else min(value, hard)
        limits.setrlimit(kind, (least, least))
    return ", ".join(told)


def _tasks_of_user() -> int:
    tasks = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid == os.getuid():
                tasks += len(list((folder / "task").iterdir()))
    return tasks


def _forgo_privileges(*, watched: bool) -> str:
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
    libc.prctl(libc.PR_SET_DUMPABLE, int(watched))
    return "no new privileges"


def _drop_capabilities() -> str:
    """Give up every capability, those too that a program could bring."""
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "only Linux has capabilities")
    for capability in range(_LAST_CAPABILITY + 1):
        try:
            libc.prctl(libc.PR_CAPBSET_DROP, capability)
        except OSError:
            break  # the last one was before; or, without CAP_SETPCAP, there is nothing to lose
    with contextlib.suppress(OSError):
        libc.prctl(libc.PR_CAP_AMBIENT, libc.PR_CAP_AMBIENT_CLEAR_ALL)
    header = struct.pack("=Ii", 0x20080522, 0)
    nothing = bytes(24)
    library = ctypes.CDLL(None, use_errno=True)
    if library.capset(ctypes.c_char_p(header), ctypes.c_char_p(nothing)) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "no capabilities"
