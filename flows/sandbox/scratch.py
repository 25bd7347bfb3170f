"""Folders of child processes: only this user can open them, and they go after a sudden end too."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from flows.sandbox.folders import discard, scratch

_SETTLED_SECONDS = 60.0


class ScratchFolder:
    """A fresh folder, locked as long as this process lives; those of dead ones are removed.

    `prefix` begins its name, and says which abandoned folders are of the same kind.
    """

    def __init__(self, prefix: str) -> None:
        _remove_abandoned(prefix)
        self.path = scratch(prefix)
        self._lock: int | None = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def close(self) -> None:
        """Remove it with all that is in it; again, what was left there since."""
        discard(self.path)
        lock, self._lock = self._lock, None  # another thread may close it too
        if lock is not None:
            os.close(lock)


def _remove_abandoned(prefix: str) -> None:
    """Remove the folders of processes that were killed: nobody holds their locks any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
        with suppress(OSError):  # another process may just be removing it
            _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    found = folder.lstat()
    if found.st_uid != os.getuid() or time.time() - found.st_mtime < _SETTLED_SECONDS:
        return
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        discard(folder)
    finally:
        os.close(opened)
