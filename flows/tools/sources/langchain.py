"""LangChain's tools, and other tools of a run file, as functions of an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field

from flows.core.flow import Effect
from flows.core.function_description import Function, FunctionDescription, JsonSchema
from flows.core.observation import Observation
from flows.errors import ConfigError
from flows.tools.langchain import LangChainTool
from flows.tools.sources.foreign_schema import SchemaReader
from flows.tools.sources.references import SchemaReferences
from flows.tools.sources.results import marked
from flows.tools.text import cap, plain
from flows.tools.tool import Tool

_MOST_TEXT = 1_000
_TYPES = {
    "text": "string",
    "number": "number",
    "integer": "integer",
    "true or false": "boolean",
    "object": "object",
}


class ToolFunction:
    """A tool as a function. What it gives is data of others."""

    def __init__(
        self,
        tool: Tool,
        namespace: str = "default",
        name: str = "",
        effect: Effect | None = None,
    ) -> None:
        self._tool = tool
        self._described = FunctionDescription(
            name=name or tool.name,
            description=cap(plain(tool.description), _MOST_TEXT),
            parameters=parameters_of(tool),
            namespace=namespace,
            function_class="api",
            source=f"tool:{tool.name}",
            effect=effect or "once",
            changing=effect in ("idempotent", "once"),
        )

    @property
    def description(self) -> FunctionDescription:
        return self._described

    async def call(self, arguments: Mapping[str, Any]) -> Observation:
        """Errors: `ToolError`."""
        return marked(await self._tool.run(arguments), f"the tool {self._tool.name}")


class LangChainSource:
    """Tools by the names that they are called by, each with a `_target_`."""

    class Config(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")

        tools: dict[str, dict[str, Any]] = Field(
            description="tools by their names as functions, each with a _target_"
        )
        effect: Effect | None = Field(
            default=None,
            description="what they do to the world: pure, idempotent or once; of the last two a "
            "person is asked before a call",
        )
        namespace: str = "default"

    # The key that holds several services by name, and their kind.
    holds: ClassVar[Mapping[str, str]] = {"tools": "tool"}

    def __init__(self, config: LangChainSource.Config, tools: Mapping[str, object]) -> None:
        """Errors: `ConfigError` for what is no tool."""
        made = []
        for name, tool in tools.items():
            if not isinstance(tool, Tool):
                raise ConfigError(f"{name} is no tool", path="tools")
            made.append(ToolFunction(tool, config.namespace, name, config.effect))
        self._functions = tuple(made)

    async def functions(self) -> tuple[Function, ...]:
        return self._functions

    async def aclose(self) -> None:
        """The tools are services of the run, which gives them up itself."""


def parameters_of(tool: Tool) -> JsonSchema:
    """The JSON schema of a tool's arguments: LangChain's own, or made of the words for them."""
    schema = tool.schema if isinstance(tool, LangChainTool) else None
    if schema is not None:
        made = SchemaReader(SchemaReferences(schema)).read(schema)
        return {"type": "object", "properties": {}, **made}
    properties: JsonSchema = {}
    for each in tool.arguments:
        kind = {"type": _TYPES[each.type]} if each.type in _TYPES else {}
        said = {"description": each.description} if each.description else {}
        properties[each.name] = {**kind, **said}
    required = [each.name for each in tool.arguments if each.required]
    return {
        "type": "object",
        "properties": properties,
        **({"required": required} if required else {}),
    }
