"""Fresh folders for children, and their removal with whatever untrusted code left in them."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path


def scratch(prefix: str) -> Path:
    """A fresh folder that only this user can open, by its real path; the caller removes it."""
    return Path(tempfile.mkdtemp(prefix=prefix)).resolve()


def discard(folder: Path) -> None:
    """Remove a folder, however deep it is and whatever its permissions are.

    What lies in a subfolder is first moved up, so that no path grows long. Nobody may still be
    writing there; what cannot be removed stays, without an error.
    """
    try:
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        _empty(top)
        folder.rmdir()
    except OSError:
        return  # somebody else's file, or a mount
    finally:
        os.close(top)


def _empty(top: int) -> None:
    names = (f".away-{number}" for number in count())
    while entries := os.listdir(top):
        for name in entries:
            if stat.S_ISDIR(os.lstat(name, dir_fd=top).st_mode):
                _lift(top, name, names)
                os.rmdir(name, dir_fd=top)
            else:
                os.unlink(name, dir_fd=top)


def _lift(top: int, name: str, names: Iterator[str]) -> None:
    """Move what a subfolder holds to the top, under names that nothing there has."""
    os.chmod(name, 0o700, dir_fd=top)
    below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
    try:
        for entry in os.listdir(below):  # noqa: PTH208
            if not stat.S_ISDIR(os.lstat(entry, dir_fd=below).st_mode):
                os.unlink(entry, dir_fd=below)
                continue
            os.chmod(entry, 0o700, dir_fd=below)
            while _exists(top, fresh := next(names)):
                continue
            os.rename(entry, fresh, src_dir_fd=below, dst_dir_fd=top)
    finally:
        os.close(below)


def _exists(top: int, name: str) -> bool:
    try:
        os.lstat(name, dir_fd=top)
    except FileNotFoundError:
        return False
    return True
