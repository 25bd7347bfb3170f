"""Reading documents in a process of its own, which is replaced when one of them breaks it."""

from __future__ import annotations

import os
import signal
import socket
import time
from types import TracebackType
from typing import Self

from pydantic import ValidationError

from flows.data.documents.blocks import Block, UnreadableDocument
from flows.data.documents.frames import BrokenFrame, ReadOrder, ReadReport, receive_head, send
from flows.errors import SourceError
from flows.sandbox.launch import Child, Program, launch

_MODULE = "flows.data.documents.worker"


class DocumentReader:
    """Reads documents one after the other; a context manager of one thread.

    The process starts with the first document. It has no network, sees no file but its libraries,
    and is ended after `seconds` for one document. Errors: `UnreadableDocument` says why one cannot
    be read; `SourceError` when no process can be started.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._child: Child | None = None
        self._socket: socket.socket | None = None
        self._interrupted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        self.close()

    def close(self) -> None:
        """End the process. The next document starts another."""
        self._end()

    @property
    def pid(self) -> int | None:
        """The number of the process, if one runs."""
        return self._child.pid if self._child is not None else None

    def read(self, kind: str, content: bytes, *, layout: bool = False) -> tuple[Block, ...]:
        """The paragraphs of a document of that kind, which is one of `reading.KINDS`. By its
        `layout` a PDF has headings and tables too, and takes twice as long."""
        if not content:
            raise UnreadableDocument("is empty")  # nothing that a process is needed for
        order = ReadOrder(kind=kind, size=len(content), seconds=self._seconds, layout=layout)
        told = self._told(order, content)
        if told.problem:
            raise UnreadableDocument(told.problem)
        return told.blocks

    def interrupt(self) -> None:
        """End the process from another thread; what is being read cannot be read then."""
        self._interrupted = True
        if (child := self._child) is not None:
            child.process.kill()

    def _told(self, asked: ReadOrder, content: bytes) -> ReadReport:
        host = self._started()
        host.settimeout(self._seconds)
        try:
            send(host, asked.model_dump_json().encode(), content)
            answer = receive_head(host)
            if answer is not None:
                return ReadReport.model_validate_json(answer)
        except TimeoutError:
            self._end()
            problem = f"takes more than {self._seconds:g} s to be read"
            raise UnreadableDocument(problem, lasting=False) from None
        except (OSError, BrokenFrame, ValidationError):
            pass  # it died of this document, which is told below
        raise UnreadableDocument(self._cause_of_death(), lasting=False)

    def _started(self) -> socket.socket:
        if self._interrupted:
            raise UnreadableDocument("was not read: the reading was stopped", lasting=False)
        if self._socket is not None:
            return self._socket
        host, guest = socket.socketpair()
        with guest:
            program = Program(
                module=_MODULE,
                arguments=(str(guest.fileno()), str(os.getpid())),
                passed=(guest.fileno(),),
                bubblewrap=False,
            )
            try:
                self._child = launch(program)
            except OSError as error:
                host.close()
                raise SourceError(
                    f"documents cannot be read: no process starts: {error}"
                ) from error
        self._socket = host
        return host

    def _cause_of_death(self) -> str:
        code = self._end()
        if code == -signal.SIGKILL:
            return "takes too much memory or time to be read"
        how = f" ({signal.Signals(-code).name})" if code is not None and code < 0 else ""
        return f"broke the process that read it{how}"

    def _end(self) -> int | None:
        """End the process; what it ended with, if it had ended by itself."""
        child, self._child = self._child, None
        host, self._socket = self._socket, None
        if host is not None:
            host.close()
        if child is None:
            return None
        code = _settled(child)
        child.kill()
        return code


def _settled(child: Child) -> int | None:
    """The exit code of a process that is about to end, None for one that goes on."""
    until = time.monotonic() + 0.5
    while (code := child.process.poll()) is None and time.monotonic() < until:
        time.sleep(0.005)
    return code
