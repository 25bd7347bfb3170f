"""A client that takes nothing of its answer is cut off; one that is slow is not."""

from __future__ import annotations

import socket
import threading
import time

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from flows.web.server import listening
from flows.web.server.listening import BoundedProtocol, ListenAddress

LARGE = b"x" * 30_000_000


async def answer(request: Request) -> Response:
    del request
    return Response(LARGE)


def read(port: int, pause: float, pieces: int) -> int:
    """Read an answer with pauses between pieces, then to its end: how many bytes came."""
    with socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        client.connect(("127.0.0.1", port))
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        count = 0
        try:
            for _ in range(pieces):
                time.sleep(pause)
                count += len(client.recv(4_000_000))
            while piece := client.recv(4_000_000):
                count += len(piece)
        except ConnectionError:
            return count
    return count


def test_a_client_that_takes_nothing_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "TAKE_SECONDS", 0.5)
    config = uvicorn.Config(
        Starlette(routes=[Route("/", answer)]), http=BoundedProtocol, ws="none", lifespan="off",
        log_config=None,
    )  # fmt: skip
    server = uvicorn.Server(config)
    with ListenAddress(port=0).bind() as bound:
        port = bound.getsockname()[1]
        thread = threading.Thread(target=server.run, args=([bound],))
        thread.start()
        slow = read(port, 0.12, 10)
        stuck = read(port, 1.2, 1)
        server.should_exit = True
        thread.join()
    assert slow > len(LARGE)
    assert stuck < len(LARGE)
