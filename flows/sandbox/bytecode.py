"""Where compiled libraries and the list of fonts are kept between starts of the zygote.

Only a zygote that has not run anything yet may write there, and only behind Landlock, so that it
can give that right away before it forks. Then the next one starts in a third of the time.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def kept_folder() -> Path | None:
    """The folder in this user's cache, made if need be; None where nobody else is kept out."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    try:
        base = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        folder = base / "analyst-flows" / f"python-{version}"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        told = folder.lstat()
    except (OSError, RuntimeError):
        return None
    others = stat.S_IWGRP | stat.S_IWOTH
    closed = stat.S_ISDIR(told.st_mode) and not told.st_mode & others
    return folder.resolve() if closed and told.st_uid == os.getuid() else None
