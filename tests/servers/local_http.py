"""A real HTTP server on a loopback port whose answers a test writes as a function.

with LocalHttp(lambda request: Reply(json={"ok": True})) as server:
    ... ask server.url ...
    assert server.requests[0].query["q"] == "word"
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit


@dataclass(frozen=True)
class Request:
    """What arrived. `query` holds the address's parameters and those of a form."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    """What is sent back: `json`, or `body` as it is, after `delay` seconds.

    `drip`: so many seconds between single bytes.
    """

    json: Any = None
    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0


class LocalHttp:
    def __init__(self, answer: Callable[[Request], Reply]) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    owner: LocalHttp
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is a part of many tests and no news."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def log_message(self, *args: Any) -> None:
        """Quiet."""

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        owner = self.server.owner
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        address = urlsplit(self.path)
        form = "urlencoded" in self.headers.get("content-type", "")
        pairs = parse_qsl(address.query) + (parse_qsl(body.decode()) if form else [])
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, address.path, dict(pairs), headers, body)
        owner.requests.append(request)
        self._send(owner.answer(request))

    def _send(self, reply: Reply) -> None:
        if self.server.owner.closing.wait(reply.delay) and reply.delay:
            return
        content = reply.body if reply.json is None else json.dumps(reply.json).encode()
        kind = "text/html; charset=utf-8" if reply.json is None else "application/json"
        self.send_response(reply.status)
        for name, value in {"Content-Type": kind, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not reply.drip:
            self.wfile.write(content)
            return
        for place in range(len(content)):
            if self.server.owner.closing.wait(reply.drip):
                return
            self.wfile.write(content[place : place + 1])
            self.wfile.flush()
