from __future__ import annotations

import asyncio
import json
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from flows.core.memory import Memory
from flows.errors import RecallError
from flows.memory.chroma import ChromaMemory
from flows.memory.endpoint import EndpointEmbedder
from flows.memory.lexical import LexicalEmbedder
from tests.contracts.memory_store import MemoryContract, ids
from tests.servers.local_http import LocalHttp, Reply, Request

LEXICAL = LexicalEmbedder(LexicalEmbedder.Config(dimension=512))


def rows(vectors: Sequence[Sequence[float]]) -> Reply:
    data: list[dict[str, Any]] = [
        {"object": "embedding", "index": index, "embedding": vector}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    # The order of the rows is the index's matter, so the server turns it around.
    return Reply(json={"object": "list", "model": "m", "data": data[::-1], "usage": usage})


def speak(request: Request) -> Reply:
    return rows(asyncio.run(LEXICAL.embed(json.loads(request.body)["input"])))


def failing(*replies: Reply) -> Callable[[Request], Reply]:
    left = list(replies)
    return lambda request: left.pop(0) if left else speak(request)


def refused(status: int, code: str = "", **headers: str) -> Reply:
    error = {"message": "no, because", "type": "x", "code": code}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(json={"error": error}, status=status, headers=named)


def config(url: str, **more: Any) -> EndpointEmbedder.Config:
    return EndpointEmbedder.Config(model="m", base_url=f"{url}/v1", wait_max=0.05, **more)


def embed(embedder: EndpointEmbedder, *texts: str) -> list[list[float]]:
    async def work() -> list[list[float]]:
        try:
            return await embedder.embed(texts)
        finally:
            await embedder.aclose()

    return asyncio.run(work())


class TestChromaMemoryOverEndpoint(MemoryContract):
    @pytest.fixture(autouse=True)
    def _server(self) -> Any:
        with LocalHttp(speak) as server:
            self.url = server.url
            yield

    def open(self, folder: Path, collection: str) -> Memory:
        embedder = EndpointEmbedder(config(self.url))
        return ChromaMemory(ChromaMemory.Config(collection=collection, folder=folder), embedder)


def test_vectors_come_in_the_order_of_the_texts_over_batches() -> None:
    texts = [f"text {number}" for number in range(7)]
    with LocalHttp(speak) as server:
        embedder = EndpointEmbedder(config(server.url, batch_size=3))
        assert embed(embedder, *texts) == asyncio.run(LEXICAL.embed(texts))
        assert [len(json.loads(each.body)["input"]) for each in server.requests] == [3, 3, 1]
    assert embedder.name == "endpoint:m"
    assert embedder.dimension == 512


def test_the_dimension_is_unknown_before_the_first_reply() -> None:
    embedder = EndpointEmbedder(config("http://127.0.0.1:9"))
    with pytest.raises(RecallError, match="after its first reply"):
        _ = embedder.dimension
    assert EndpointEmbedder(config("http://127.0.0.1:9", dimension=5)).dimension == 5


def test_one_embedder_serves_several_event_loops() -> None:
    with LocalHttp(speak) as server:
        embedder = EndpointEmbedder(config(server.url))
        assert embed(embedder, "one") == embed(embedder, "one")


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(status: int) -> None:
    with LocalHttp(failing(refused(status), refused(status, retry_after="0"))) as server:
        assert len(embed(EndpointEmbedder(config(server.url)), "text")) == 1
        assert len(server.requests) == 3


def test_attempts_end() -> None:
    with LocalHttp(lambda _: refused(503)) as server:
        with pytest.raises(RecallError, match=r"HTTP 503: .*no, because"):
            embed(EndpointEmbedder(config(server.url, attempts=2)), "text")
        assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "code"), [(400, ""), (401, ""), (404, ""), (429, "insufficient_quota")]
)
def test_what_stays_wrong_is_asked_once(status: int, code: str) -> None:
    with LocalHttp(lambda _: refused(status, code)) as server:
        with pytest.raises(RecallError, match=f"HTTP {status}"):
            embed(EndpointEmbedder(config(server.url)), "text")
        assert len(server.requests) == 1


