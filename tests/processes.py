"""Other processes, as /proc tells of them."""

from __future__ import annotations

from pathlib import Path


def is_gone(pid: int) -> bool:
    """Whether it has ended; whoever took it over may not have waited for it yet."""
    return _fields(pid)[0] in "ZX"


def parent_of(pid: int) -> int:
    return int(_fields(pid)[1])


def _fields(pid: int) -> list[str]:
    """Its state, its parent and so on; the state of a dead one where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["X", "0"]
