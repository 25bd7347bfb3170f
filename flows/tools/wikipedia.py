"""Wikipedia, or any other wiki that runs MediaWiki.

It speaks the MediaWiki API itself. The `wikipedia` package cannot be given a time limit, keeps the
address, the language and an unbounded cache in globals of its module, and reads the body of a 429
as JSON; it is reachable as the LangChain tool `wikipedia_query_run` for those who want it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from flows.core.command import CommandArgument
from flows.core.observation import Observation
from flows.errors import ToolError
from flows.tools.mediawiki import MediaWiki, WikiPage
from flows.tools.network import check_reachable, network_reason
from flows.tools.recent_searches import RecentObservations
from flows.tools.text import cap, plain
from flows.tools.tool import check_arguments

_TERM_CHARS = 300
_NOT_IN_TITLES = set("#<>[]|{}\n")


def address_of(api_url: str | None, lang: str) -> str:
    """The api.php that is asked: the one that is named, or Wikipedia's in that language."""
    return api_url or f"https://{lang}.wikipedia.org/w/api.php"


class WikiSearch:
    """The page of a term; similar titles when there is none; the meanings when there are several.

    Content is `ok`; titles and meanings, which want another call with one of them, are `empty`.
    Errors: ToolError with the reason, after `connect_timeout_s` when there is no network and after
    `timeout_s` in any case.
    """

    class Config(BaseModel):
        """`api_url` replaces Wikipedia's own address, which follows from `lang`.

        Wikimedia asks for a way to reach you in `user_agent`.
        """

        model_config = ConfigDict(frozen=True, extra="forbid")

        lang: str = Field(default="en", pattern=r"^[a-z]{2,12}(-[a-z]{2,12}){0,2}$")
        top_k_results: int = Field(default=5, ge=1, le=50)
        doc_content_chars_max: int = Field(default=4_000, ge=100)
        api_url: str | None = Field(default=None, pattern=r"^https?://")
        user_agent: str = Field(default="analyst-flows (Python; httpx)", min_length=1)
        connect_timeout_s: float = Field(default=3.0, gt=0, allow_inf_nan=False)
        timeout_s: float = Field(default=15.0, gt=0, allow_inf_nan=False)
        attempts: int = Field(default=3, ge=1, le=10)
        wait_max: float = Field(default=5.0, ge=0, le=60, allow_inf_nan=False)
        cache_size: int = Field(default=128, ge=0)
        cache_s: float = Field(default=3_600.0, ge=0, allow_inf_nan=False)

    name = "wiki_search"
    description = "Looks a term up in Wikipedia: its page, or similar titles when there is none."
    arguments = (
        CommandArgument(
            name="search_term",
            type="text",
            required=True,
            description="the title of a page, or words to find one by",
        ),
    )

    def __init__(self, config: WikiSearch.Config | None = None) -> None:
        self._config = config or WikiSearch.Config()
        self._url = address_of(self._config.api_url, self._config.lang)
        self.host = urlsplit(self._url).hostname or ""
        self._recent = RecentObservations(self._config.cache_size, self._config.cache_s)

    async def run(self, args: Mapping[str, Any]) -> Observation:
        check_arguments(self.name, self.arguments, args)
        return await self.search(str(args["search_term"]))

    async def search(self, search_term: str) -> Observation:
        term = " ".join(plain(search_term).split())[:_TERM_CHARS]
        if not term:
            raise ToolError(f"{self.name} needs a search_term that says something")
        known = self._recent.get(term)
        if known is None:
            known = await self._search(term)
            self._recent.keep(term, known)
        return known

    async def _search(self, term: str) -> Observation:
        import httpx

        await check_reachable(self._url, self._config.connect_timeout_s)
        limits = httpx.Timeout(self._config.timeout_s, connect=self._config.connect_timeout_s)
        headers = {"User-Agent": self._config.user_agent}
        try:
            async with (
                asyncio.timeout(self._config.timeout_s),
                httpx.AsyncClient(timeout=limits, headers=headers) as client,
            ):
                wiki = MediaWiki(
                    client,
                    self._url,
                    attempts=self._config.attempts,
                    wait_max=self._config.wait_max,
                )
                return await self._look_up(wiki, term)
        except TimeoutError as error:
            raise ToolError(
                f"{self.host} did not answer within {self._config.timeout_s:g} s"
            ) from error
        except httpx.HTTPError as error:
            reason = network_reason(error, self.host)
            raise ToolError(reason or f"{self.host}: {type(error).__name__}: {error}") from error

    async def _look_up(self, wiki: MediaWiki, term: str) -> Observation:
        page = None if _NOT_IN_TITLES & set(term) else await wiki.page(term)
        titles: list[str] = []
        if page is None:
            titles = await wiki.similar_titles(term, self._config.top_k_results)
            same = [title for title in titles if title.casefold() == term.casefold()]
            page = await wiki.page(same[0]) if same else None
        if page is not None:
            return await self._describe(wiki, page)
        if titles:
            text = f"No page is called {term!r}. Similar titles: {'; '.join(titles)}"
            return Observation(kind="empty", text=text)
        return Observation(kind="empty", text=f"Nothing is found for {term!r}.")

    async def _describe(self, wiki: MediaWiki, page: WikiPage) -> Observation:
        limit = self._config.doc_content_chars_max
        title, address, content = plain(page.title), plain(page.fullurl), plain(page.extract)
        if page.is_disambiguation:
            options = "; ".join(await wiki.linked_titles(page.title))
            text = f"{title!r} has several meanings; ask for one of: {options}"
            return Observation(kind="empty", text=cap(text, limit))
        if not content:
            return Observation(kind="empty", text=f"The page {title!r} has no text. {address}")
        lines = (title, address, cap(content, limit))
        return Observation(kind="ok", text="\n".join(lines))
