"""`flows mcp`: flows as tools of the Model Context Protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import Data, Model, Trust, is_override

if TYPE_CHECKING:
    from flows.services.hosting.run_host import HostedFile


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
    trust: Trust = None,
) -> int:
    """Serve flows as tools of the Model Context Protocol.

    Each run file is a tool of its name: its arguments are the flow's inputs, its result the
    outputs, and what the run has made can be read as resources. A question to the person is asked
    by the client; where it cannot, the question is the result, and the tool answer goes on with
    the run. A call that is cancelled stops its run, which flows resume goes on with.

    A client starts the command, and speaks with it over stdin and stdout. Messages for you go to
    stderr.

    Examples:

      flows mcp csv_chat --data sales.csv
      flows mcp ask.yaml report.yaml model=openai
      flows mcp tools.yaml --trust ./tools.py

    Exit codes:

        0  the client has ended the connection
        2  wrong usage or config
      130  Ctrl-C
      143  it was told to terminate
    """
    import asyncio
    import signal

    from flows.cli.signals import CTRL_C, TERMINATED
    from flows.web.mcp.serve import serve_stdio

    _need_packages()
    files = _files(arguments, data, model)
    ended = asyncio.run(serve_stdio(files, trust or ()))
    return {signal.SIGINT: CTRL_C, signal.SIGTERM: TERMINATED}.get(ended, 0) if ended else 0


def _need_packages() -> None:
    """Errors: `ConfigError` that names the extra without which there is no MCP."""
    from flows.config.packages import missing_module, needed
    from flows.errors import ConfigError

    if missing_module(("mcp",)):
        raise ConfigError(needed("flows mcp", "'analyst-flows[mcp]'"))


def _files(
    arguments: list[str], data: list[str] | None, model: str | None
) -> tuple[HostedFile, ...]:
    """The run files with what is changed in them. Errors: `UsageError`, `ConfigError`."""
    from pathlib import Path

    from flows.errors import UsageError
    from flows.services.hosting.run_host import HostedFile
    from flows.services.model_choice import read_model
    from flows.services.sources import read_sources, source_names

    overrides = tuple(each for each in arguments if is_override(each))
    files = [each for each in arguments if not is_override(each)]
    if not files:
        raise UsageError("name the run files whose flows are tools")
    given = [each.setting for each in read_sources(data or (), source_names(list(overrides)))]
    choice = read_model(model)
    settings = (*given, *(choice.settings() if choice is not None else ()))
    return tuple(HostedFile(Path(each), overrides, settings) for each in files)
