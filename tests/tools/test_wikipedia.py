from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError

from flows.core.observation import Observation
from flows.errors import ToolError
from flows.tools.tool import Tool
from flows.tools.wikipedia import WikiSearch
from tests.contracts.tool import ToolContract
from tests.servers.local_http import LocalHttp, Reply
from tests.servers.wiki_server import Article, WikiServer

ARTICLES = {
    "Barley": Article("Barley is a cereal.\n\n== Use ==\nIt is malted \x1b[31mfor beer\x1b[0m."),
    "Hordeum": Article(redirect="Barley"),
    "Mercury": Article("Mercury may mean:", meanings=("Mercury (element)", "Mercury (planet)")),
    "Mercury (planet)": Article("The planet nearest to the sun."),
    "List of cereals": Article("barley rye oats " * 1_000),
    "Empty page": Article(""),
    "C|D": Article("A page whose name cannot be asked for."),
}


def search(wiki: WikiServer, term: str, **config: Any) -> Observation:
    return asyncio.run(
        WikiSearch(WikiSearch.Config(api_url=wiki.api_url, wait_max=0.02, **config)).search(term)
    )


@pytest.fixture(name="wiki")
def _wiki() -> Iterator[WikiServer]:
    with WikiServer(ARTICLES) as wiki:
        yield wiki


class TestWikiSearch(ToolContract):
    good: ClassVar = {"search_term": "Barley"}
    fruitless: ClassVar = {"search_term": "zyzzyva"}

    @contextmanager
    def open(self) -> Iterator[Tool]:
        with WikiServer(ARTICLES) as wiki:
            yield WikiSearch(WikiSearch.Config(api_url=wiki.api_url))


def test_a_term_gives_its_page_with_its_address(wiki: WikiServer) -> None:
    found = search(wiki, "barley")
    assert found.kind == "ok"
    assert found.text == (
        "Barley\nhttps://wiki.test/Barley\nBarley is a cereal.\n\n== Use ==\nIt is malted for beer."
    )
    assert wiki.requests[0].headers["user-agent"] == "analyst-flows (Python; httpx)"


def test_a_redirect_is_followed(wiki: WikiServer) -> None:
    assert search(wiki, "Hordeum").text.startswith("Barley\n")


def test_a_title_in_other_letters_is_found_by_the_search(wiki: WikiServer) -> None:
    assert search(wiki, "LIST OF CEREALS").text.startswith("List of cereals\n")


def test_without_a_page_there_are_similar_titles(wiki: WikiServer) -> None:
    found = search(wiki, "the nearest planet", top_k_results=2)
    assert found.kind == "empty"
    assert "No page is called 'the nearest planet'" in found.text
    assert "Mercury (planet)" in found.text
    assert wiki.requests[-1].query["srlimit"] == "2"


def test_a_page_of_meanings_gives_them(wiki: WikiServer) -> None:
    found = search(wiki, "Mercury")
    assert found.kind == "empty"
    assert "ask for one of: Mercury (element); Mercury (planet)" in found.text


def test_a_page_without_text_is_empty(wiki: WikiServer) -> None:
    assert search(wiki, "Empty page").kind == "empty"


def test_content_is_cut_at_the_limit_and_says_so(wiki: WikiServer) -> None:
    found = search(wiki, "List of cereals", doc_content_chars_max=200)
    assert found.text.endswith("\n[cut: the first 200 of 15,999 characters]")
    assert len(found.text) < 350


def test_a_term_that_no_title_can_be_is_only_searched_for(wiki: WikiServer) -> None:
    assert "C|D" in search(wiki, "page whose|name").text
    assert [each.query.get("list") for each in wiki.requests] == ["search"]


@pytest.mark.parametrize("term", ["", "  ", "\x00\x1b[0m"])
def test_a_term_that_says_nothing_is_refused(wiki: WikiServer, term: str) -> None:
    with pytest.raises(ToolError, match="search_term"):
        search(wiki, term)
    assert wiki.requests == []


