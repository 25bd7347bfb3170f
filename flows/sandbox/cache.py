"""Folders in the user's cache that nobody else may write."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def cache_folder(name: str) -> Path | None:
    """The folder of this name, made if need be; None where another user could write into it."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
        own = base / "analyst-flows"
        folder = own / name
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder.resolve() if is_private(own) and is_private(folder) else None
    except (OSError, RuntimeError):
        return None


def is_private(path: Path) -> bool:
    """Whether a file or folder, which is no link, is this user's and only this user's to write.

    Errors: `OSError` when it is not there.
    """
    found = path.lstat()
    kind = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
    return kind and found.st_uid == os.getuid() and not found.st_mode & _OTHERS
