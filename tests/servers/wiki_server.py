"""A small wiki on loopback that speaks the part of the MediaWiki API that searches use.

with WikiServer({"Barley": Article("Barley is a cereal.")}) as wiki:
    WikiSearch(WikiSearch.Config(api_url=wiki.api_url))
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tests.servers.local_http import LocalHttp, Reply, Request


@dataclass(frozen=True)
class Article:
    """A page. One with `meanings` is a page of meanings, one with `redirect` leads to another."""

    text: str = ""
    meanings: tuple[str, ...] = ()
    redirect: str = ""


class WikiServer(LocalHttp):
    """`first` are replies that are given before the wiki works, one a request."""

    def __init__(self, articles: Mapping[str, Article], first: tuple[Reply, ...] = ()) -> None:
        super().__init__(self._reply)
        self.articles = articles
        self._first = list(first)

    @property
    def api_url(self) -> str:
        return f"{self.url}/w/api.php"

    def _reply(self, request: Request) -> Reply:
        if self._first:
            return self._first.pop(0)
        query = request.query
        if query.get("action") != "query" or query.get("formatversion") != "2":
            return Reply(json={"error": {"code": "badrequest", "info": "not understood"}})
        if query.get("list") == "search":
            return Reply(json={"batchcomplete": True, "query": self._search(query)})
        return Reply(json={"batchcomplete": True, "query": self._pages(query)})

    def _search(self, query: Mapping[str, str]) -> dict[str, Any]:
        words = set(query["srsearch"].lower().split())
        scored = [
            (len(words & set(f"{title} {article.text}".lower().split())), title)
            for title, article in self.articles.items()
        ]
        found = [title for score, title in sorted(scored, key=lambda each: -each[0]) if score]
        return {"search": [{"ns": 0, "title": title} for title in found[: int(query["srlimit"])]]}

    def _pages(self, query: Mapping[str, str]) -> dict[str, Any]:
        return {"pages": [self._page(title, query) for title in query["titles"].split("|")]}

    def _page(self, title: str, query: Mapping[str, str]) -> dict[str, Any]:
        title = title[:1].upper() + title[1:]
        article = self.articles.get(title)
        if article is not None and article.redirect and query.get("redirects"):
            title, article = article.redirect, self.articles[article.redirect]
        if article is None:
            return {"ns": 0, "title": title, "missing": True}
        page: dict[str, Any] = {"pageid": 1, "ns": 0, "title": title}
        if "extracts" in query["prop"]:
            page |= {"extract": article.text, "fullurl": f"https://wiki.test/{title}"}
            if article.meanings:
                page["pageprops"] = {"disambiguation": ""}
        if "links" in query["prop"]:
            page["links"] = [{"ns": 0, "title": each} for each in article.meanings]
        return page
