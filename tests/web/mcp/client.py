"""The official client of MCP beside the real command, in a folder with flows of its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, ElicitRequestFormParams, ElicitResult, TextContent

from tests.cli.command import environment
from tests.web.own_flows import write_flows

MODES = ("auto", "legacy")  # the protocol of today, and the one with a handshake

Person = Callable[[str, dict[str, Any]], ElicitResult]


def server_parameters(folder: Path, arguments: Sequence[str]) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "flows", "mcp", *arguments],
        cwd=folder,
        env=environment(),
    )


@asynccontextmanager
async def connected(
    folder: Path, *arguments: str, mode: str = "auto", person: Person | None = None
) -> AsyncIterator[Client]:
    """A client of the command in a folder. The `person` is asked by a form, where there is one."""
    given = arguments or write_flows(folder)
    transport = stdio_client(server_parameters(folder, given))
    async with Client(transport, elicitation_callback=asking(person), mode=mode) as client:
        yield client


def asking(person: Person | None) -> Any:
    if person is None:
        return None

    async def ask(context: object, form: ElicitRequestFormParams) -> ElicitResult:
        return person(form.message, form.requested_schema)

    return ask


def answering(text: str) -> Person:
    return lambda *_: ElicitResult(action="accept", content={"answer": text})


def text_of(result: CallToolResult) -> str:
    return "\n".join(each.text for each in result.content if isinstance(each, TextContent))
