"""The host's side of the program that forks workers: started once, when the first is wanted."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress

from flows.sandbox import frames
from flows.sandbox.launch import Child, Program, launch

_MODULE = "flows.data.workers.program"
# It has no use for plugins, which pydantic looks for in the metadata of all installed packages.
_ENVIRONMENT = {"PYDANTIC_DISABLE_PLUGINS": "__all__"}
# The host then starts another.
_IDLE_SECONDS = 300.0


class Life:
    """The life of a forked worker."""

    def __init__(self, told: socket.socket) -> None:
        self._socket = told
        self._lines = told.makefile("rb")

    def pid(self) -> int | None:
        """Its process number, which is waited for; None when there is no such process."""
        return self._number()

    def kill(self) -> None:
        """Have it killed, without waiting."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def wait(self) -> int | None:
        """Its exit code, or minus the signal; None when nobody knows."""
        code = self._number()
        self._lines.close()
        self._socket.close()
        return code

    def _number(self) -> int | None:
        try:
            line = self._lines.readline()
        except OSError:
            return None
        return int(line) if line else None


class ForkServer:
    """The program that forks workers, of this process or of one that this was forked from.

    It ends when this process does, or when it had no worker for `idle` seconds.
    Errors: OSError when it cannot be started.
    """

    def __init__(self, idle: float = _IDLE_SECONDS) -> None:
        self._channel, theirs = socket.socketpair()
        self._idle = idle
        self._failure: Exception | None = None
        started = threading.Event()
        # The thread that starts the process has to live as long: the kernel ends it with that.
        threading.Thread(
            target=self._run, args=(theirs, started), name="flows-fork-server", daemon=True
        ).start()
        started.wait()
        if self._failure is not None:
            raise self._failure

    def fork(self, connection: socket.socket, stderr: int) -> Life:
        """Have a worker forked, without waiting, that is asked on the other end of `connection`.

        Errors: OSError when the program is gone.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                message = frames.packed({"TZ": os.environ.get("TZ")})
                passed = (connection.fileno(), stderr, theirs.fileno())
                socket.send_fds(self._channel, [message], passed)
            except OSError:
                ours.close()
                raise
        return Life(ours)

    def close(self) -> None:
        """End the program, and with it its workers."""
        self._channel.close()

    def _run(self, theirs: socket.socket, started: threading.Event) -> None:
        with theirs:
            try:
                child = _launched(theirs.fileno(), self._idle)
            except Exception as error:  # noqa: BLE001 - the one who starts it gets it raised
                self._failure = error
                self._channel.close()
                return
            finally:
                started.set()
        child.process.wait()


def _launched(number: int, idle: float) -> Child:
    return launch(
        Program(
            module=_MODULE,
            arguments=(str(number), str(os.getpid()), str(idle)),
            environment=_ENVIRONMENT,
            passed=(number,),
            threads=os.cpu_count() or 1,
            bubblewrap=False,
        )
    )


_lock = threading.Lock()
_server: ForkServer | None = None


def start() -> None:
    """Start the program, if it has not been. Errors: OSError."""
    global _server
    with _lock:
        if _server is None:
            _server = ForkServer()


def fork(connection: socket.socket, stderr: int) -> Life:
    """Have the program of this process fork a worker; one that has ended is started again.

    Errors: OSError.
    """
    global _server
    start()
    with _lock:
        assert _server is not None
        try:
            return _server.fork(connection, stderr)
        except OSError:
            _server.close()
            _server = ForkServer()
        return _server.fork(connection, stderr)
