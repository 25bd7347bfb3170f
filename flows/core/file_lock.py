"""The file `lock` beside what one process writes: its claim, and how many rows were synced."""

from __future__ import annotations

import fcntl
import os
import time
from hashlib import blake2b
from pathlib import Path
from typing import Final

from flows.errors import JournalError

LOCK: Final = "lock"
LOCK_TRIES: Final = 10


def hold(folder: Path) -> int:
    """Hold the file for this process; the claim goes with the process, however it ends.

    Returns the descriptor of the lock file. Errors: `JournalError` when another holds it.
    """
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise JournalError(f"the run in {folder} cannot be opened: {error}") from error
    for _ in range(LOCK_TRIES):  # whoever only looks holds it for a moment
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.002)
        else:
            return handle
    os.close(handle)
    raise JournalError(f"another process is running {folder.name}")


def is_held(folder: Path) -> bool:
    """Whether a process is running what is in the folder."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def head_text(rows: int) -> bytes:
    """How many rows were synced, with a checksum of its own; always of one length."""
    number = f"{rows:020d}"
    return f"{number} {blake2b(number.encode(), digest_size=8).hexdigest()}\n".encode()


def head_of(folder: Path) -> int:
    """How many rows were synced; 0 when nothing says so. Errors: `JournalError` when damaged."""
    path = folder / LOCK
    try:
        text = path.read_bytes()
    except OSError:
        return 0
    if not text:
        return 0
    number = text[:20]
    if not number.isdigit() or text != head_text(int(number)):
        raise JournalError(f"{path} is damaged")
    return int(number)
