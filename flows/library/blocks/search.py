"""Looking things up outside: Wikipedia, and any LangChain tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal
from warnings import catch_warnings, filterwarnings

from pydantic import Field, create_model

from flows.core.destination import Destination, origin_of
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports, Service
from flows.core.observation import Observation
from flows.core.run import Run
from flows.tools.tool import Tool
from flows.tools.wikipedia import WikiSearch, address_of

LANG: Final = r"^[a-z]{2,12}(-[a-z]{2,12}){0,2}$"
_WIKI_KEYS: Final = {"lang", "top_k_results", "doc_content_chars_max", "api_url"}
NOBODY_WATCHES: Final = "a person who watches"
# A tool's words for its arguments, as JSON's names and as types of ports.
_TYPES: Mapping[str, tuple[str, Any]] = {
    "text": ("string", str),
    "integer": ("integer", int),
    "number": ("number", float),
    "true or false": ("boolean", bool),
}


class ToolOutputs(Ports):
    observation: Observation


Offered = Annotated[
    bool | Literal["attended"],
    Field(
        description="whether it is a command; attended: in a run with data or documents only with "
        "a person at the terminal",
    ),
]


class WikiSearchConfig(AtomicConfig):
    """The keys of a Wikipedia search."""

    offered: Offered = True
    description: str = "Looks up a term on Wikipedia: its page, or similar titles without one."
    lang: str = Field(default="en", pattern=LANG, description="which Wikipedia")
    top_k_results: int = Field(default=5, ge=1, le=50, description="similar titles at most")
    doc_content_chars_max: int = Field(default=4000, ge=100, description="characters of a page")
    api_url: str | None = Field(
        default=None, pattern=r"^https?://", description="another MediaWiki's api.php"
    )


class WikiSearchInputs(Ports):
    search_term: str = Field(min_length=1, description="the term to look up")


class WikiSearchFlow(AtomicFlow):
    """Gets the page for a term, or the titles that are like it."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = WikiSearchConfig
    Inputs: ClassVar[type[Ports]] = WikiSearchInputs
    Outputs: ClassVar[type[Ports]] = ToolOutputs

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """Where it sends what is looked up. Errors: `ValueError` for a bad address."""
        return (
            Destination(origin_of(address_of(values.get("api_url"), values.get("lang", "en")))),
        )

    def __init__(self, config: WikiSearchConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        given = config.model_dump(include=_WIKI_KEYS)
        self.wiki = WikiSearch(WikiSearch.Config.model_validate(given))
        self.lacks = "" if config.offered is True else NOBODY_WATCHES

    async def run(self, inputs: WikiSearchInputs, run: Run) -> ToolOutputs:
        run.notice(f"{self.wiki.host} is asked: {inputs.search_term}")
        return ToolOutputs(observation=await self.wiki.search(inputs.search_term))


class LCToolConfig(AtomicConfig):
    """The keys of a LangChain tool's flow. Without a description it has the tool's own."""

    offered: Offered = True
    backend: Service = Field(description="the tool")
    effect: Effect = Field(default="once", description="whether a call may be made again")


class LCToolFlow(AtomicFlow):
    """Calls a LangChain tool with its own arguments as inputs."""

    needs: ClassVar[Mapping[str, str]] = {"backend": "tool"}
    Config: ClassVar[type[FlowConfig]] = LCToolConfig
    Outputs: ClassVar[type[Ports]] = ToolOutputs

    def __init__(self, config: LCToolConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.tool: Tool = parts.service("backend", Tool)  # type: ignore[type-abstract]
        self.effect = config.effect
        self.label = config.description or self.tool.description
        self.lacks = "" if config.offered is True else NOBODY_WATCHES
        self.set_inputs(inputs_of(self.tool))

    @property
    def changing(self) -> bool:
        """As a person has declared it: without a word a tool is taken to search."""
        return self.effect == "once" and "effect" in self.config.model_fields_set

    async def run(self, inputs: Ports, run: Run) -> ToolOutputs:
        given = inputs.model_dump(exclude_unset=True)
        asked = json.dumps(given, ensure_ascii=False, default=str)
        run.notice(f"{self.tool.name} is asked: {asked}")
        return ToolOutputs(observation=await self.tool.run(given))


def inputs_of(tool: Tool) -> type[Ports]:
    """A tool's arguments as the ports of a flow."""
    fields: dict[str, Any] = {}
    for argument in tool.arguments:
        word, kind = _TYPES.get(argument.type, (argument.type, Any))
        default: Any = ... if argument.required else None
        told: Any = {"type": word}  # what a controller reads; the port itself takes more
        fields[argument.name] = (
            kind if argument.required else kind | None,
            Field(default=default, description=argument.description, json_schema_extra=told),
        )
    with catch_warnings():
        # As for the ports of a config: `schema` and `json` are good names for arguments.
        filterwarnings("ignore", message=".* shadows an attribute in parent", category=UserWarning)
        model: type[Ports] = create_model(f"{tool.name}Inputs", __base__=Ports, **fields)
    return model
