"""What attacks are after: files, servers and processes of a user, and whether they were touched."""

from __future__ import annotations

import contextlib
import ctypes
import glob
import importlib.util
import os
import platform
import secrets
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SECRET_NAME = "FLOWS_ATTACKED"
IPC_PRIVATE, IPC_REMOVE = 0, 0
NAMES = (
    "ptrace", "fork", "clone", "clone3", "process_vm_readv", "process_vm_writev", "pidfd_open",
    "pidfd_getfd", "pidfd_send_signal", "rt_sigqueueinfo", "tgkill", "memfd_create", "execveat",
    "unshare", "setns", "mount", "chroot", "io_uring_setup", "keyctl", "add_key", "bpf",
    "perf_event_open", "userfaultfd", "shmget", "msgget", "semget", "fallocate", "personality",
    "clock_settime", "sethostname", "modify_ldt", "open_by_handle_at", "name_to_handle_at",
    "inotify_init1", "setxattr", "mq_open", "open_tree", "fsopen", "landlock_create_ruleset",
    "socket", "iopl", "mknodat", "fanotify_init", "kcmp", "process_madvise",
)  # fmt: skip
X86_64 = (
    101, 57, 56, 435, 310, 311, 434, 438, 424, 129, 234, 319, 322, 272, 308, 165, 161, 425, 250,
    248, 321, 298, 323, 29, 68, 64, 285, 135, 227, 170, 154, 304, 303, 294, 188, 240, 428, 430, 444,
    41, 172, 259, 300, 312, 440,
)  # fmt: skip
CALLS = dict(zip(NAMES, X86_64, strict=True))
FAKE_KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\n{secret}\n-----END OPENSSH PRIVATE KEY-----\n"


def is_known_machine() -> bool:
    """Whether the numbers of system calls in the attacks are those of this machine."""
    return platform.system() == "Linux" and platform.machine() == "x86_64"


def one_cell(text: str) -> bytes:
    """A Parquet file that holds a text."""
    from pyarrow import BufferOutputStream, parquet, table

    written = BufferOutputStream()
    parquet.write_table(table({"value": [text]}), written)
    return bytes(written.getvalue())


