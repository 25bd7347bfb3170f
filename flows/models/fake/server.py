"""The fake model: a real HTTP server on loopback that speaks OpenAI's protocol.

    with FakeModel(Player(read_script(Path("script.yaml")))) as server:
        ... ask server.base_url (it ends in /v1) ...
        assert server.requests[0].body["model"] == "m"

Chat completions are streamed or not, as the request wants it. Embeddings are vectors made from
words. The one model in the list of models is called `fake`; a request may name any.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Self

from flows.models.fake.answer import ClientRequest, FakeAnswer, Json, Respond, echo, refusal
from flows.models.fake.embeddings import embeddings
from flows.models.fake.endpoints import EndpointName, refused_form
from flows.models.fake.handler import Http
from flows.models.fake.tools import refused_tools


class FakeModel:
    """The server; a context manager. Answers each connection in a thread of its own.

    A chat request takes the next answer of `script(...)`; when none is left, `otherwise(request)`
    makes one. `refused_parameters` are answered with status 400, and so are a form of reply that an
    endpoint of the kind `endpoint` does not take, and functions and results of calls that no
    endpoint takes. `requests` are those for chats and embeddings,
    `clients` their connections. `listen` hears every request with its answer. Errors: OSError when
    the port is in use.
    """

    def __init__(
        self,
        otherwise: Respond = echo,
        *,
        port: int = 0,
        endpoint: EndpointName = "openai",
        listen: Callable[[ClientRequest, FakeAnswer], None] | None = None,
    ) -> None:
        self.otherwise = otherwise
        self.endpoint = endpoint
        self.refused_parameters: set[str] = set()
        self.requests: list[ClientRequest] = []
        self.clients: set[str] = set()
        self.dimensions = 16
        self._listen = listen
        self._script: deque[FakeAnswer] = deque()
        self._lock = threading.Lock()
        self._busy = 0
        self._stopping = threading.Event()
        self._http = Http(self, port)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del kind, error, trace
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self._http.server_address[1]}"

    @property
    def base_url(self) -> str:
        return f"http://{self.host}/v1"

    def script(self, *answers: FakeAnswer) -> None:
        """The answers to the next chat requests, in order."""
        self._script.extend(answers)

    def clear(self) -> None:
        """Forget the answers that were not asked for, and the requests."""
        self._script.clear()
        self.requests.clear()

    def wait_idle(self, timeout: float = 5.0) -> None:
        """Wait until no request is being answered. Errors: TimeoutError after so many seconds."""
        end = time.monotonic() + timeout
        while self._busy:
            if time.monotonic() > end:
                raise TimeoutError(f"{self._busy} requests are still open")
            time.sleep(0.01)

    # What the connections ask of it, each from its own thread.

    def begin(self, client: str) -> None:
        with self._lock:
            self.clients.add(client)
            self._busy += 1

    def end(self) -> None:
        with self._lock:
            self._busy -= 1

    def chat(self, request: ClientRequest) -> FakeAnswer:
        with self._lock:
            self.requests.append(request)
            for name in sorted(self.refused_parameters & set(request.body)):
                return refusal(400, f"Unknown parameter: {name!r}", "unknown_parameter", name)
            for refused in (refused_form(self.endpoint, request), refused_tools(request)):
                if refused is not None:
                    return refused
            return self._script.popleft() if self._script else self.otherwise(request)

    def embed(self, request: ClientRequest) -> Json:
        with self._lock:
            self.requests.append(request)
        return embeddings(request.body, self.dimensions)

    def hear(self, request: ClientRequest, answer: FakeAnswer) -> None:
        if self._listen is not None:
            with self._lock:
                self._listen(request, answer)

    def is_stopping(self, seconds: float) -> bool:
        return self._stopping.wait(seconds)
