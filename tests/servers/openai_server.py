"""A real HTTP server on loopback that speaks OpenAI's chat completions and embeddings.

    with OpenAIServer() as server:
        server.script(Answer("first"), Answer(status=503), Answer("third", finish="length"))
        ... ask server.base_url (it ends in /v1) ...
        assert server.requests[0].body["model"] == "m"

- Each chat request takes the next scripted `Answer`; when none is left, `server.otherwise(request)`
  makes one, which is an echo of the last user message unless you set it.
- A request with `"stream": true` is answered with server-sent events, otherwise with one object.
- `server.refused_parameters = {"response_format"}` answers 400 to requests that carry one of them.
- `/v1/embeddings` gives unit vectors of `server.dimensions` made from the words of each input.
- `server.requests` records path, headers (lower case) and body, `server.clients` the connections;
  `server.wait_idle()` waits until no request is being answered any more, which fails when a client
  left a connection hanging.

`Answer` describes what goes wrong, too: see its fields.
"""

from __future__ import annotations

import hashlib
import json
import math
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal

Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """How one chat request is answered. Times are seconds."""

    text: str = "hello"
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (11, 7)
    """Prompt and completion tokens; None leaves the usage out."""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | str | Json | None = None
    """Sent as it is, instead of a completion."""
    delay: float = 0.0
    """Before the first byte."""
    pause: float = 0.0
    """Before each piece of a stream."""
    at_once: int = 0
    """Events of a stream that come without the pause; the first one has no text."""
    piece: int = 4
    """Characters in a piece of a stream."""
    cut: Literal["no", "clean", "close", "reset"] = "no"
    """After the pieces: end the answer without finish reason and end marker, close the connection
    inside the answer, or reset it."""
    stream_error: Any = None
    """After the pieces: an error object in the stream."""
    end_marker: bool = True
    endless: bool = False
    """Repeats the pieces for ever."""
    choices: bool = True
    message: Json | None = None
    """The message (or the delta) as it is, instead of the text."""


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    path: str
    headers: Mapping[str, str]
    body: Json


def echo(request: Request) -> Answer:
    """The last user message, or a JSON object with it when JSON mode is on."""
    said = [each["content"] for each in request.body["messages"] if each["role"] == "user"]
    last = said[-1] if said else ""
    if "response_format" in request.body:
        return Answer(json.dumps({"echo": last}))
    return Answer(last)


