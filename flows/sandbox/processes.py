"""Finding and ending processes by what /proc tells, however they hid from their parent."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class Seen:
    """A process as it was seen; `started` tells it from a later one of the same number."""

    pid: int
    parent: int
    session: int
    state: str
    started: int


def seen(pid: int) -> Seen | None:
    """The process of this number, None when there is none or the system has no /proc."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except (OSError, UnicodeDecodeError):
        return None
    fields = text.rpartition(")")[2].split()
    return Seen(pid, int(fields[1]), int(fields[3]), fields[0], int(fields[19]))


def all_seen() -> list[Seen]:
    try:
        pids = [int(each.name) for each in _PROC.iterdir() if each.name.isdecimal()]
    except OSError:
        return []
    return [found for pid in pids if (found := seen(pid)) is not None]


def tree(root: int, known: dict[int, Seen] | None = None) -> dict[int, Seen]:
    """All living processes below `root`, in its session, or below one that was `known` before."""
    processes = {each.pid: each for each in all_seen() if each.state not in "ZX"}
    kept = {
        pid: was
        for pid, was in (known or {}).items()
        if pid in processes and processes[pid].started == was.started
    }
    members = {root, *kept}
    grew = True
    while grew:
        more = {
            each.pid
            for each in processes.values()
            if each.pid not in members and (each.parent in members or each.session == root)
        }
        members |= more
        grew = bool(more)
    members.discard(root)
    return {pid: processes[pid] for pid in members}


def end_tree(root: int, *, spare_root: bool = False, seconds: float = 2.0) -> None:
    """End `root` and all below it: each is stopped first, so that none can start another.

    With `spare_root` only what is below it. Gives up after `seconds`, when something cannot be
    ended (a process that waits in the kernel).
    """
    until = time.monotonic() + seconds
    known: dict[int, Seen] = {}
    while time.monotonic() < until:
        now = tree(root, known)
        new = now.keys() - known.keys()
        known = {**known, **now}
        if not new:
            break
        for pid in new:
            send(pid, signal.SIGSTOP)
    if not spare_root:
        send(root, signal.SIGKILL)
    while time.monotonic() < until:
        for pid in known:
            send(pid, signal.SIGKILL)
        known = tree(root, known)
        if not known:
            return
        time.sleep(0.002)


def send(pid: int, signal_number: int) -> None:
    """Send a signal to a process that may be gone already."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal_number)
