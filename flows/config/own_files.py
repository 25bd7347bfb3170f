"""Files of the user's state, which no other user may have written."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import Final

_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def read_own(path: Path, most_bytes: int) -> str | None:
    """The text of a file that this user alone can write; None for any other, and for none."""
    try:
        with open(path, encoding="utf-8", opener=_open) as file:
            told = os.fstat(file.fileno())
            is_own = stat.S_ISREG(told.st_mode) and told.st_uid == os.getuid()
            return None if not is_own or told.st_mode & _OTHERS_WRITE else file.read(most_bytes)
    except (OSError, ValueError):
        return None


def _open(path: str, flags: int) -> int:
    """Open what is no link, and never wait for a pipe."""
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def write_own(path: Path, text: str) -> None:
    """Write a file for this user alone, whole or not at all."""
    number, name = tempfile.mkstemp(dir=path.parent, prefix=".part-")
    temporary = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
