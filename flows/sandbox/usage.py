"""How much of the disk a process holds: in its folder, and in files that have no name any more."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_MOST_ENTRIES = 20_000
_BLOCK = 512


def disk_in_use(folder: Path, pid: int, limit: int) -> int:
    """Bytes on the disk; stops counting above `limit`. Very many files count as above it."""
    total, entries = _without_name(pid), 0
    todo = [str(folder)]
    while todo and total <= limit:
        try:
            with os.scandir(todo.pop()) as inside:
                for entry in inside:
                    entries += 1
                    if entries > _MOST_ENTRIES:
                        return limit + 1
                    told = entry.stat(follow_symlinks=False)
                    total += told.st_blocks * _BLOCK
                    if stat.S_ISDIR(told.st_mode):
                        todo.append(entry.path)
        except OSError:
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
