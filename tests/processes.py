"""Other processes, as /proc tells of them."""

from __future__ import annotations

from pathlib import Path


def is_gone(pid: int) -> bool:
    """Whether it has ended; whoever took it over may not have waited for it yet."""
    return _fields(pid)[0] in "ZX"


def parent_of(pid: int) -> int:
    return int(_fields(pid)[1])


def children_of(pid: int) -> list[int]:
    """The processes that its threads have started, and that have not been waited for."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(each) for thread in threads for each in thread.read_text().split()]


def command_of(pid: int) -> str:
    """The command line of a process, or the state that it is in where there is none to read."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except (FileNotFoundError, ProcessLookupError):
        line = b""
    return line.decode(errors="replace").strip() or f"(state {_fields(pid)[0]})"


def _fields(pid: int) -> list[str]:
    """Its state, its parent and so on; the state of a dead one where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return ["X", "0"]
