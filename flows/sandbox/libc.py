"""The calls into the C library that the walls need; each raises OSError when the kernel says no."""

from __future__ import annotations

import ctypes
import functools
import os
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_SECCOMP = 22
PR_CAPBSET_DROP = 24
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38
PR_CAP_AMBIENT = 47
PR_CAP_AMBIENT_CLEAR_ALL = 4


@functools.cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def prctl(option: int, second: int = 0, third: int = 0) -> int:
    """prctl(2) with its last two arguments zero."""
    words = (ctypes.c_ulong(each) for each in (second, third, 0, 0))
    return _checked(_library().prctl(ctypes.c_int(option), *words))


def end_with_parent(parent: int | None = None) -> None:
    """Have the kernel kill this process when the one that started it ends, where the system is
    Linux. With the number of the `parent`, end at once if it has ended already."""
    if sys.platform == "linux":
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def advise(address: int, length: int, advice: int) -> int:
    """madvise(2)"""
    call = _library().madvise
    return _checked(call(ctypes.c_void_p(address), ctypes.c_size_t(length), ctypes.c_int(advice)))


def syscall(number: int, *arguments: object) -> int:
    """A system call that the C library has no function for. Integers are passed as 64 bits."""
    call = _library().syscall
    call.restype = ctypes.c_long
    words = (ctypes.c_long(each) if isinstance(each, int) else each for each in arguments)
    return _checked(call(ctypes.c_long(number), *words))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
