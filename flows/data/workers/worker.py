"""What answers the host's requests, in a child process that raises its walls at the first."""

from __future__ import annotations

import os
import threading
from importlib import import_module
from typing import BinaryIO

from flows.data.deadline import Deadline
from flows.data.workers.engines import Engines, heads
from flows.data.workers.messages import (
    REQUESTS,
    Answered,
    Cancelling,
    Exporting,
    Failed,
    FrameTooLong,
    Numbered,
    Opened,
    Opening,
    Querying,
    Reply,
    Request,
    read_frame,
    write_frame,
)
from flows.errors import FlowsError, QueryFailed, QueryRefused, SourceError
from flows.sandbox.walls import Walls, raise_walls

_LONGEST_FILE = 64 * 1024**3
_OPEN_FILES = 1024


def prepare() -> None:
    """Import and build what every worker takes, before the first is forked."""
    import_module("flows.data.engines.duckdb_files")
    request = Numbered(number=0, request=Cancelling(request=0))
    REQUESTS.validate_json(request.model_dump_json())
    _text(0, Failed(kind="failed", text=""))


class Worker:
    """Answers each request in a thread of its own."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self._requests = requests
        self._replies = replies
        self._writing = threading.Lock()
        self._stops: dict[int, threading.Event] = {}
        self._engines: Engines | None = None

    def serve(self) -> None:
        while (frame := read_frame(self._requests)) is not None:
            message = REQUESTS.validate_json(frame)
            if isinstance(message.request, Cancelling):
                found = self._stops.get(message.request.request)
                if found is not None:
                    found.set()
            elif isinstance(message.request, Opening):
                # Here, since walls hold for the thread that raises them and those it starts.
                self._answer(message, threading.Event())
            else:
                stop = self._stops[message.number] = threading.Event()
                threading.Thread(target=self._answer, args=(message, stop), daemon=True).start()

    def _answer(self, message: Numbered, stop: threading.Event) -> None:
        try:
            reply = self._reply(message.request, stop)
        except MemoryError:
            reply = Failed(kind="memory", text="")
        except FlowsError as error:
            reply = Failed(kind=_kind(error), text=str(error))
        except Exception as error:  # noqa: BLE001 - the host says what it was
            reply = Failed(kind="failed", text=f"{type(error).__name__}: {error}")
        self._stops.pop(message.number, None)
        self._send(message.number, reply)

    def _reply(self, request: Request, stop: threading.Event) -> Reply:
        if isinstance(request, Opening):
            return self._open(request)
        assert self._engines is not None
        if isinstance(request, Querying):
            return self._engines.query(request, Deadline(request.seconds, stop))
        assert isinstance(request, Exporting)
        return self._engines.export(request, Deadline(request.seconds, stop))

    def _open(self, opening: Opening) -> Opened:
        raised = raise_walls(
            Walls(
                read=opening.read,
                write=(opening.scratch,),
                memory=opening.memory,
                file_bytes=_LONGEST_FILE,
                open_files=_OPEN_FILES,
                network=bool(opening.servers),
            )
        )
        if opening.first is not None:
            return Opened(hashes={}, digests={}, tables=heads(opening), walls=raised)
        self._engines = Engines(opening)
        return self._engines.opened(raised)

    def _send(self, number: int, reply: Reply) -> None:
        with self._writing:
            try:
                write_frame(self._replies, _text(number, reply))
            except FrameTooLong:
                short = Failed(kind="failed", text="the result is too large to be sent")
                write_frame(self._replies, _text(number, short))
            except BrokenPipeError:
                os._exit(0)  # the host is gone


def _text(number: int, reply: Reply) -> bytes:
    return Answered(number=number, reply=reply).model_dump_json().encode()


def _kind(error: FlowsError) -> str:
    kinds = {SourceError: "source", QueryRefused: "refused", QueryFailed: "failed"}
    return next((name for kind, name in kinds.items() if isinstance(error, kind)), "failed")
