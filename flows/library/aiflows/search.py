"""The search tools of the FlowVerse: Wikipedia, and any LangChain tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import Field

from flows.core.destination import Destination, origin_of
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Service
from flows.core.run import Run
from flows.errors import ToolError
from flows.library.aiflows.cache import CallCache, cached
from flows.library.aiflows.keys import AiflowsKeys, UncachedKeys
from flows.library.blocks.search import LANG, inputs_of
from flows.tools.tool import Tool
from flows.tools.wikipedia import WikiSearch, address_of

_WIKI_KEYS = {"lang", "top_k_results", "doc_content_chars_max", "api_url"}


class WikiModuleConfig(AiflowsKeys, AtomicConfig):
    """The keys of a `WikiSearchAtomicFlow`."""

    lang: str = Field(default="en", pattern=LANG)
    top_k_results: int = Field(default=5, ge=1, le=50)
    doc_content_chars_max: int = Field(default=3000, ge=100)
    api_url: str | None = Field(
        default=None, pattern=r"^https?://", description="another MediaWiki's api.php"
    )
    input_interface: tuple[str, ...] = ("search_term",)
    output_interface: tuple[str, ...] = ("wiki_content",)


class WikiModuleInputs(Ports):
    search_term: str = Field(min_length=1, description="the term to look up")


class WikiModuleOutputs(Ports):
    """What was found, or why nothing was; `problem` says that the search failed."""

    wiki_content: str
    problem: str = ""


class WikiModuleFlow(AtomicFlow):
    """The text of the page for a term, or the titles that are like it. A network that is not there
    is told in its place, and does not end the run."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = WikiModuleConfig
    Inputs: ClassVar[type[Ports]] = WikiModuleInputs
    Outputs: ClassVar[type[Ports]] = WikiModuleOutputs

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends what is looked up. Errors: `ValueError` for a bad address."""
        address = address_of(values.get("api_url"), values.get("lang", "en"))
        return (Destination(origin_of(address)),)

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        given = config.model_dump(include=_WIKI_KEYS)
        self.wiki = WikiSearch(WikiSearch.Config.model_validate(given))
        self.cache = CallCache.of(type(self).__name__, config.model_dump())

    async def run(self, inputs: WikiModuleInputs, run: Run) -> WikiModuleOutputs:
        return await cached(
            self.cache, WikiModuleOutputs, {}, inputs.__dict__, run,
            lambda: self._search(inputs, run), keeps=lambda found: not found.problem,
        )  # fmt: skip

    async def _search(self, inputs: WikiModuleInputs, run: Run) -> WikiModuleOutputs:
        run.notice(f"{self.wiki.host} is asked: {inputs.search_term}")
        try:
            found = await self.wiki.search(inputs.search_term)
        except ToolError as error:
            text = f"{self.wiki.host} did not answer: {error}"
            return WikiModuleOutputs(wiki_content=text, problem=text)
        return WikiModuleOutputs(wiki_content=found.text)


class LangChainToolConfig(UncachedKeys, AtomicConfig):
    """The keys of an `LCToolFlow`."""

    backend: Service = Field(description="the tool")
    effect: Effect = Field(default="once", description="whether a call may be made again")
    input_interface: tuple[str, ...] | None = None
    output_interface: tuple[str, ...] = ("observation",)


class LangChainToolOutputs(Ports):
    """What the tool says, or why it could not; `problem` says that the call failed."""

    observation: str
    problem: str = ""


class LangChainToolFlow(AtomicFlow):
    """Calls a LangChain tool with its inputs, and returns what it says, or why it could not."""

    needs: ClassVar[Mapping[str, str]] = {"backend": "tool"}
    Config: ClassVar[type[FlowConfig]] = LangChainToolConfig
    Outputs: ClassVar[type[Ports]] = LangChainToolOutputs

    def __init__(self, config: Any, parts: Parts) -> None:
        super().__init__(config, parts)
        self.tool: Tool = parts.service("backend", Tool)  # type: ignore[type-abstract]
        self.effect = config.effect
        self.label = config.description or self.tool.description
        self.set_inputs(inputs_of(self.tool))

    async def run(self, inputs: Ports, run: Run) -> LangChainToolOutputs:
        given = inputs.model_dump(exclude_unset=True)
        run.notice(f"{self.tool.name} is asked: {given}")
        try:
            found = await self.tool.run(given)
        except ToolError as error:
            text = f"{self.tool.name} did not answer: {error}"
            return LangChainToolOutputs(observation=text, problem=text)
        return LangChainToolOutputs(observation=found.text)
