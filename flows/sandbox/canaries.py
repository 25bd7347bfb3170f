"""Small attacks that hurt nobody, to see whether the walls of the sandbox stand.

The text of this module is what runs, behind the walls and beside them; so it stands alone and
imports nothing of this package.
"""

from __future__ import annotations

import ctypes
import errno
import hashlib
import json
import mmap
import os
import socket
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

Bait = Mapping[str, Any]
Canary = Callable[[Bait], bool]
REFUSED = frozenset({errno.EPERM, errno.EACCES, errno.ENOSYS})
# Numbers of x86-64 and of the other 64-bit machines, which share a table.
CALLS = {
    "x86_64": {"ptrace": 101, "keyctl": 250, "unshare": 272, "io_uring_setup": 425},
    "other": {"ptrace": 117, "keyctl": 219, "unshare": 97, "io_uring_setup": 425},
}
NO_NEW_PRIVILEGES = 39  # PR_GET_NO_NEW_PRIVS
NO_RESERVE = 0x4000  # MAP_NORESERVE
TERABYTE = 1 << 40


def answers(name: str, *arguments: int) -> bool:
    """Whether the kernel looks at a call, if only to find that its arguments make no sense."""
    libc = ctypes.CDLL(None, use_errno=True)
    number = CALLS.get(os.uname().machine, CALLS["other"])[name]
    wide = [ctypes.c_long(each) for each in (number, *arguments)]
    done: int = libc.syscall(*wide)
    return bool(done >= 0 or ctypes.get_errno() not in REFUSED)


def read_a_file(bait: Bait) -> bool:
    """Read a file of the user's."""
    secret: str = bait["secret"]
    return Path(bait["file"]).read_text(encoding="utf-8") == secret


def list_a_folder(bait: Bait) -> bool:
    """See which files the user has."""
    return Path(bait["file"]).name in os.listdir(bait["folder"])  # noqa: PTH208


def write_a_file(bait: Bait) -> bool:
    """Write beside the user's files; whoever set the bait takes it away again."""
    path = Path(bait["folder"], f"written-{os.getpid()}")
    path.write_text("x", encoding="utf-8")
    path.unlink()
    return True


def see_the_environment(bait: Bait) -> bool:
    """Find a variable of the host in the own environment."""
    items = (f"{name}={value}" for name, value in os.environ.items())
    return holds(bait, (each.encode("utf-8", "surrogateescape") for each in items))


def read_environments(bait: Bait) -> bool:
    """Find a variable of the host in what the system shows of other processes."""
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found = path.read_bytes()
        except OSError:
            continue
        if path.parent.name != str(os.getpid()) and holds(bait, found.split(b"\0")):
            return True
    return False


def holds(bait: Bait, items: Iterable[bytes]) -> bool:
    """Whether one of the items is among those of the host, of which only digests are known."""
    known = set(bait["environment"])
    return any(hashlib.sha256(each).hexdigest() in known for each in items)


def connect(family: int, address: Any) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as each:
        each.settimeout(1.0)
        each.connect(address)
    return True


def connect_by_tcp(bait: Bait) -> bool:
    """Reach a server of this machine."""
    return connect(socket.AF_INET, ("127.0.0.1", bait["port"]))


def connect_by_path(bait: Bait) -> bool:
    """Reach a server that listens at a path."""
    return connect(socket.AF_UNIX, bait["socket"])


def connect_by_name(bait: Bait) -> bool:
    """Reach a server that listens at an abstract name."""
    return connect(socket.AF_UNIX, "\0" + bait["abstract"])


def signal_the_host(bait: Bait) -> bool:
    """Send the host a signal, the one that does nothing."""
    try:
        os.kill(bait["host"], 0)
    except ProcessLookupError:  # another process namespace
        return False
    return Path(f"/proc/{bait['host']}").exists()


def write_a_terabyte(bait: Bait) -> bool:
    """Make an enormous file, with nothing in it, in the own folder."""
    del bait
    with tempfile.TemporaryFile(dir=".") as file:
        file.truncate(TERABYTE)
    return True


def take_memory(bait: Bait) -> bool:
    """Reserve more memory than is allowed, and use none of it."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE
    with mmap.mmap(-1, bait["memory"], flags=flags):
        return True


def gain_privileges(bait: Bait) -> bool:
    """Whether a program that gives privileges would give them."""
    del bait
    return int(ctypes.CDLL(None).prctl(NO_NEW_PRIVILEGES, 0, 0, 0, 0)) == 0


def trace_processes(bait: Bait) -> bool:
    """Look into other processes."""
    del bait
    return answers("ptrace", 9999)


def make_namespaces(bait: Bait) -> bool:
    """Make a world of the own, in which one is root."""
    del bait
    return answers("unshare", 0)


def use_keys(bait: Bait) -> bool:
    """Use the kernel's keyring."""
    del bait
    return answers("keyctl", 9999)


def use_rings(bait: Bait) -> bool:
    """Use the kernel's queue of calls, past the filter."""
    del bait
    return answers("io_uring_setup", 0, 0)


CANARIES: Mapping[str, Canary] = {
    each.__name__.replace("_", " "): each
    for each in (
        read_a_file,
        list_a_folder,
        write_a_file,
        see_the_environment,
        read_environments,
        connect_by_tcp,
        connect_by_path,
        connect_by_name,
        signal_the_host,
        write_a_terabyte,
        take_memory,
        gain_privileges,
        trace_processes,
        make_namespaces,
        use_keys,
        use_rings,
    )
}


def attempt(bait: Bait) -> str:
    """The names of the canaries that came through, as JSON after the bait's mark, on a line."""
    through = []
    for name, canary in CANARIES.items():
        try:
            if canary(bait):
                through.append(name)
        except Exception:  # noqa: BLE001, S112 - whatever stopped it, it was stopped
            continue
    return f"{bait['mark']}{json.dumps(through)}"
