"""The part of the MediaWiki API that a search needs: a page, similar titles, a page's links."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from flows.errors import ToolError
from flows.tools.text import plain

if TYPE_CHECKING:
    import httpx
    from tenacity import RetryCallState

_REPLY_BYTES = 8_000_000
_BUSY_STATUS = {429, 502, 503, 504}
_BUSY_CODES = {"ratelimited", "maxlag", "readonly"}


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Titled(_Part):
    title: str


class WikiPage(Titled):
    """`extract` is the text without markup; `pageprops` tells a page of meanings."""

    missing: bool = False
    invalid: bool = False
    extract: str = ""
    fullurl: str = ""
    pageprops: Mapping[str, object] = {}
    links: tuple[Titled, ...] = ()

    @property
    def is_disambiguation(self) -> bool:
        return "disambiguation" in self.pageprops


class _Query(_Part):
    pages: tuple[WikiPage, ...] = ()
    search: tuple[Titled, ...] = ()


class _Problem(_Part):
    code: str = ""
    info: str = ""


class _Reply(_Part):
    query: _Query = _Query()
    error: _Problem | None = None


class _Busy(Exception):
    """The wiki asks for patience; when that is at its end, it is a `ToolError`."""

    def __init__(self, problem: str, retry_after: float | None = None) -> None:
        self.retry_after = retry_after
        super().__init__(problem)


class MediaWiki:
    """One wiki over one HTTP client. Errors: ToolError; a busy wiki is asked again, with waits.

    `wait_max` bounds each wait in seconds, also one that the wiki asks for.
    """

    def __init__(
        self, client: httpx.AsyncClient, url: str, *, attempts: int, wait_max: float
    ) -> None:
        self._client = client
        self._url = url
        self._host = urlsplit(url).hostname or ""
        self._attempts = attempts
        self._wait_max = wait_max

    async def page(self, title: str) -> WikiPage | None:
        query = await self._ask(
            prop="extracts|pageprops|info",
            titles=title,
            redirects="1",
            converttitles="1",
            explaintext="1",
            ppprop="disambiguation",
            inprop="url",
        )
        return next((page for page in query.pages if not page.missing and not page.invalid), None)

    async def similar_titles(self, term: str, limit: int) -> list[str]:
        query = await self._ask(list="search", srsearch=term, srlimit=str(limit), srprop="")
        return [plain(found.title) for found in query.search]

    async def linked_titles(self, title: str) -> list[str]:
        query = await self._ask(prop="links", titles=title, plnamespace="0", pllimit="100")
        return [plain(link.title) for page in query.pages for link in page.links]

    async def _ask(self, **parameters: str) -> _Query:
        from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

        attempts = AsyncRetrying(
            stop=stop_after_attempt(self._attempts),
            wait=self._wait,
            retry=retry_if_exception_type(_Busy),
            reraise=True,
        )
        fixed = {"action": "query", "format": "json", "formatversion": "2"}
        try:
            return await attempts(self._request, {**fixed, **parameters})
        except _Busy as error:
            raise ToolError(str(error)) from error

    async def _request(self, parameters: Mapping[str, str]) -> _Query:
        async with self._client.stream("GET", self._url, params=parameters) as response:
            status = response.status_code
            if status in _BUSY_STATUS:
                raise _Busy(
                    f"{self._host} is busy or limits our rate (HTTP {status})",
                    _seconds(response.headers.get("retry-after")),
                )
            if status != 200:
                raise ToolError(f"{self._host} refused the request (HTTP {status})")
            body = bytearray()
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) > _REPLY_BYTES:
                    raise ToolError(f"{self._host} sent more than {_REPLY_BYTES:,} bytes")
        return self._query_of(bytes(body))

    def _query_of(self, body: bytes) -> _Query:
        try:
            reply = _Reply.model_validate_json(body)
        except ValidationError as error:
            raise ToolError(f"{self._host} did not answer as a wiki does") from error
        if reply.error is None:
            return reply.query
        problem = f"{self._host}: {plain(reply.error.info or reply.error.code)[:300]}"
        raise _Busy(problem) if reply.error.code in _BUSY_CODES else ToolError(problem)

    def _wait(self, state: RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        asked = error.retry_after if isinstance(error, _Busy) else None
        usual = 2.0 ** (state.attempt_number - 1)
        return min(usual if asked is None else asked, self._wait_max)


def _seconds(header: str | None) -> float | None:
    try:
        seconds = float(header or "")
    except ValueError:
        return None  # Absent, or a date, which wikis do not send; the usual wait will do.
    return seconds if 0 <= seconds < math.inf else None
