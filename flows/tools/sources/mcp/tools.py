"""The tools of an MCP server as functions."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from flows.core.function_description import FunctionDescription, JsonSchema
from flows.core.observation import Observation
from flows.errors import ToolError
from flows.tools.description.result_fields import field_paths
from flows.tools.sources.foreign_schema import SchemaReader, shape
from flows.tools.sources.mcp.change import text_change
from flows.tools.sources.mcp.pins import Pin, Pins
from flows.tools.sources.mcp.session import McpSession
from flows.tools.sources.mcp.tool_list import ToolList
from flows.tools.sources.references import SchemaReferences
from flows.tools.sources.results import Save, compact, marked, observation_of
from flows.tools.text import cap, plain

if TYPE_CHECKING:
    from mcp_types import CallToolResult, ContentBlock, Tool

_MOST_TEXT: Final = 1_000
_KINDS: Final = {
    "image/png": "png", "image/jpeg": "jpg", "image/gif": "gif", "image/webp": "webp",
    "audio/wav": "wav", "audio/mpeg": "mp3",
}  # fmt: skip


class McpFunction:
    """A tool of a server.

    What the server says of it is read again before each call. A tool that says something else than
    it did when a person allowed its server is not called, and what it says now is not shown to a
    model, until the person has allowed that too.
    """

    saves = True

    def __init__(
        self,
        tool: str,
        name: str,
        namespace: str,
        session: McpSession,
        listed: ToolList,
        pins: Pins,
    ) -> None:
        self._tool = tool
        self._name = name
        self._namespace = namespace
        self._session = session
        self._list = listed
        self._pins = pins
        self._server = session.name
        self._take()

    @property
    def description(self) -> FunctionDescription:
        if not self.pending:
            return self._described
        return FunctionDescription(
            name=self._described.name,
            description="Its server has changed it, and it waits for a person's approval. Call it "
            "without arguments to ask for that; what it does and takes is told afterwards.",
            namespace=self._described.namespace,
            function_class=self._described.function_class,
            source=self._described.source,
            unapproved=True,
        )

    @property
    def pending(self) -> str:
        name = self._tool
        if self._pins.holds(name, self._now):
            return ""
        what = "has changed its tool" if self._pins.knows(name) else "has a new tool"
        return f"{self._server} {what} {plain(name)} since you allowed it"

    @property
    def change(self) -> str:
        before = self._pins.text(self._tool)
        told = text_change(before, self._now.text)
        if before or not self._pins.knows(self._tool):
            return told
        return f"What it said before was not kept. It says now:\n{told}"

    @property
    def last_words(self) -> str:
        """What its server wrote last beside its answers, such as a complaint."""
        return self._session.last_words

    def approve(self) -> None:
        self._pins.keep({self._tool: self._now})

    async def refresh(self) -> None:
        """Read what its server says of it now. Errors: `ToolError`, also where it is gone."""
        await self._list.refresh()
        if self._tool not in self._list.tools:
            raise ToolError(f"{self._server} has no tool {plain(self._tool)} any more")
        self._take()

    async def call(self, arguments: Mapping[str, Any], save: Save | None = None) -> Observation:
        """`save` keeps pictures and sounds of the result. Errors: `ToolError`."""
        result = await self._session.call(self._tool, arguments)
        return marked(_observed(self._described.name, result, save), self._server)

    def _take(self) -> None:
        """Take what the list says of the tool."""
        tool = self._list.tools[self._tool]
        self._now = pin_of(tool)
        self._described = description_of(tool, self._name, self._namespace, self._server)


def pin_of(tool: Tool) -> Pin:
    """What the tool is known by: all that its server says of it."""
    return Pin.of(tool.model_dump(mode="json", by_alias=True, exclude={"icons", "meta"}))


def description_of(tool: Tool, name: str, namespace: str, server: str) -> FunctionDescription:
    """The tool's description under a name that models take.

    That it only reads is the word of its server, which the person has allowed: it is called without
    asking, and all the same no call is left out or made again on that word (effect `once`).
    """
    reader = SchemaReader(SchemaReferences(tool.input_schema))
    schema = reader.read(tool.input_schema)
    made: JsonSchema = {
        "type": "object",
        "properties": schema.get("properties", {}),
        **{key: schema[key] for key in ("required", "additionalProperties") if key in schema},
    }
    output = tool.output_schema
    returns = (
        SchemaReader(SchemaReferences(output), for_request=False).read(output) if output else {}
    )
    reads_only = tool.annotations is not None and tool.annotations.read_only_hint is True
    text = "\n".join(each for each in (tool.title, tool.description) if each)
    return FunctionDescription(
        name=name,
        description=cap(plain(text), _MOST_TEXT) or f"the tool {name} of {server}",
        parameters=made,
        returns=shape(returns),
        fields=field_paths(returns),
        namespace=namespace,
        function_class="api",
        source=f"mcp:{server}",
        changing=not reads_only,
    )


def _observed(name: str, result: CallToolResult, save: Save | None) -> Observation:
    if result.is_error:
        said = "\n".join(_texts(result.content)) or compact(result.structured_content)
        return Observation(kind="error", text=f"{name} failed: {cap(plain(said), _MOST_TEXT)}")
    if result.structured_content is not None:
        return observation_of(_unwrapped(result.structured_content))
    texts = list(_texts(result.content))
    notes, figures = _files(name, result.content, save)
    if len(texts) == 1 and not notes and (value := _json(texts[0])) is not None:
        return observation_of(value)
    found = observation_of("\n".join([*texts, *notes]))
    return found.model_copy(update={"figures": figures})


def _unwrapped(value: Any) -> Any:
    """Servers put a result that is no object under the one key `result`."""
    is_wrapped = isinstance(value, dict) and list(value) == ["result"]
    return value["result"] if is_wrapped else value


def _texts(content: list[ContentBlock]) -> Iterator[str]:
    for each in content:
        if each.type == "text":
            yield each.text
        elif each.type == "resource":
            text = getattr(each.resource, "text", None)
            if isinstance(text, str):
                yield text
        elif each.type == "resource_link":
            yield f"{each.name}: {each.uri}"


def _files(
    name: str, content: list[ContentBlock], save: Save | None
) -> tuple[list[str], tuple[str, ...]]:
    """Pictures and sounds kept as artifacts: a line on each, and the names of the pictures."""
    notes: list[str] = []
    figures: list[str] = []
    for number, each in enumerate(content, 1):
        if each.type not in ("image", "audio"):
            continue
        kind = _KINDS.get(each.mime_type.lower())
        try:
            body = base64.b64decode(each.data, validate=True)
        except (binascii.Error, ValueError):
            notes.append(f"a file of {plain(each.mime_type)} that cannot be read")
            continue
        if kind is None or save is None:
            notes.append(
                f"a file of {plain(each.mime_type)}, {len(body):,} bytes, that is not kept"
            )
            continue
        artifact = save(f"{name}_{number}", kind, body, f"what {name} returned ({each.mime_type})")
        notes.append(f"a file of {each.mime_type}: the artifact {artifact.name}")
        figures += [artifact.name] if each.type == "image" else []
    return notes, tuple(figures)


def _json(text: str) -> Any:
    """The JSON object or list that a text is; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
