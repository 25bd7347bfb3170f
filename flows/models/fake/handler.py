"""One connection to the fake model: requests are read, answers are written, or broken off."""

from __future__ import annotations

import json
import socket
import struct
import sys
import time
from collections.abc import Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from flows.models.fake.answer import ClientRequest, FakeAnswer, Json, refusal
from flows.models.fake.wire import HALF_AN_EVENT, endless_whole, events, models, whole

_JSON = "application/json"


class Desk(Protocol):
    """Decides what is answered. `begin` and `end` stand around each request."""

    def begin(self, client: str) -> None: ...

    def end(self) -> None: ...

    def chat(self, request: ClientRequest) -> FakeAnswer: ...

    def embed(self, request: ClientRequest) -> Json: ...

    def hear(self, request: ClientRequest, answer: FakeAnswer) -> None: ...

    def is_stopping(self, seconds: float) -> bool:
        """Whether the server stops, now or within so many seconds."""
        ...


class Http(ThreadingHTTPServer):
    """A thread for each connection, on loopback only. Errors: OSError for a port in use."""

    daemon_threads = True
    block_on_close = False
    # Another server on the same port is an error, not a neighbour.
    allow_reuse_port = False

    def __init__(self, desk: Desk, port: int) -> None:
        self.desk = desk
        super().__init__(("127.0.0.1", port), Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news; anything else is a fault of this package."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Http

    def log_message(self, *_: Any) -> None:
        """Nothing: what is told of a request is up to the desk."""

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        desk = self.server.desk
        request = self._read()
        desk.begin("{}:{}".format(*self.client_address))
        try:
            answer = self._choose(request)
            desk.hear(request, answer)
            self._answer(answer, request)
        finally:
            desk.end()

    def _read(self) -> ClientRequest:
        length = self.headers.get("content-length", "0")
        raw = self.rfile.read(int(length) if length.isdecimal() else 0)
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = None
        headers = {name.lower(): value for name, value in self.headers.items()}
        path = self.path.partition("?")[0]
        return ClientRequest(self.command, path, headers, body if isinstance(body, dict) else {})

    def _choose(self, request: ClientRequest) -> FakeAnswer:
        if request.method == "GET" and request.path.endswith("/models"):
            return FakeAnswer(body=models(), note="models")
        kinds = ("/chat/completions", "/embeddings")
        if request.method != "POST" or not request.path.endswith(kinds):
            known = "POST /v1/chat/completions, POST /v1/embeddings and GET /v1/models"
            return refusal(404, f"the fake model knows {known}", "unknown_url")
        wanted = "messages" if request.path.endswith(kinds[0]) else "input"
        for name in ("model", wanted):
            if not request.body.get(name):
                return refusal(400, f"the request has no {name!r}", "missing_parameter", name)
        if wanted == "input":
            return FakeAnswer(body=self.server.desk.embed(request), note="embeddings")
        return self.server.desk.chat(request)

    def _answer(self, answer: FakeAnswer, request: ClientRequest) -> None:
        if not self._wait(answer.delay):
            return
        if answer.cut == "before":
            self._reset()
        elif answer.body is not None or answer.status != 200:
            self._send_as_is(answer)
        elif request.is_streamed:
            parts = (f"data: {each}\n\n" for each in events(answer, request.body))
            self._stream(answer, "text/event-stream", parts)
        elif answer.endless:
            self._stream(answer, _JSON, endless_whole(answer))
        elif answer.cut != "no":
            self._cut_whole(answer)
        else:
            self._send(200, _JSON, json.dumps(whole(answer, request.body)), answer.headers)

    def _send_as_is(self, answer: FakeAnswer) -> None:
        body = answer.body
        if body is None:
            body = {"error": {"message": f"scripted {answer.status}", "type": "scripted"}}
        text = body if isinstance(body, bytes | str) else json.dumps(body)
        start = text[:1]
        kind = "text/html; charset=utf-8" if start in ("<", b"<") else _JSON
        self._send(answer.status, kind, text, answer.headers)

    def _send(self, status: int, kind: str, body: bytes | str, headers: Mapping[str, str]) -> None:
        raw = body if isinstance(body, bytes) else body.encode()
        self._head(status, {"content-type": kind, "content-length": str(len(raw)), **headers})
        self.wfile.write(raw)

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _stream(self, answer: FakeAnswer, kind: str, parts: Iterable[str]) -> None:
        head = {"content-type": kind, "transfer-encoding": "chunked", **answer.headers}
        self._head(200, head)
        for count, part in enumerate(parts):
            if not self._wait(answer.pause if count >= answer.at_once else 0):
                return
            self._send_chunk(part.encode())
        if answer.cut in ("close", "reset"):
            self._break_off(answer)
        else:
            self._send_chunk(b"")

    def _cut_whole(self, answer: FakeAnswer) -> None:
        """Half a body. A clean cut of a body that has no length looks like its end."""
        half = HALF_AN_EVENT.replace("delta", "message").encode()
        if answer.cut == "json":
            self._send(200, _JSON, half, answer.headers)
            return
        length = {} if answer.cut == "clean" else {"content-length": "10000"}
        head = {"content-type": _JSON, "connection": "close", **length, **answer.headers}
        self._head(200, head)
        self.wfile.write(half)
        self.wfile.flush()
        self._break_off(answer)

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _break_off(self, answer: FakeAnswer) -> None:
        if answer.cut == "reset":
            time.sleep(0.05)  # a reset throws away what the client has not read yet
            self._reset()
        else:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def _reset(self) -> None:
        self.close_connection = True
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.connection.close()

    def _wait(self, seconds: float) -> bool:
        """Wait; False when the client has gone away or the server stops."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return True
            if self.server.desk.is_stopping(min(left, 0.02)) or self._client_is_gone():
                self.close_connection = True
                return False

    def _client_is_gone(self) -> bool:
        self.connection.setblocking(False)
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        finally:
            self.connection.setblocking(True)
