"""`flows mcp`: flows as tools of the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import Data, Model, Trust
from flows.cli.serve import hosted_files, need_packages, run_listeners, serve_doors

if TYPE_CHECKING:
    import signal

    from flows.services.hosting.hosted_flow import HostedFile


def mcp(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE... [OVERRIDE]...",
            show_default=False,
            help="Run files, or names of built-in configs, and changes of all of them.",
        ),
    ],
    data: Data = None,
    model: Model = None,
    http: Annotated[
        bool, typer.Option("--http", help="Listen on the loopback, for clients that speak HTTP.")
    ] = False,
    port: Annotated[
        int, typer.Option(min=0, max=65_535, help="Where --http listens; 0 takes a free one.")
    ] = 8_000,
    folder: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="The folder to work in, for clients that start the command elsewhere.",
        ),
    ] = None,
    trust: Trust = None,
) -> int:
    """Serve flows as tools of the Model Context Protocol.

    Each run file is a tool of its name: its arguments are the flow's inputs, its result the
    outputs, and what the run has made can be read as resources. A question to the person is asked
    by the client; where it cannot, the question is the result, and the tool answer goes on with
    the run. A call that is cancelled stops its run, which flows resume goes on with.

    A client starts the command, and speaks with it over stdin and stdout; messages for you go to
    stderr. With --http it listens instead: the first line on stdout is the address, and clients
    send a token, as those of flows serve do (FLOWS_TOKEN, FLOWS_TOKENS).

    Examples:

      flows mcp csv_chat --data sales.csv
      flows mcp ask.yaml report.yaml model=openai
      flows mcp tools.yaml --trust ./tools.py --folder /home/me/agents
      flows mcp csv_chat --data sales.csv --http --port 0

    Exit codes:

        0  the client has ended the connection
        2  wrong usage or config
      130  Ctrl-C
      143  it was told to terminate
    """
    import asyncio
    import signal

    from flows.cli.signals import CTRL_C, TERMINATED

    need_packages("flows mcp", ("mcp",), "mcp")
    if folder is not None:
        enter(folder)
    files = hosted_files(arguments, data, model)
    if http:
        need_packages("flows mcp --http")
        return CTRL_C if asyncio.run(_serve_http(files, port, trust)) == signal.SIGINT else 0
    from flows.web.mcp.serve import serve_stdio

    with run_listeners() as listeners:
        ended = asyncio.run(serve_stdio(files, trust or (), listeners))
    return {signal.SIGINT: CTRL_C, signal.SIGTERM: TERMINATED}.get(ended, 0) if ended else 0


async def _serve_http(
    files: Sequence[HostedFile], port: int, trust: Sequence[str] | None
) -> signal.Signals:
    from flows.services.hosting.open_service import AT_ONCE
    from flows.services.hosting.service import QUEUE
    from flows.web.mcp.door import PATH, mcp_door
    from flows.web.server.access import read_tokens
    from flows.web.server.listening import LOOPBACK, ListenAddress

    return await serve_doors(
        files, ListenAddress(LOOPBACK, port), read_tokens(), lambda service: (mcp_door(service),),
        trust=trust or (), at_once=AT_ONCE, queue=QUEUE, path=PATH,
    )  # fmt: skip


def enter(folder: Path) -> None:
    """Work in a folder. Errors: `UsageError` where that cannot be."""
    import os

    from flows.errors import UsageError

    try:
        os.chdir(folder)
    except OSError as error:
        raise UsageError(f"--folder: {error.strerror}: {folder}") from error