class OpenAIServer:
    """The server; a context manager. Answers each connection in a thread of its own."""

    def __init__(self, otherwise: Callable[[Request], Answer] = echo) -> None:
        self.otherwise = otherwise
        self.refused_parameters: set[str] = set()
        self.requests: list[Request] = []
        self.clients: set[str] = set()
        self.dimensions = 16
        self.stopping = threading.Event()
        self._script: deque[Answer] = deque()
        self._lock = threading.Lock()
        self._busy = 0
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._http.server_address[1]}"

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/v1"

    def script(self, *answers: Answer) -> None:
        """The answers to the next chat requests, in order."""
        self._script.extend(answers)

    def wait_idle(self, timeout: float = 5.0) -> None:
        """Errors: AssertionError when a request is still being answered after `timeout`."""
        end = time.monotonic() + timeout
        while self._busy:
            assert time.monotonic() < end, f"{self._busy} requests are still open"
            time.sleep(0.01)

    def take(self, request: Request) -> Answer:
        with self._lock:
            self.requests.append(request)
            refused = sorted(self.refused_parameters & set(request.body))
            if refused:
                problem = {"message": f"Unknown parameter: {refused[0]!r}", "param": refused[0]}
                return Answer(status=400, body={"error": problem})
            if self._script and "messages" in request.body:
                return self._script.popleft()
        return self.otherwise(request)

    def count(self, change: int) -> None:
        with self._lock:
            self._busy += change


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, owner: OpenAIServer) -> None:
        self.owner = owner
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news here; anything else is a fault of this file."""
        import sys

        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Http

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the parent's name
        return

    def do_POST(self) -> None:
        owner = self.server.owner
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        body = json.loads(raw) if raw[:1] == b"{" else {}
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        owner.clients.add("{}:{}".format(*self.client_address))
        owner.count(1)
        try:
            if self.path.endswith("/embeddings"):
                owner.requests.append(request)
                self._send_body(200, "application/json", _embeddings(body, owner.dimensions))
            else:
                self._answer(owner.take(request), request)
        finally:
            owner.count(-1)

    def _answer(self, answer: Answer, request: Request) -> None:
        if not self._wait(answer.delay):
            return
        streamed = bool(request.body.get("stream"))
        if answer.body is not None or answer.status != 200:
            self._send_as_is(answer)
        elif streamed:
            self._stream(answer, request)
        elif answer.cut != "no":
            self._cut_whole(answer)
        else:
            self._send_body(200, "application/json", _whole(answer, request), answer.headers)

    def _send_as_is(self, answer: Answer) -> None:
        body = answer.body
        if body is None:
            body = {"error": {"message": f"scripted {answer.status}", "type": "scripted"}}
        if isinstance(body, dict):
            self._send_body(answer.status, "application/json", body, answer.headers)
            return
        raw = body.encode() if isinstance(body, str) else body
        kind = "text/html" if raw[:1] == b"<" else "application/json"
        self._send_body(answer.status, kind, raw, answer.headers)

    def _send_body(
        self, status: int, kind: str, body: Json | bytes, headers: Mapping[str, str] | None = None
    ) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": kind, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def _stream(self, answer: Answer, request: Request) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for count, event in enumerate(_events(answer, request)):
            if not self._wait(answer.pause if count >= answer.at_once else 0):
                return
            self._send_chunk(f"data: {event}\n\n".encode())
        if answer.cut in ("close", "reset"):
            self._break_off(answer.cut)
        else:
            self._send_chunk(b"")

    def _cut_whole(self, answer: Answer) -> None:
        """Half a body. A clean cut of a body that has no length looks like its end."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        if answer.cut != "clean":
            self.send_header("content-length", "10000")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(b'{"id": "x", "choices": [{"index": 0, "message": {"content": "ha')
        self.wfile.flush()
        self._break_off(answer.cut)

    def _send_chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _break_off(self, cut: str) -> None:
        self.close_connection = True
        if cut == "reset":
            time.sleep(0.05)  # a reset throws away what the client has not read yet
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        else:
            self.connection.shutdown(socket.SHUT_RDWR)

    def _wait(self, seconds: float) -> bool:
        """Wait; False when the client has gone away or the server stops."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if left <= 0:
                return True
            if self.server.owner.stopping.wait(min(left, 0.02)) or self._client_is_gone():
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


def _pieces(answer: Answer) -> Iterator[str]:
    while True:
        for start in range(0, len(answer.text), answer.piece):
            yield answer.text[start : start + answer.piece]
        if not answer.endless:
            return


def _events(answer: Answer, request: Request) -> Iterator[str]:
    def chunk(choices: list[Json], **more: Any) -> str:
        head = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1}
        return json.dumps({**head, "model": request.body["model"], "choices": choices, **more})

    def choice(delta: Json, finish: str | None = None) -> list[Json]:
        return [{"index": 0, "delta": delta, "finish_reason": finish}]

    if answer.choices:
        yield chunk(choice({"role": "assistant", "content": ""}))
        if answer.message is not None:
            yield chunk(choice(answer.message))
        else:
            for piece in _pieces(answer):
                yield chunk(choice({"content": piece}))
    if answer.stream_error is not None:
        yield json.dumps({"error": answer.stream_error})
    if answer.cut != "no":
        return
    if answer.choices and answer.finish is not None:
        yield chunk(choice({}, answer.finish))
    wanted = (request.body.get("stream_options") or {}).get("include_usage")
    if answer.usage is not None and wanted:
        yield chunk([], usage=_usage(answer.usage))
    if answer.end_marker:
        yield "[DONE]"


def _whole(answer: Answer, request: Request) -> Json:
    message = answer.message or {"role": "assistant", "content": answer.text}
    choice = {"index": 0, "message": message, "finish_reason": answer.finish}
    whole: Json = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": request.body["model"],
        "choices": [choice] if answer.choices else [],
    }
    if answer.usage is not None:
        whole["usage"] = _usage(answer.usage)
    return whole


def _usage(tokens: tuple[int, int]) -> Json:
    prompt, completion = tokens
    total = prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}


def _embeddings(body: Json, dimensions: int) -> Json:
    given = body["input"]
    texts = [given] if isinstance(given, str) else list(given)
    data = [
        {"object": "embedding", "index": index, "embedding": _vector(text, dimensions)}
        for index, text in enumerate(texts)
    ]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    return {"object": "list", "model": body["model"], "data": data, "usage": usage}


def _vector(text: str, dimensions: int) -> list[float]:
    vector = [0.0] * dimensions
    for word in str(text).casefold().split():
        digest = hashlib.sha256(word.encode()).digest()
        vector[digest[0] % dimensions] += 1.0
    length = math.sqrt(sum(each * each for each in vector)) or 1.0
    return [each / length for each in vector]
