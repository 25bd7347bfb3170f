"""What was found of this machine's walls, kept in the user's cache until the machine changes.

An entry is found again only by the same user, boot, kernel, interpreter, sandbox code and rights:
`machine` names all of them. An entry that is damaged, or that another user could have written,
counts as not there.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from flows.sandbox import landlock
from flows.sandbox.cache import cache_folder, is_private
from flows.sandbox.read_access import readable

_FOLDER = "walls"
_ENTRIES = 32
_LONGEST = 1 << 20
_PART = "part-"
PROGRAMS = "/usr/bin:/bin:/usr/local/bin"
# Files of the kernel that change with what a process of this user may do.
_KERNEL = (
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/io_uring_disabled",
    "/proc/sys/kernel/yama/ptrace_scope",
    "/proc/sys/user/max_user_namespaces",
    "/proc/self/attr/current",
)
_NAMESPACES = ("user", "mnt", "pid", "net", "ipc", "uts")
_RIGHTS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp", "Groups")


def machine() -> dict[str, Any]:
    """All on which it depends which walls stand here, as JSON can hold it."""
    return {
        "user": [os.getuid(), os.geteuid(), os.getgid(), os.getegid()],
        "kernel": list(os.uname()),
        "settings": {each: _text(Path(each)) for each in _KERNEL},
        "namespaces": [_link(Path("/proc/self/ns", each)) for each in _NAMESPACES],
        "rights": [
            line
            for line in _text(Path("/proc/self/status")).splitlines()
            if line.partition(":")[0] in _RIGHTS
        ],
        "limits": [
            resource.getrlimit(getattr(resource, each))
            for each in sorted(dir(resource))
            if each.startswith("RLIMIT_")
        ],
        "root": _identity(Path("/")),
        "python": [sys.version, sys.executable, _identity(Path(sys.executable))],
        "bubblewrap": _identity(Path(shutil.which("bwrap", path=PROGRAMS) or "")),
        "landlock": landlock.version(),
        "sandbox": _own_text(),
        "readable": [str(each) for each in readable()],
        "temporary": tempfile.gettempdir(),
    }


def read(kind: str, key: Mapping[str, Any]) -> str | None:
    """The text that was kept under a kind and a key, None when there is none to be trusted."""
    folder = cache_folder(_FOLDER)
    if folder is None:
        return None
    place = _place(folder, kind, key)
    try:
        opened = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(opened, "rb") as file:
            content = file.read(_LONGEST + 1) if is_private(place) else b""
    except OSError:
        return None
    total, _, body = content.partition(b"\n")
    if total != _sum(body):
        return None
    try:
        entry = json.loads(body)
    except ValueError:
        return None
    known = isinstance(entry, dict) and entry.get("key") == json.loads(_json(key))
    return str(entry["text"]) if known and "text" in entry else None


def write(kind: str, key: Mapping[str, Any], text: str) -> None:
    """Keep a text, whole or not at all; where there is no place for it, it is not kept."""
    folder = cache_folder(_FOLDER)
    if folder is None:
        return
    body = _json({"key": key, "text": text})
    try:
        number, part = tempfile.mkstemp(prefix=_PART, dir=folder)
        try:
            with os.fdopen(number, "wb") as file:
                file.write(_sum(body) + b"\n" + body)
            Path(part).replace(_place(folder, kind, key))
        except BaseException:
            Path(part).unlink(missing_ok=True)
            raise
        _prune(folder)
    except OSError:  # a full disk or a closed folder costs a probe, not the run
        return


def forget(kind: str = "") -> bool:
    """Remove all entries of a kind, or of all kinds; whether there was one."""
    folder = cache_folder(_FOLDER)
    found = [] if folder is None else list(folder.glob(f"{kind or '*'}-*.json"))
    for each in found:
        each.unlink(missing_ok=True)
    return bool(found)


def _place(folder: Path, kind: str, key: Mapping[str, Any]) -> Path:
    return folder / f"{kind}-{hashlib.sha256(_json(key)).hexdigest()}.json"


def _prune(folder: Path) -> None:
    """Remove the oldest entries when there are many, among them parts of a process that died."""
    entries = sorted(folder.iterdir(), key=lambda each: each.lstat().st_mtime)
    for each in entries[:-_ENTRIES]:
        each.unlink(missing_ok=True)


@cache
def _own_text() -> str:
    """A digest of the modules of this folder: the walls, and the attacks on them."""
    total = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def _identity(path: Path) -> list[int | str]:
    """What is another when a file was replaced or changed."""
    try:
        found = path.stat()
    except OSError:
        return [str(path)]
    changed = [] if path.is_dir() else [found.st_size, found.st_mtime_ns]
    return [str(path), found.st_dev, found.st_ino, *changed]


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:  # a kernel without it
        return ""


def _link(path: Path) -> str:
    try:
        return str(path.readlink())
    except OSError:
        return ""


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, sort_keys=True).encode()


def _sum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
