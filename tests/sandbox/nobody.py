"""Starting a program as a user without any rights, where the tests themselves run as root.

    python -m tests.sandbox.nobody PROGRAM [ARGUMENT ...]

An interpreter that lies in a folder of root's alone is shown to that user in a view of the file
system that only this process has.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import tempfile
from pathlib import Path

NOBODY = 65534
NEW_MOUNTS = 0x00020000
READ_ONLY, BIND, RECURSIVE, PRIVATE = 1, 1 << 12, 1 << 14, 1 << 18


def command(*arguments: str) -> list[str]:
    """The command of a program of this Python, as that user; as oneself if one has no rights."""
    if os.getuid() != 0:
        return [sys.executable, *arguments]
    return [sys.executable, "-m", "tests.sandbox.nobody", sys.executable, *arguments]


def why_not() -> str:
    """Why no program can be started as that user; empty when one can."""
    if os.getuid() != 0:
        return ""
    tried = subprocess.run(
        command("-c", "import os, sys, pydantic; sys.exit(os.getuid() == 0)"),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return "" if tried.returncode == 0 else f"no user without rights: {tried.stderr.strip()[-200:]}"


def main(program: list[str]) -> None:
    show_interpreter()
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.environ["HOME"] = tempfile.gettempdir()
    os.execv(program[0], program)


def show_interpreter() -> None:
    """Let everyone reach this Python, in this process and those that it starts."""
    prefix = Path(sys.base_prefix).resolve()
    closed = next((each for each in reversed(prefix.parents) if not each.stat().st_mode & 1), None)
    if closed is None:
        return
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.unshare(NEW_MOUNTS))
    check(libc.mount(b"none", b"/", None, RECURSIVE | PRIVATE, None))
    parked = tempfile.mkdtemp()
    check(libc.mount(bytes(prefix), parked.encode(), None, BIND | RECURSIVE, None))
    check(libc.mount(b"none", bytes(closed), b"tmpfs", 0, b"mode=755"))
    prefix.mkdir(parents=True)
    check(libc.mount(parked.encode(), bytes(prefix), None, BIND | RECURSIVE, None))
    check(libc.umount2(parked.encode(), 2))
    Path(parked).rmdir()


def check(done: int) -> None:
    if done != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


if __name__ == "__main__":
    main(sys.argv[1:])
