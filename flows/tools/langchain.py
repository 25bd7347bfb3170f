"""Any LangChain tool, as a tool of ours."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from flows.config.packages import missing_package
from flows.config.redaction import as_cause, redact, redact_pieces
from flows.core.command import CommandArgument
from flows.core.observation import Observation
from flows.errors import ConfigError, ToolError
from flows.tools.network import check_reachable, network_reason, run_in_thread
from flows.tools.recent_searches import RecentObservations
from flows.tools.schema import arguments_of_schema
from flows.tools.text import cap, plain
from flows.tools.tool import check_arguments

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool


@dataclass(frozen=True)
class Backend:
    """A LangChain tool and what its own class does not tell.

    `url`: what has to be reachable, checked before each call. `says_nothing`: the text of a reply
    or an error means that nothing was found; `note_on_nothing` is added for the reader.
    `repeatable`: asking again has no effect but a reply, so a recent reply will do.
    """

    tool: BaseTool
    url: str | None = None
    says_nothing: Callable[[str], bool] = lambda _: False
    note_on_nothing: str = ""
    repeatable: bool = False


@dataclass(frozen=True)
class Face:
    """What is told of a tool before it is made, so that only a call imports LangChain."""

    name: str
    description: str
    arguments: tuple[CommandArgument, ...]


@runtime_checkable
class Settings(Protocol):
    """What makes a tool. With a `face: Face` too, it is made when it is called first."""

    def make(self) -> Backend: ...


class LangChainTool:
    """Runs a LangChain tool; whatever it gives becomes text, whatever it raises a ToolError.

    A tool with a synchronous body runs in a thread of its own, so one that hangs costs a thread
    and `timeout_s`, not the run.
    """

    class Config(BaseModel):
        """`name` and `description` replace the tool's own."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        name: str | None = None
        description: str | None = None
        timeout_s: float = Field(default=30.0, gt=0, allow_inf_nan=False)
        connect_timeout_s: float = Field(default=3.0, gt=0, allow_inf_nan=False)
        max_chars: int = Field(default=20_000, ge=100)
        cache_size: int = Field(default=128, ge=0)
        cache_s: float = Field(default=3_600.0, ge=0, allow_inf_nan=False)

    def __init__(self, config: LangChainTool.Config, of: Settings | Backend | BaseTool) -> None:
        self._config = config
        self._of = of
        face = getattr(of, "face", None)
        self._face = face if isinstance(face, Face) else _face(self._backend.tool)
        self._recent = RecentObservations(config.cache_size, config.cache_s)

    @cached_property
    def _backend(self) -> Backend:
        if isinstance(self._of, Backend):
            return self._of
        if not isinstance(self._of, Settings):
            return Backend(self._of)
        try:
            return self._of.make()
        except ImportError as error:
            raise ToolError(missing_package(self._face.name, error)) from error

    @property
    def name(self) -> str:
        return self._config.name or self._face.name

    @property
    def description(self) -> str:
        return self._config.description or self._face.description

    @property
    def arguments(self) -> tuple[CommandArgument, ...]:
        return self._face.arguments

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON schema of its arguments; None for a tool that is not made before a call."""
        is_made_late = isinstance(getattr(self._of, "face", None), Face)
        return None if is_made_late else _schema(self._backend.tool)

    async def run(self, args: Mapping[str, Any]) -> Observation:
        check_arguments(self.name, self.arguments, args)
        question = json.dumps(args, sort_keys=True, default=repr)
        known = self._recent.get(question)
        if known is None:
            known = await self._run(dict(args))
            if known.kind == "ok" and self._backend.repeatable:
                self._recent.keep(question, known)
        return known

    async def _run(self, args: dict[str, Any]) -> Observation:
        if self._backend.url is not None:
            await check_reachable(self._backend.url, self._config.connect_timeout_s)
        try:
            result = await self._call(args)
        except TimeoutError as error:
            raise ToolError(
                f"{self.name} did not answer in time (the limit is {self._config.timeout_s:g} s)"
            ) from error
        except ValidationError as error:
            raise ToolError(f"{self.name} cannot take these arguments: {_faults(error)}") from error
        except Exception as error:  # noqa: BLE001
            # The border to foreign code: a tool may raise anything, and none of it ends a run.
            return self._failed(error)
        text = plain(redact(_as_text(result)))
        if not text or self._backend.says_nothing(text):
            return self._nothing()
        return Observation(kind="ok", text=cap(text, self._config.max_chars))

    async def _call(self, args: dict[str, Any]) -> object:
        timeout_s = self._config.timeout_s
        tool = self._backend.tool
        if _is_async_only(tool):
            async with asyncio.timeout(timeout_s):
                return await tool.ainvoke(args)
        return await run_in_thread(lambda: tool.invoke(args), timeout_s)

    def _failed(self, error: Exception) -> Observation:
        said = plain(redact_pieces(str(error)))
        if self._backend.says_nothing(said):
            return self._nothing()
        reason = network_reason(error, self._host())
        kind = "" if type(error).__name__ == "ToolException" else f"{type(error).__name__}: "
        failed = cap(f"{self.name} failed: {kind}{said}", 1_000)
        raise ToolError(reason or failed) from as_cause(error)

    def _nothing(self) -> Observation:
        text = f"{self.name} found nothing. {self._backend.note_on_nothing}".rstrip()
        return Observation(kind="empty", text=text)

    def _host(self) -> str:
        url = self._backend.url
        return url.split("://", 1)[-1].split("/", 1)[0] if url else f"the host of {self.name}"


def as_tool(made: object) -> LangChainTool:
    """A LangChain tool, or settings that make one, as a tool of ours. Errors: ConfigError."""
    if isinstance(made, Settings):
        return LangChainTool(LangChainTool.Config(), made)
    from langchain_core.tools import BaseTool

    if isinstance(made, BaseTool):
        return LangChainTool(LangChainTool.Config(), made)
    raise ConfigError(f"a {type(made).__name__} is not a LangChain tool")


def _face(tool: BaseTool) -> Face:
    return Face(tool.name, plain(tool.description), arguments_of_schema(_schema(tool)))


def _schema(tool: BaseTool) -> Mapping[str, Any]:
    from langchain_core.tools import Tool

    if isinstance(tool, Tool) and tool.args_schema is None:
        return {"properties": tool.args, "required": list(tool.args)}  # Text in, text out.
    schema = tool.tool_call_schema  # Without the arguments that LangChain injects itself.
    if isinstance(schema, dict):
        return schema
    if issubclass(schema, BaseModel):
        return schema.model_json_schema()
    return schema.schema()  # A tool of the days of pydantic 1.


def _is_async_only(tool: BaseTool) -> bool:
    from langchain_core.tools import StructuredTool, Tool

    return isinstance(tool, StructuredTool | Tool) and tool.func is None


def _as_text(result: object) -> str:
    if result is None:
        return ""
    if isinstance(result, str):
        return result
    if isinstance(result, BaseModel):
        return result.model_dump_json()
    if isinstance(result, list) and result and all(_is_text_block(each) for each in result):
        return "\n".join(str(each["text"]) for each in result)
    try:
        return json.dumps(result, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        return str(result)  # Keys that JSON does not know, or a circle.


def _is_text_block(each: object) -> bool:
    return isinstance(each, dict) and each.get("type") == "text" and "text" in each


def _faults(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(step) for step in each['loc'])}: {each['msg']}" for each in error.errors()
    )[:1_000]