def test_nobody_there_is_said_with_the_address() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(RecallError, match=rf"{url}/v1 \(m\): no connection"):
        embed(EndpointEmbedder(config(url, attempts=2)), "text")


@pytest.mark.parametrize("slow", [Reply(delay=30), Reply(json={"data": "x" * 99}, drip=0.2)])
def test_silence_and_a_slow_drip_end_at_the_time_limit(slow: Reply) -> None:
    with LocalHttp(lambda _: slow) as server:
        began = time.monotonic()
        with pytest.raises(RecallError, match=r"0\.4 s|timed out"):
            embed(EndpointEmbedder(config(server.url, timeout_s=0.4, attempts=1)), "text")
        assert time.monotonic() - began < 3


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (rows([]), "0 vectors for 1 texts"),
        (rows([[1.0], [2.0]]), "2 vectors for 1 texts"),
        (rows([[]]), "empty or not finite"),
        (Reply(json={"object": "list", "data": None}), "vectors for 1 texts"),
        (rows(["abc", {}]), "2 vectors"),  # type: ignore[list-item]  # a server's mistake
        (rows([["a"]]), "empty or not finite"),  # type: ignore[list-item]  # the same
        (Reply(json={"error": "no such path"}), "0 vectors for 1 texts"),
        (Reply(body=b"<html>not an api</html>"), "0 vectors for 1 texts"),
    ],
)
def test_a_reply_that_does_not_fit_is_an_error(reply: Reply, said: str) -> None:
    with LocalHttp(lambda _: reply) as server, pytest.raises(RecallError, match=said):
        embed(EndpointEmbedder(config(server.url)), "text")


def test_a_change_of_dimension_is_an_error() -> None:
    with LocalHttp(speak) as server, pytest.raises(RecallError, match=r"512 numbers .* not 64"):
        embed(EndpointEmbedder(config(server.url, dimension=64)), "text")


def test_the_dimension_is_asked_for_only_with_shorten() -> None:
    with LocalHttp(speak) as server:
        embed(EndpointEmbedder(config(server.url, dimension=512)), "text")
        embed(EndpointEmbedder(config(server.url, dimension=512, shorten=True)), "text")
        plain, short = (json.loads(each.body) for each in server.requests)
    assert "dimensions" not in plain
    assert short["dimensions"] == 512
    with pytest.raises(RecallError, match="needs the dimension"):
        EndpointEmbedder(config("http://127.0.0.1:9", shorten=True))


def test_keys_go_only_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-the-environment")
    with LocalHttp(speak) as server:
        embed(EndpointEmbedder(config(server.url)), "text")
        embed(EndpointEmbedder(config(server.url, api_key=SecretStr("own-key"))), "text")
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        embed(EndpointEmbedder(EndpointEmbedder.Config(model="m")), "text")
        sent = [each.headers["authorization"] for each in server.requests]
    assert sent == ["Bearer none", "Bearer own-key", "Bearer key-of-the-environment"]


def test_no_key_at_all_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(RecallError, match="OPENAI_API_KEY"):
        embed(EndpointEmbedder(EndpointEmbedder.Config(model="m")), "text")


def test_long_texts_are_embedded_by_their_beginning() -> None:
    with LocalHttp(speak) as server:
        embed(EndpointEmbedder(config(server.url, max_text_chars=100)), "x" * 500)
        assert json.loads(server.requests[0].body)["input"] == ["x" * 100]


def test_a_memory_of_another_embedder_is_refused(tmp_path: Path) -> None:
    async def work(url: str) -> None:
        lexical = ChromaMemory(ChromaMemory.Config(folder=tmp_path), LEXICAL)
        await lexical.write(["a"], ["barley"], {})
        other = ChromaMemory(ChromaMemory.Config(folder=tmp_path), EndpointEmbedder(config(url)))
        with pytest.raises(RecallError, match=r"lexical-1 \(512 numbers\).*endpoint:m"):
            await other.read("barley", 1)
        assert ids(await lexical.read("barley", 1)) == ["a"]
        await other.aclose()
        await lexical.aclose()

    with LocalHttp(speak) as server:
        asyncio.run(work(server.url))
