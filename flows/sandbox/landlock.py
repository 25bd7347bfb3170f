"""Landlock: which files a walled process may reach, by rules that nothing can take back."""

from __future__ import annotations

import ctypes
import os
import platform
import stat
import struct
from collections.abc import Iterable
from pathlib import Path

from flows.sandbox import libc

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1

_WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 1, 1 << 2, 1 << 3
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_ABI_1 = (1 << 13) - 1
_NO_TCP = 0b11
_SCOPES = 0b11  # abstract unix sockets, signals

_READ = _READ_FILE | _READ_DIR
# No links, sockets, devices or pipes are made, and nothing is ever executed.
_CHANGE = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_OF_FILES = _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV


def version() -> int:
    """The ABI version of this kernel, 0 when it has no Landlock or it is switched off."""
    if platform.system() != "Linux":
        return 0
    try:
        return libc.syscall(_CREATE, 0, 0, _ASK_VERSION)
    except OSError:
        return 0


def put_up(read: Iterable[Path], write: Iterable[Path], *, network: bool) -> str:
    """Restrict this process and what it starts. Paths that do not exist are left out.

    Raises OSError when the kernel cannot; no_new_privs has to be set before.
    """
    abi = version()
    if not abi:
        raise OSError("the kernel has no Landlock, or it is switched off")
    handled = _handled(abi)
    ruleset = _create(abi, handled, network)
    try:
        for path in read:
            _allow(ruleset, path, _READ & handled)
        for path in write:
            _allow(ruleset, path, (_READ | _CHANGE) & handled)
        libc.syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)
    return f"Landlock ABI {abi}"


def _handled(abi: int) -> int:
    newer = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV))
    return _ABI_1 | sum(right for since, right in newer if abi >= since)


def _create(abi: int, handled: int, network: bool) -> int:
    words = [handled]
    if abi >= 4:
        words.append(0 if network else _NO_TCP)
    if abi >= 6:
        words.append(_SCOPES)
    attributes = struct.pack(f"={len(words)}Q", *words)
    return libc.syscall(_CREATE, ctypes.c_char_p(attributes), len(attributes), 0)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):
        return
    try:
        if not stat.S_ISDIR(os.fstat(opened).st_mode):
            rights &= _OF_FILES
        rule = struct.pack("=Qi", rights, opened)
        libc.syscall(_ADD, ruleset, _PATH_BENEATH, ctypes.c_char_p(rule), 0)
    finally:
        os.close(opened)