def test_the_same_question_is_asked_once(wiki: WikiServer) -> None:
    async def twice(size: int) -> None:
        tool = WikiSearch(WikiSearch.Config(api_url=wiki.api_url, cache_size=size))
        assert await tool.search("Barley") == await tool.search(" Barley ")

    asyncio.run(twice(10))
    assert len(wiki.requests) == 1
    asyncio.run(twice(0))
    assert len(wiki.requests) == 3


@pytest.mark.parametrize(
    "busy",
    [
        Reply(status=429, headers={"Retry-After": "0"}),
        Reply(status=429, headers={"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
        Reply(status=503, body=b"<html>"),
        Reply(json={"error": {"code": "maxlag", "info": "waiting"}}),
    ],
)
def test_a_busy_wiki_is_asked_again(busy: Reply) -> None:
    with WikiServer(ARTICLES, first=(busy, busy)) as wiki:
        assert search(wiki, "Barley").kind == "ok"
        assert len(wiki.requests) == 3


def test_a_long_wait_that_the_wiki_asks_for_is_cut_short() -> None:
    slow = Reply(status=429, headers={"Retry-After": "3600"})
    with WikiServer(ARTICLES, first=(slow,) * 3) as wiki:
        began = time.monotonic()
        with pytest.raises(ToolError, match=r"limits our rate \(HTTP 429\)"):
            search(wiki, "Barley")
        assert time.monotonic() - began < 2


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (Reply(status=403), r"refused the request \(HTTP 403\)"),
        (Reply(status=302, headers={"Location": "http://127.0.0.1:9/"}), "HTTP 302"),
        (Reply(body=b"<html>hello</html>"), "not answer as a wiki does"),
        (Reply(json=["a"]), "not answer as a wiki does"),
        (Reply(json={"query": {"pages": [{"title": 3}]}}), "not answer as a wiki does"),
        (Reply(json={"error": {"code": "x", "info": "no such\x1b[0m action"}}), "no such action"),
        (Reply(json={"query": {"pages": ["x" * 9_000_000]}}), "more than 8,000,000 bytes"),
    ],
)
def test_a_reply_that_does_not_fit_is_an_error_with_its_reason(reply: Reply, said: str) -> None:
    with LocalHttp(lambda _: reply) as server, pytest.raises(ToolError, match=said):
        asyncio.run(WikiSearch(WikiSearch.Config(api_url=server.url)).search("Barley"))


@pytest.mark.parametrize("slow", [Reply(delay=30), Reply(json={"query": {}}, drip=0.3)])
def test_a_wiki_that_does_not_answer_ends_at_the_limit(slow: Reply) -> None:
    with LocalHttp(lambda _: slow) as server:
        tool = WikiSearch(WikiSearch.Config(api_url=server.url, timeout_s=0.5))
        began = time.monotonic()
        with pytest.raises(ToolError, match=r"within 0\.5 s|in time"):
            asyncio.run(tool.search("Barley"))
        assert time.monotonic() - began < 3


def test_no_network_is_said_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    config = WikiSearch.Config(api_url="https://wiki.invalid/w/api.php")
    began = time.monotonic()
    with pytest.raises(ToolError, match=r"wiki\.invalid is not found: there is no network here"):
        asyncio.run(WikiSearch(config).search("Barley"))
    assert time.monotonic() - began < 3.5


def test_nobody_there_is_said_at_once() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(ToolError, match=r"127\.0\.0\.1 refuses the connection"):
        asyncio.run(WikiSearch(WikiSearch.Config(api_url=url)).search("Barley"))


@pytest.mark.parametrize(
    "config",
    [
        {"lang": "en.evil.test/"},
        {"lang": ""},
        {"api_url": "file:///etc/passwd"},
        {"top_k_results": 0},
        {"depth": 3},
    ],
)
def test_a_config_that_makes_no_sense_is_refused(config: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WikiSearch.Config(**config)
