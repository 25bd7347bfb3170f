"""The process that runs a model: one for all runs of this process with the same settings."""

from __future__ import annotations

import atexit
import os
import secrets
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from flows.config.redaction import remember
from flows.errors import ModelRefused, ModelUnreachable
from flows.models.address import Address
from flows.models.llama.messages import ServerSettings, StartOrder, StartReport
from flows.sandbox.launch import Child, Program, launch

_SHOWN_CHARACTERS: Final = 300
_SERVERS: dict[ServerSettings, LlamaServer] = {}
_LOCK: Final = threading.Lock()


class LlamaServer:
    """A child process with llama.cpp in it, started by who asks it first, for any number of
    threads and runs.

    It ends when nobody has used it for a while, with this process, and when this process is killed.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self._lock = threading.Lock()
        self._process: LlamaProcess | None = None
        self._users = 0
        self._timer: threading.Timer | None = None

    def hold(self) -> None:
        """Keep it from ending until `release`."""
        with _LOCK:
            self._users += 1
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def release(self, keep_alive: float) -> None:
        """Let it end, `keep_alive` seconds after the last who held it."""
        with _LOCK:
            self._users -= 1
            if self._users == 0:
                self._timer = threading.Timer(keep_alive, self._end_unused)
                self._timer.daemon = True
                self._timer.start()
        if not keep_alive:
            self._end_unused()

    def process(self, seconds: float) -> LlamaProcess:
        """The process, alive when it was looked at; it is started if there is none. Blocks.

        Errors: `ModelRefused` for a model that cannot be loaded; `ModelUnreachable` when it takes
        longer than `seconds`.
        """
        with self._lock:
            if self._process is None or not self._process.is_alive:
                self._process = LlamaProcess(self.settings, seconds)
            return self._process

    def stop(self) -> None:
        """End the process; whoever asks next starts another."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            process.stop()

    def _end_unused(self) -> None:
        with _LOCK:
            if self._users:
                return
            _SERVERS.pop(self.settings, None)
        self.stop()


def shared_server(settings: ServerSettings) -> LlamaServer:
    """The server of these settings, held for the caller, who releases it."""
    with _LOCK:
        server = _SERVERS.setdefault(settings, LlamaServer(settings))
    server.hold()
    return server


def stop_servers() -> None:
    """End all processes of models, whoever holds them."""
    with _LOCK:
        servers = list(_SERVERS.values())
    for each in servers:
        each.stop()


class LlamaProcess:
    """One started process. Errors of the constructor: as `LlamaServer.process`."""

    def __init__(self, settings: ServerSettings, seconds: float) -> None:
        self._file = settings.path.name
        self._owner = os.getpid()
        self._last_words = ""
        self._socket, self._given = socket.socketpair()
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._child: Child | None = None
        self._launched = threading.Event()
        self._failure: OSError | None = None
        self._threads = settings.threads
        # The kernel ends the process with the thread that started it, so that thread waits for it.
        self._thread = threading.Thread(target=self._live, name="flows-llama", daemon=True)
        self._thread.start()
        self._launched.wait()
        if self._failure is not None:
            raise ModelRefused(f"llama.cpp cannot be started: {self._failure}") from self._failure
        key = secrets.token_urlsafe(32)
        remember(key)
        try:
            address = self._started(StartOrder(settings=settings, key=key), seconds)
        except BaseException:
            self.stop()
            raise
        self.address = Address(f"{address}/v1", key)

    @property
    def pid(self) -> int:
        assert self._child is not None
        return self._child.pid

    @property
    def is_alive(self) -> bool:
        return self._child is not None and self._child.process.poll() is None

    def wait(self, seconds: float) -> bool:
        """Whether it has ended, now or within so many seconds."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def ending(self) -> str:
        """How a process that has ended did so, with what llama.cpp said last."""
        code = self._child.process.returncode if self._child is not None else None
        how = f"ended by signal {-code}" if code is not None and code < 0 else "ended"
        said = self._last_words
        killed = " (too little memory, perhaps)" if code == -9 and not said else ""
        return f"llama.cpp with {self._file} {how}{killed}" + (f": {said}" if said else "")

    def stop(self) -> None:
        """End the process and wait until it is gone. A forked copy of this process ends nothing."""
        if os.getpid() != self._owner:
            return
        if self._child is not None:
            with suppress(ProcessLookupError):
                self._child.process.kill()
        self._thread.join()

    def _live(self) -> None:
        """Start the process and wait for its end, in a thread of its own."""
        with self._stderr, self._socket:
            if self._launch():
                assert self._child is not None
                self._child.process.wait()
                self._stderr.seek(0)
                words = self._stderr.read().decode(errors="replace").split()
                self._last_words = " ".join(words)[-_SHOWN_CHARACTERS:]

    def _launch(self) -> bool:
        program = Program(
            "flows.models.llama.worker",
            (str(self._given.fileno()), str(os.getpid())),
            passed=(self._given.fileno(),),
            threads=self._threads,
            bubblewrap=False,
        )
        try:
            self._child = launch(program, stderr=self._stderr.fileno())
        except OSError as error:
            self._failure = error
            return False
        finally:
            self._given.close()
            self._launched.set()
        return True

    def _started(self, order: StartOrder, seconds: float) -> str:
        """The address, when the model is loaded."""
        self._socket.settimeout(seconds)
        try:
            self._socket.sendall(order.model_dump_json().encode() + b"\n")
            with self._socket.makefile("rb") as lines:
                line = lines.readline()
        except TimeoutError:
            raise ModelUnreachable(
                f"llama.cpp has not loaded {self._file} within timeout_load ({seconds} s)"
            ) from None
        except OSError:
            line = b""
        if not line:
            self.wait(seconds)
            raise ModelRefused(self.ending())
        report = StartReport.model_validate_json(line)
        if report.problem:
            self.wait(seconds)
            more = f" ({self._last_words})" if self._last_words else ""
            raise ModelRefused(f"llama.cpp cannot load {self._file}: {report.problem}{more}")
        return report.address


def size_of(path: Path) -> tuple[int, int]:
    """Bytes of the file, and when it was changed in nanoseconds."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


atexit.register(stop_servers)
