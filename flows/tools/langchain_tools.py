"""The LangChain tools that a config file can name."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from flows.core.command import CommandArgument
from flows.core.destination import Destination
from flows.errors import ConfigError, nearest
from flows.tools.langchain import Backend, Face

_DUCKDUCKGO = "duckduckgo"


class _Settings(BaseModel):
    """What makes a tool. `modules` are those that it imports when it is called first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    modules: ClassVar[tuple[str, ...]] = ("langchain_community",)


def _face(name: str, wrapped: str, use: str, argument: str) -> Face:
    """What the tool says of itself in LangChain, whose import takes a second."""
    told = f"A wrapper around {wrapped}. Useful for when you need to answer {use}. Input should be"
    query = CommandArgument(name="query", type="text", required=True, description=argument)
    return Face(name, f"{told} a search query.", (query,))


class _DuckDuckGo(_Settings):
    """`backend` names the search engines of ddgs, joined by commas, or `auto` for all of them.

    DuckDuckGo alone is asked unless you say otherwise: a query goes where the tool's name says.
    `time_limit`: pages of the last day, week, month or year only.
    """

    modules: ClassVar[tuple[str, ...]] = ("langchain_community", "ddgs")

    max_results: int = Field(default=5, ge=1, le=50)
    region: str = "wt-wt"
    safesearch: Literal["on", "moderate", "off"] = "moderate"
    time_limit: Literal["d", "w", "m", "y"] | None = None
    backend: str = Field(default=_DUCKDUCKGO, min_length=1)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where a query goes."""
        if values.get("backend", _DUCKDUCKGO) == _DUCKDUCKGO:
            return (Destination("https://duckduckgo.com"),)
        return (Destination(f"the search engines {values['backend']}"),)

    def _told(self, name: str, wrapped: str) -> Face:
        if self.backend != _DUCKDUCKGO:
            self._url()  # an engine that is not there is said before anything runs
        use = "questions about current events"
        return _face(name, wrapped, use, "search query to look up")

    def _wrapper(self) -> Any:
        with _sunset_unsaid():
            from langchain_community.utilities import DuckDuckGoSearchAPIWrapper
        return DuckDuckGoSearchAPIWrapper(
            region=self.region,
            safesearch=self.safesearch,
            time=self.time_limit,
            max_results=self.max_results,
            backend=self.backend,
        )

    def _backend_of(self, tool: Any) -> Backend:
        return Backend(
            tool,
            url=self._url(),
            says_nothing=_found_nothing,
            note_on_nothing="A search engine answers so, too, when it limits our rate.",
            repeatable=True,
        )

    def _url(self) -> str:
        from ddgs.engines import ENGINES

        engines: Mapping[str, Any] = ENGINES["text"]
        chosen = self.backend.split(",")[0].strip()
        if chosen in ("auto", "all"):
            chosen = _DUCKDUCKGO
        if chosen not in engines:
            raise ConfigError(
                f"{chosen!r} is no search engine of ddgs",
                path="backend",
                allowed=("auto", *sorted(engines)),
                meant=nearest(chosen, engines),
            )
        return str(engines[chosen].search_url)


class DuckDuckGoSearchRun(_DuckDuckGo):
    """The snippets of the results, one after the other."""

    @property
    def face(self) -> Face:
        return self._told("duckduckgo_search", "DuckDuckGo Search")

    def make(self) -> Backend:
        with _sunset_unsaid():
            from langchain_community.tools import DuckDuckGoSearchRun as SearchRun
        return self._backend_of(SearchRun(api_wrapper=self._wrapper()))


class DuckDuckGoSearchResults(_DuckDuckGo):
    """Title, address and snippet of each result, as JSON."""

    @property
    def face(self) -> Face:
        return self._told("duckduckgo_results_json", "Duck Duck Go Search")

    def make(self) -> Backend:
        with _sunset_unsaid():
            from langchain_community.tools import DuckDuckGoSearchResults as SearchResults
        return self._backend_of(
            SearchResults(
                api_wrapper=self._wrapper(), num_results=self.max_results, output_format="json"
            )
        )


class WikipediaQueryRun(_Settings):
    """Summaries by the `wikipedia` package, whose language is one for the whole process."""

    modules: ClassVar[tuple[str, ...]] = ("langchain_community", "wikipedia", "bs4")

    lang: str = Field(default="en", pattern=r"^[a-z]{2,12}(-[a-z]{2,12}){0,2}$")
    top_k_results: int = Field(default=3, ge=1, le=20)
    doc_content_chars_max: int = Field(default=4_000, ge=100)
    user_agent: str = Field(default="analyst-flows (Python; wikipedia)", min_length=1)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where a query goes."""
        return (Destination(f"https://{values.get('lang', 'en')}.wikipedia.org"),)

    @property
    def face(self) -> Face:
        use = (
            "general questions about people, places, companies, facts, historical events, "
            "or other subjects"
        )
        return _face("wikipedia", "Wikipedia", use, "query to look up on wikipedia")

    def make(self) -> Backend:
        with _sunset_unsaid():
            from langchain_community.tools import WikipediaQueryRun as QueryRun
            from langchain_community.utilities import WikipediaAPIWrapper
        import wikipedia
        from bs4 import GuessedAtParserWarning

        # The package lets bs4 guess its parser; nobody at a terminal can do anything about it.
        warnings.filterwarnings("ignore", category=GuessedAtParserWarning, module="wikipedia")
        wikipedia.set_user_agent(self.user_agent)
        wrapper = WikipediaAPIWrapper(
            wiki_client=wikipedia,
            lang=self.lang,
            top_k_results=self.top_k_results,
            doc_content_chars_max=self.doc_content_chars_max,
        )
        return Backend(
            QueryRun(api_wrapper=wrapper),
            url=f"http://{self.lang}.wikipedia.org",
            says_nothing=_found_nothing,
            repeatable=True,
        )


def _found_nothing(text: str) -> bool:
    return text.startswith(("No results found", "No good DuckDuckGo", "No good Wikipedia", "[]"))


def _sunset_unsaid() -> warnings.catch_warnings[None]:
    # langchain-community warns at import that it is no longer developed. That is news for us, who
    # have chosen it, and none for the person at the terminal.
    return warnings.catch_warnings(action="ignore", category=DeprecationWarning)
