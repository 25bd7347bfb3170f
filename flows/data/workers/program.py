"""The program that runs queries: it imports what they take once, and forks a worker for each that
is wanted.

    python boot.py ... flows.data.workers.program SOCKET PARENT IDLE

`SOCKET` is the number of an open socket to the host, whose process is `PARENT`. A message there
asks for a worker: `{"TZ": the host's time zone or null}` with three descriptors, which are its
socket to the host, its standard error, and a socket for its life. On that one the program writes a
line with the worker's process number and at the end one with its exit code, or minus the signal;
when the host closes its half, the worker is killed. Without a worker for `IDLE` seconds the program
ends.
"""

from __future__ import annotations

import gc
import os
import selectors
import signal
import socket
import sys
import time
import traceback
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from flows.sandbox import frames, libc

# What the modules make stays: nothing is gained by looking through it for garbage meanwhile.
_OBJECTS_BETWEEN_COLLECTIONS: Final = 200_000


def main(arguments: Sequence[str]) -> int:
    """Fork workers until the host closes its end."""
    number, parent, idle = int(arguments[0]), int(arguments[1]), float(arguments[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    libc.end_with_parent(parent)
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    sys.meta_path.insert(0, _WithoutPandas())
    from flows.data.workers import worker  # when nothing looks for garbage

    worker.prepare()
    gc.freeze()  # so that the workers share the memory of what is there
    with socket.socket(fileno=number) as channel:
        _Forks(channel).serve(idle)
    return 0


class _Forks:
    """The workers that were forked: by process number, the socket for the life of each."""

    def __init__(self, channel: socket.socket) -> None:
        self._channel = channel
        self._lives: dict[int, socket.socket] = {}
        self._ready = selectors.DefaultSelector()
        self._ended, self._ending = os.pipe()
        os.set_blocking(self._ended, False)
        os.set_blocking(self._ending, False)
        signal.signal(signal.SIGCHLD, _note)
        signal.set_wakeup_fd(self._ending, warn_on_full_buffer=False)

    def serve(self, idle: float) -> None:
        """Fork what is asked for, until the host closes or there was no worker for so long."""
        self._ready.register(self._channel, selectors.EVENT_READ)
        self._ready.register(self._ended, selectors.EVENT_READ)
        resigned = False
        while self._lives or not resigned:
            ready = self._ready.select(idle)
            if not ready and not self._lives:
                # What the host asks from now on fails there; what it asked just before is read.
                resigned = True
                self._channel.shutdown(socket.SHUT_RD)
            for key, _ in ready:
                if key.fileobj is self._channel:
                    try:
                        message, passed = frames.receive(self._channel)
                    except (frames.FrameError, OSError):
                        if not resigned:
                            return
                        self._ready.unregister(self._channel)
                    else:
                        self._fork(message, *passed)
                elif key.fd == self._ended:
                    self._reap()
                elif key.data in self._lives:  # the host closed its half
                    self._ready.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)

    def _fork(self, message: dict[str, Any], number: int, stderr: int, life: int) -> None:
        try:
            pid = os.fork()
        except OSError:  # the machine is full; the host reads the end of the worker's life
            pid = -1
        if pid == 0:
            os.close(life)
            self._let_go()
            _work(message, number, stderr)
        for each in (number, stderr):
            os.close(each)
        lived = socket.socket(fileno=life)
        if pid < 0:
            lived.close()
            return
        self._lives[pid] = lived
        self._ready.register(lived, selectors.EVENT_READ, pid)
        _tell(lived, pid)

    def _let_go(self) -> None:
        """Close, in a worker, what is the program's and the other workers'."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._ready.close()
        for each in (self._channel, *self._lives.values()):
            each.close()
        os.close(self._ended)
        os.close(self._ending)

    def _reap(self) -> None:
        """Tell the hosts of all workers that have ended how they did."""
        os.read(self._ended, 1 << 16)
        while self._lives:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            with self._lives.pop(pid) as life:
                if life in self._ready.get_map():
                    self._ready.unregister(life)
                _tell(life, os.waitstatus_to_exitcode(status))


def _note(*_: object) -> None:
    """The end of a worker is read from the pipe; this is there so that it is written to it."""


def _tell(life: socket.socket, number: int) -> None:
    try:
        life.sendall(b"%d\n" % number)
    except OSError:
        return  # the host is gone, and its half is closed


def _work(message: dict[str, Any], number: int, stderr: int) -> NoReturn:
    """Be a worker. It ends at once when it is done: a query may still run in a thread."""
    try:
        parent = os.getppid()
        os.setsid()
        libc.end_with_parent(parent)
        os.dup2(stderr, 2)
        os.close(stderr)
        if message["TZ"] is not None:
            os.environ["TZ"] = str(message["TZ"])
        else:
            os.environ.pop("TZ", None)
        time.tzset()
        from flows.data.workers.worker import Worker

        with socket.socket(fileno=number) as connection:
            Worker(connection.makefile("rb"), connection.makefile("wb")).serve()
    except BaseException:  # noqa: BLE001 - nothing of this copy may reach the program's loop
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


class _WithoutPandas:
    """pyarrow imports pandas where it can, which takes a second, and nothing here needs it."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(f"no module named {name!r} here", name=name)
