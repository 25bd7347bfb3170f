"""One child process that runs queries, seen from the host: its requests, its answers, its end."""

from __future__ import annotations

import os
import signal
import socket
import tempfile
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

from pydantic import ValidationError

from flows.data.deadline import Deadline, too_slow
from flows.data.workers.fork_server import fork
from flows.data.workers.messages import (
    REPLIES,
    Cancelling,
    FrameTooLong,
    Numbered,
    Reply,
    Request,
    read_frame,
    write_frame,
)
from flows.errors import QueryFailed

# After a deadline the worker has this long to end the query by itself; then it is killed.
GRACE_SECONDS = 0.2
_LOOK_SECONDS = 0.05
_END_SECONDS = 5.0
_STDERR_KEPT = 4000


class WorkerGone(Exception):
    """The process ended before it answered. `guilty` means that only this request ran in it."""

    def __init__(self, reason: str, *, guilty: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.guilty = guilty


@dataclass(slots=True)
class _Waiting:
    done: threading.Event = field(default_factory=threading.Event)
    reply: Reply | None = None
    gone: WorkerGone | None = None


class WorkerProcess:
    """A started worker, for any number of threads. It is never started again.

    Raises OSError when it cannot be started.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._waiting: dict[int, _Waiting] = {}
        self._number = 0
        self._ended = ""
        self._pid: int | None = None
        self._forked = threading.Event()
        self._socket, worker = socket.socketpair()
        self._requests = self._socket.makefile("wb")
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process has ended
        try:
            self._life = fork(worker, self._stderr.fileno())
        except OSError:
            self._close()
            raise
        finally:
            worker.close()
        self._thread = threading.Thread(target=self._serve, name="flows-worker", daemon=True)
        self._thread.start()

    @property
    def pid(self) -> int | None:
        """Its number, None when it did not come to life."""
        self._forked.wait()
        return self._pid

    @property
    def is_alive(self) -> bool:
        return not self._ended

    def ask(
        self, request: Request, seconds: float | None = None, stop: threading.Event | None = None
    ) -> Reply:
        """The answer to a request, which is ended after `seconds`, or when `stop` is set.

        Errors: `WorkerGone`; `QueryFailed` when the time is over and the worker had to be killed.
        """
        waiting = _Waiting()
        with self._lock:
            if self._ended:
                raise WorkerGone(self._ended, guilty=False)
            self._number += 1
            number = self._number
            self._waiting[number] = waiting
        try:
            self._send(number, request)
            if not _in_time(waiting.done, seconds, stop):
                self._send(number, Cancelling(request=number))
                if not waiting.done.wait(GRACE_SECONDS):
                    self.kill("another query took too long")
                    raise QueryFailed(too_slow(seconds or 0.0))
        finally:
            with self._lock:
                self._waiting.pop(number, None)
        if waiting.gone is not None:
            raise waiting.gone
        assert waiting.reply is not None
        return waiting.reply

    def is_busy(self, requests: int = 1) -> bool:
        """Whether at least so many requests wait for it."""
        with self._lock:
            return len(self._waiting) >= requests

    def kill(self, reason: str) -> None:
        """End it at once; requests that wait for it end with WorkerGone."""
        self._fail_all(reason, own=False)
        self._life.kill()

    def close(self) -> None:
        """End it, and wait until it is gone."""
        self.kill("it was closed")
        self._thread.join(_END_SECONDS)

    def _send(self, number: int, request: Request) -> None:
        text = Numbered(number=number, request=request).model_dump_json().encode()
        with self._sending:
            try:
                write_frame(self._requests, text)
            except (OSError, ValueError):
                return  # it ended, and the thread that reads says so to all who wait

    def _serve(self) -> None:
        self._pid = self._life.pid()
        self._forked.set()
        try:
            self._read_replies()
        finally:
            self._life.kill()
            code = self._life.wait()
            self._fail_all(_cause_of_death(code, self._stderr), own=True)
            self._close()

    def _read_replies(self) -> None:
        """Hand out answers until the worker closes its end or sends what is no answer."""
        with self._socket.makefile("rb") as replies:
            while True:
                try:
                    frame = read_frame(replies)
                    if frame is None:
                        return
                    answered = REPLIES.validate_json(frame)
                except (OSError, FrameTooLong, ValidationError):
                    return
                with self._lock:
                    waiting = self._waiting.get(answered.number)
                if waiting is not None:
                    waiting.reply = answered.reply
                    waiting.done.set()

    def _fail_all(self, reason: str, *, own: bool) -> None:
        with self._lock:
            if self._ended:
                return
            self._ended = reason
            guilty = own and len(self._waiting) == 1
            for waiting in self._waiting.values():
                if waiting.reply is None:
                    waiting.gone = WorkerGone(reason, guilty=guilty)
                waiting.done.set()

    def _close(self) -> None:
        with self._sending:
            with suppress(OSError):
                self._requests.close()
            self._socket.close()
        self._stderr.close()


def _in_time(done: threading.Event, seconds: float | None, stop: threading.Event | None) -> bool:
    """Wait for an answer. False when the time is over, or somebody does not want it any more."""
    if seconds is None:
        return done.wait()
    deadline = Deadline(seconds, stop)
    while not done.wait(_LOOK_SECONDS):
        if deadline.is_over():
            return done.is_set()
    return True


def _cause_of_death(code: int | None, stderr: IO[bytes]) -> str:
    stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, stderr.tell() - _STDERR_KEPT))
    said = stderr.read().decode(errors="replace")
    text = "the process that runs queries died"
    if code is not None and code < 0:
        text += f" ({signal.Signals(-code).name})"
    if "bad_alloc" in said or "MemoryError" in said or code == -signal.SIGKILL:
        return f"{text}, most likely since it needed more memory than it may use"
    return text
