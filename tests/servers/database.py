"""What private database servers of tests share: a free port, a user who may run them, an end."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

_START_SECONDS = 30.0


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def as_user(names: Sequence[str]) -> tuple[list[str], str]:
    """The words before a command that lay down root's rights, and whose it is then.

    Both servers refuse to run as root.
    """
    if os.geteuid() != 0:
        return [], pwd.getpwuid(os.geteuid()).pw_name
    known = {each.pw_name: each for each in pwd.getpwall()}
    user = next(known[name] for name in (*names, "nobody") if name in known)
    before = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups", "--"]
    return before, user.pw_name


def private_folder(owner: str) -> Path:
    """A new folder with a short path, since a socket's path has at most 107 bytes."""
    folder = Path(tempfile.mkdtemp(prefix="flows-db-", dir="/tmp"))
    if os.geteuid() == 0:
        shutil.chown(folder, owner)
    return folder


def run(command: Sequence[str | Path], folder: Path) -> None:
    ended = subprocess.run(
        [str(each) for each in command], cwd=folder, capture_output=True, text=True, timeout=60
    )
    if ended.returncode:
        raise RuntimeError(f"{command}: {ended.stdout}{ended.stderr}")


class Daemon:
    """A server as a child process, ended with all its processes."""

    def __init__(self, command: Sequence[str | Path], folder: Path, owner: str) -> None:
        self.folder = folder
        self.owner = owner
        self.command = [str(each) for each in command]
        self.process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        with (self.folder / "server.log").open("ab") as log:
            return subprocess.Popen(
                self.command,
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_until(self, is_ready: Callable[[], bool]) -> None:
        end = time.monotonic() + _START_SECONDS
        while not is_ready():
            if self.process.poll() is not None or time.monotonic() > end:
                log = (self.folder / "server.log").read_text(errors="replace")
                raise RuntimeError(f"the server did not start: {log[-2000:]}")
            time.sleep(0.02)

    def kill(self) -> None:
        """As a power cut would: no process of it is left."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=20)

    def stop(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
