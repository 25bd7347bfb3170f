"""How much of the disk a process holds: in its folder, and in files that have no name any more."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_MOST_ENTRIES = 20_000
_DEEPEST = 100
_BLOCK = 512


def disk_in_use(folder: Path, pid: int, limit: int) -> int:
    """Bytes on the disk; stops counting above `limit`. Very many files count as above it, and so
    do folders in folders without end, so that looking takes a bounded time."""
    total, entries = _without_name(pid), 0
    todo = [(str(folder), 0)]
    while todo and total <= limit:
        path, depth = todo.pop()
        try:
            with os.scandir(path) as inside:
                for entry in inside:
                    entries += 1
                    if entries > _MOST_ENTRIES or depth > _DEEPEST:
                        return limit + 1
                    told = entry.stat(follow_symlinks=False)
                    total += told.st_blocks * _BLOCK
                    if stat.S_ISDIR(told.st_mode):
                        todo.append((entry.path, depth + 1))
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return limit + 1
            continue  # it is gone, or its owner has closed it
    return total


def _without_name(pid: int) -> int:
    """Bytes of files that the process has open and that no folder names."""
    held: dict[tuple[int, int], int] = {}
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            told = entry.stat()
            if stat.S_ISREG(told.st_mode) and told.st_nlink == 0:
                held[told.st_dev, told.st_ino] = told.st_blocks * _BLOCK
    except OSError:
        return sum(held.values())
    return sum(held.values())