class World:
    """One user's belongings, all made for the occasion. `as_data` is what attacks are told."""

    def __init__(self, *, off: bool) -> None:
        self.secret = f"secret-{secrets.token_hex(12)}"
        self.mark = f"through-{secrets.token_hex(6)}"
        self.ghost = secrets.token_hex(6)
        self.off = off
        self.stack = contextlib.ExitStack()
        self.folder = Path(tempfile.mkdtemp(prefix="flows-attacked-")).resolve()
        self.stack.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.home = self.folder / "home"
        self.outside = self.folder / "outside"
        self.parquet = one_cell(self.secret)
        self._make_files()
        self._make_servers()
        self.segment = self._make_segment()
        self.victim = self._make_victim()
        os.environ[SECRET_NAME] = self.secret
        self.stack.callback(os.environ.pop, SECRET_NAME, None)
        self.inherited = os.open(self.home / "secret.txt", os.O_RDONLY)
        os.set_inheritable(self.inherited, True)
        self.stack.callback(os.close, self.inherited)
        self.neighbour = ""
        found = importlib.util.find_spec("numpy")
        assert found is not None
        assert found.origin is not None
        self.packages = Path(found.origin).parent
        self.before = self._state()

    def _make_files(self) -> None:
        (self.home / ".ssh").mkdir(parents=True)
        self.outside.mkdir(exist_ok=True)
        (self.home / "secret.txt").write_text(f"{self.secret}\n")
        (self.home / ".ssh" / "id_ed25519").write_text(FAKE_KEY.format(secret=self.secret))
        (self.home / "stolen.py").write_text(f"value = {self.secret!r}\n")
        (self.home / f"named-{self.secret}").touch()
        (self.outside / "kept.txt").write_text("as it was\n")
        (self.outside / "to_delete.txt").write_text("as it was\n")
        (self.home / "other.parquet").write_bytes(self.parquet)

    def _make_servers(self) -> None:
        self.servers: list[socket.socket] = []
        abstract = f"\0flows-{self.mark}"
        for family, kind, address in (
            (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            (socket.AF_INET6, socket.SOCK_STREAM, ("::1", 0)),
            (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            (socket.AF_UNIX, socket.SOCK_STREAM, str(self.outside / "stream")),
            (socket.AF_UNIX, socket.SOCK_DGRAM, str(self.outside / "datagram")),
            (socket.AF_UNIX, socket.SOCK_STREAM, abstract),
        ):
            server = self.stack.enter_context(socket.socket(family, kind))
            with contextlib.suppress(OSError):  # a machine without IPv6
                server.bind(address)
                if kind == socket.SOCK_STREAM:
                    server.listen()
            server.setblocking(False)
            self.servers.append(server)
        self.ports = [each.getsockname()[1] for each in self.servers[:3]]
        self.abstract = abstract[1:]

    def _make_segment(self) -> int:
        """A System V segment with the secret in it."""
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        segment: int = libc.shmget(IPC_PRIVATE, 4096, 0o1600)
        if segment < 0:
            return -1
        self.stack.callback(libc.shmctl, segment, IPC_REMOVE, None)
        address = libc.shmat(segment, None, 0)
        ctypes.memmove(address, self.secret.encode(), len(self.secret))
        return segment

    def _make_victim(self) -> subprocess.Popen[bytes]:
        """A process of the same user that is in nobody's way."""
        code = f"import time\nsecret = {self.secret!r}\ntime.sleep(600)"
        environment = {SECRET_NAME: self.secret}
        victim = subprocess.Popen([sys.executable, "-I", "-S", "-c", code], env=environment)
        self.stack.callback(victim.wait)
        self.stack.callback(victim.kill)
        return victim

    def as_data(self) -> dict[str, Any]:
        return {
            "mark": self.mark,
            "off": self.off,
            "calls": CALLS,
            "home": str(self.home),
            "outside": str(self.outside),
            "file": str(self.home / "secret.txt"),
            "ports": self.ports,
            "abstract": self.abstract,
            "segment": self.segment,
            "victim": self.victim.pid,
            "host": os.getpid(),
            "ghost": self.ghost,
            "neighbour": self.neighbour,
        }

    # What the host sees afterwards.

    def _state(self) -> dict[str, object]:
        """What is in the places that attacks write to, by path."""
        found: dict[str, object] = {}
        for path in sorted(self.folder.rglob("*")):
            info = path.lstat()
            if not path.is_socket():
                found[str(path)] = (info.st_mode, info.st_size, info.st_mtime_ns, info.st_nlink)
                found[f"{path} x"] = os.listxattr(path, follow_symlinks=False)
        return found

    def traces(self) -> list[Path]:
        """Files with the mark in their name in places that everyone may write to, or that code is
        imported from."""
        places = [Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"), self.packages]
        return [found for place in places for found in place.glob(f"*{self.mark}*")]

    def is_changed(self) -> bool:
        return self._state() != self.before or bool(self.traces())

    def is_reached(self) -> bool:
        readable, _, _ = select.select(self.servers, [], [], 0.05)
        return bool(readable)

    def is_victim_hurt(self) -> bool:
        if self.victim.poll() is not None:
            return True
        return self._of_victim() != self.of_victim

    def _of_victim(self) -> str:
        """State, limits and the like of the victim."""
        folder = Path(f"/proc/{self.victim.pid}")
        status = (folder / "status").read_text()
        state = next(line for line in status.splitlines() if line.startswith("State:"))
        calm = state.split()[1].replace("R", "S")
        nice = os.getpriority(os.PRIO_PROCESS, self.victim.pid)
        score = (folder / "oom_score_adj").read_text()
        cpus = os.sched_getaffinity(self.victim.pid)
        return f"{calm} {nice} {score} {cpus} {(folder / 'limits').read_text()}"

    def is_haunted(self) -> bool:
        return bool(self.ghosts())

    def lay_ghosts(self) -> None:
        """End what an attack left."""
        for pid in self.ghosts():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def ghosts(self) -> list[int]:
        """Processes in which a thread has the name that attacks give to what they leave."""
        found = []
        # A process may end while it is looked at: there pathlib's glob raises.
        names = glob.iglob("/proc/[0-9]*/task/[0-9]*/comm")  # noqa: PTH207
        for path in map(Path, names):
            with contextlib.suppress(OSError):
                if self.ghost in path.read_text():
                    found.append(int(path.parts[2]))
        return sorted(set(found))

    def arm(self) -> None:
        """Bring everything back to where it was before the next attack."""
        for path in self.traces():
            path.unlink(missing_ok=True)
        if self.victim.poll() is not None:
            self.victim = self._make_victim()
        if self._state() != self.before:
            self._restore()
        for server in self.servers:
            self._drain(server)
        self.of_victim = self._calm_victim()

    def _calm_victim(self) -> str:
        """What the victim is like; it may have to be replaced to be so."""
        with contextlib.suppress(FileNotFoundError):
            known = getattr(self, "of_victim", None)
            found = self._of_victim()
            if known is None or known == found:
                return found
        self.victim.kill()
        self.victim.wait()
        self.victim = self._make_victim()
        return self._of_victim()

    def _restore(self) -> None:
        """Files as they were; the sockets stay where they are."""
        for folder in (self.home, self.outside):
            folder.chmod(0o700)
            for path in folder.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                elif not path.is_socket():
                    path.unlink()
        self._make_files()
        self.before = self._state()

    def _drain(self, server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                if server.type == socket.SOCK_STREAM:
                    server.accept()[0].close()
                else:
                    server.recv(4096)

    def __enter__(self) -> World:
        self.arm()
        return self

    def __exit__(self, *_: object) -> None:
        self.lay_ghosts()
        for path in self.traces():
            path.unlink(missing_ok=True)
        self.stack.close()
