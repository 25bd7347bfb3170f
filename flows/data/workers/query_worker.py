"""The worker of a catalog: started when it is first asked, and replaced when it has ended."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from pathlib import Path

from flows.config.redaction import redact_pieces
from flows.data.workers.messages import Failed, Opened, Opening, Reply, Request
from flows.data.workers.process import WorkerGone, WorkerProcess
from flows.errors import QueryFailed, QueryRefused, SourceError
from flows.sandbox.folders import discard
from flows.sandbox.scratch import ScratchFolder

_TRIES = 3
# Copies of files that the process made for itself; what is beside this folder stays.
_OF_PROCESS = "copies"
_ERRORS = {"source": SourceError, "refused": QueryRefused, "failed": QueryFailed}
_MEMORY = "the query needed more memory than it may use and was stopped"

Prepare = Callable[[Path], Opening]
Marks = Mapping[Path, int | None]


class QueryWorker:
    """Runs requests in a child process, for any number of threads.

    `prepare` says, for the folder that the process may write to, what it opens. `walls` are what
    the last one that started has around it. Errors of all that start it: `SourceError`.
    """

    def __init__(self, prepare: Prepare) -> None:
        self._prepare = prepare
        self._lock = threading.Lock()
        self._alone = threading.Lock()
        self._held = _Held()
        self.walls: Mapping[str, str] = {}
        self._hashes: Mapping[str, str] = {}
        self._finalizer = weakref.finalize(self, self._held.close)

    @property
    def pid(self) -> int | None:
        """The number of the process that runs now."""
        process = self._held.process
        return process.pid if process is not None and process.is_alive else None

    def is_busy(self, requests: int = 1) -> bool:
        """Whether at least so many requests wait for an answer."""
        process = self._held.process
        return process is not None and process.is_busy(requests)

    @property
    def folder(self) -> Path:
        """The only folder that the process may write to; it lives until `close`."""
        with self._lock:
            return self._held.folder()

    def expect(self, hashes: Mapping[str, str]) -> None:
        """What the content of files has to be when it starts."""
        self._hashes = dict(hashes)

    def warm(self) -> None:
        """Start the process without waiting for it; what it opens is told to it later."""
        with self._lock:
            if self._held.process is None:
                self._held.warm()

    def start(self) -> Opened:
        """Start it, and open its sources: what they hold."""
        with self._lock:
            return self._start()

    def ask(self, request: Request, seconds: float, stop: threading.Event | None = None) -> Reply:
        """The answer to a request. Of several that a death interrupts, each is tried again.

        Errors: `SourceError`, `QueryRefused`, `QueryFailed`.
        """
        try:
            return self._once(request, seconds, stop)
        except WorkerGone as gone:
            if gone.guilty:
                raise QueryFailed(gone.reason) from gone
        # One after the other: then who it was that ended the process is known.
        with self._alone:
            return self._again(request, seconds, stop)

    def close(self) -> None:
        """End the process and remove its folder. The next request starts another."""
        with self._lock:
            self._held.close()

    def _again(self, request: Request, seconds: float, stop: threading.Event | None) -> Reply:
        reason = ""
        for _ in range(_TRIES):
            try:
                return self._once(request, seconds, stop)
            except WorkerGone as gone:
                reason = gone.reason
                if gone.guilty:
                    break
        raise QueryFailed(reason)

    def _once(self, request: Request, seconds: float, stop: threading.Event | None) -> Reply:
        with self._lock:
            if self._held.is_stale():
                self._start()
            process = self._held.process
        assert process is not None
        try:
            reply = process.ask(request, seconds, stop)
        finally:
            if not process.is_alive:
                self._warm_again(process)
        if not isinstance(reply, Failed):
            return reply
        if reply.kind == "memory":
            guilty = not process.is_busy()
            process.kill("another query used up the memory")
            raise WorkerGone(_MEMORY, guilty=guilty)
        raise _ERRORS[reply.kind](redact_pieces(reply.text))

    def _warm_again(self, ended: WorkerProcess) -> None:
        """Get the next process ready at once: the next query does not wait for all of its start."""
        with self._lock:
            if self._held.process is ended:
                self._held.warm()

    def _start(self) -> Opened:
        self._held.end()
        self._held.warm()
        opening = self._prepare(self._held.folder())
        process = self._held.take(opening)
        try:
            reply = process.ask(opening)
        except WorkerGone as gone:
            raise SourceError(f"the sources cannot be read: {gone.reason}") from gone
        if not isinstance(reply, Opened):
            process.close()
            raise SourceError(_why(reply, opening))
        self._check_same(reply.hashes)
        self.walls = reply.walls
        return reply

    def _check_same(self, hashes: Mapping[str, str]) -> None:
        changed = [name for name, digest in self._hashes.items() if hashes.get(name) != digest]
        if changed and self._held.process is not None:
            self._held.process.close()
            raise SourceError(
                f"the content of '{changed[0]}' has changed since it was first read; start again"
            )
        self._hashes = dict(hashes)


class _Held:
    """The process and its folder, apart from the worker, so that both go when that is forgotten."""

    def __init__(self) -> None:
        self._warm: WorkerProcess | None = None
        self.process: WorkerProcess | None = None
        self._folder: ScratchFolder | None = None
        self._marks: Marks = {}

    def folder(self) -> Path:
        if self._folder is None:
            self._folder = ScratchFolder("flows-sql-")
        return self._folder.path

    def warm(self) -> None:
        """Have a process ready that has opened nothing yet. Errors: `SourceError`."""
        if self._warm is None or not self._warm.is_alive:
            self._warm = _started()

    def take(self, opening: Opening) -> WorkerProcess:
        """The process that is ready, for what it is about to open."""
        assert self._warm is not None
        self.process, self._warm = self._warm, None
        self._marks = _marks(opening)
        return self.process

    def is_stale(self) -> bool:
        """Whether there is none that runs, or it cannot reach what its sources are now."""
        if self.process is None or not self.process.is_alive:
            return True
        return any(_inode(path) != inode for path, inode in self._marks.items())

    def end(self) -> None:
        """End the process, and remove what it made for itself."""
        if self.process is not None:
            self.process.close()
        self.process = None
        if self._folder is not None:
            discard(self._folder.path / _OF_PROCESS)

    def close(self) -> None:
        self.end()
        if self._warm is not None:
            self._warm.close()
        self._warm = None
        if self._folder is not None:
            self._folder.close()
        self._folder = None


def _started() -> WorkerProcess:
    try:
        return WorkerProcess()
    except OSError as error:
        raise SourceError(f"the process that runs queries does not start: {error}") from error


def _why(reply: Reply, opening: Opening) -> str:
    assert isinstance(reply, Failed)
    if reply.kind == "memory":
        return f"reading the sources needs more memory than {opening.memory >> 20:,} MB"
    return reply.text


def _marks(opening: Opening) -> Marks:
    """The files that a database is read from at each query: its walls know them by their inodes."""
    databases = [each.path for each in opening.files if each.dialect == "sqlite"]
    paths = [path.with_name(path.name + ending) for path in databases for ending in ("", "-wal")]
    return {path: _inode(path) for path in paths}


def _inode(path: Path) -> int | None:
    try:
        return path.stat().st_ino
    except OSError:
        return None
