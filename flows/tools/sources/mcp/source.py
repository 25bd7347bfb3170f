"""An MCP server as a source of functions: started by a command, or reached at an address."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from flows.config.redaction import reveal
from flows.config.secret import env_name
from flows.core.destination import Destination, origin_of
from flows.core.function_description import Function
from flows.errors import ToolError, nearest
from flows.tools.sources.authentication import Authentication
from flows.tools.sources.function_names import FunctionNames
from flows.tools.sources.mcp.pins import Pins
from flows.tools.sources.mcp.server import McpServer
from flows.tools.sources.mcp.session import McpSession
from flows.tools.sources.mcp.tool_list import ToolList
from flows.tools.sources.mcp.tools import McpFunction, pin_of
from flows.tools.sources.web import MAX_BYTES

_WRITTEN = "a key that is written out"


class McpSource:
    """The tools of one server. Its session is opened when its functions are first asked for, and
    closed with the run. The first time that a server is used, all its tools are noted as they are;
    afterwards, and as soon as the server has other tools in the middle of a run, a tool that is new
    or has changed waits for a person's approval."""

    class Config(BaseModel):
        """Either a `command` (stdio) or a `url` (streamable HTTP)."""

        model_config = ConfigDict(frozen=True, extra="forbid")

        command: tuple[str, ...] = Field(
            default=(), description="the program that is the server, and its arguments"
        )
        folder: Path = Field(default=Path(), description="where the command runs")
        env: dict[str, SecretStr] = Field(
            default={}, description="variables of its environment, which is empty but for PATH, "
            "HOME and the like: NAME: ${env:NAME}",
        )  # fmt: skip
        url: str = Field(default="", description="the address of a server's MCP endpoint")
        auth: Authentication | None = None
        tools: tuple[str, ...] | None = Field(
            default=None, description="the names of the tools that are offered; all without it"
        )
        connect_timeout_s: float = Field(default=20.0, gt=0, le=600, allow_inf_nan=False)
        max_bytes: int = Field(default=MAX_BYTES, ge=1_000, le=256 * 1024 * 1024)
        namespace: str = "default"

        @model_validator(mode="after")
        def _one_way(self) -> McpSource.Config:
            if bool(self.command) == bool(self.url):
                raise ValueError("a server has a command or a url, one of the two")
            if self.url and self.env:
                raise ValueError("env is for a server that is started by a command")
            if self.command and self.auth:
                raise ValueError("auth is for a server that has a url")
            if self.auth is not None and self.auth.kind not in ("bearer", "header"):
                raise ValueError("the key of an MCP server goes into a header: bearer or header")
            return self

    modules: ClassVar[tuple[str, ...]] = ("mcp",)

    @classmethod
    def destinations(cls, values: Mapping[str, Any]) -> tuple[Destination, ...]:
        """The command that is run, or the address that is asked, and the keys that it gets. Errors:
        `ValueError` for a bad address."""
        if values.get("command"):
            return tuple(_of_command(values))
        auth = values.get("auth")
        secret = auth.get("secret") if isinstance(auth, Mapping) else None
        return (
            Destination(
                origin_of(values.get("url", "")),
                env_name(secret) or (_WRITTEN if secret else ""),
                usual=False,
                address_at=("url",),
                secret_at=("auth", "secret") if secret else (),
            ),
        )

    def __init__(self, config: McpSource.Config) -> None:
        self._config = config
        self._server = McpServer(
            f"the MCP server {config.namespace}",
            config.command,
            config.folder,
            {name: reveal(each) for name, each in config.env.items()},
            config.url,
            config.auth.headers() if config.auth is not None else {},
            config.max_bytes,
        )
        self._session = McpSession(self._server, config.connect_timeout_s)
        self._list = ToolList(self._session)
        self._names = FunctionNames()
        self._functions: dict[str, McpFunction] = {}

    @property
    def is_old(self) -> bool:
        """Whether the server has other tools by now than those that it was last asked for."""
        return self._list.is_old

    async def functions(self) -> tuple[Function, ...]:
        """Errors: `ToolError`, also for a tool that the config names and the server has not."""
        if not self._functions or self.is_old:
            await self._list.refresh()
            self._functions = self._chosen()
            self._list.names_are_known()
        return tuple(self._functions.values())

    async def aclose(self) -> None:
        self._functions = {}
        self._names = FunctionNames()
        await self._list.aclose()
        await self._session.aclose()

    def _chosen(self) -> dict[str, McpFunction]:
        """The functions of the list's tools; those that were there before are the same objects."""
        tools = self._list.tools
        for wanted in self._config.tools or ():
            if wanted not in tools:
                meant = nearest(wanted, tools)
                hint = f" (did you mean {meant!r}?)" if meant else ""
                raise ToolError(f"{self._server.name} has no tool {wanted!r}{hint}")
        pins = Pins(shlex.join(self._config.command) or self._config.url)
        if not pins.are_there:
            pins.keep({name: pin_of(each) for name, each in tools.items()})
        return {
            each: self._functions.get(each)
            or McpFunction(
                each,
                self._names.free(each, "tool"),
                self._config.namespace,
                self._session,
                self._list,
                pins,
            )
            for each in self._config.tools or tuple(tools)
        }


def _of_command(values: Mapping[str, Any]) -> Iterator[Destination]:
    command = [str(each) for each in values["command"]]
    folder = Path(values.get("folder", ""))
    files = tuple(path for each in command[1:] if (path := folder / each).is_file())
    env = values.get("env")
    given = env if isinstance(env, Mapping) else {}
    secrets: list[tuple[tuple[str, ...], str]] = [
        (("env", name), env_name(each) or f"{name} ({_WRITTEN})") for name, each in given.items()
    ]
    nothing: list[tuple[tuple[str, ...], str]] = [((), "")]
    for at, name in secrets or nothing:
        yield Destination(
            shlex.join(command),
            name,
            usual=False,
            address_at=("command",),
            secret_at=at,
            is_command=True,
            files=files,
        )
