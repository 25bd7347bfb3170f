"""`flows mcp`: flows as tools of the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.arguments import Data, Model, Trust
from flows.cli.serve import hosted_files, need_packages, run_listeners


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

    need_packages("flows mcp", ("mcp",), "mcp")
    from flows.web.mcp.serve import serve_stdio

    files = hosted_files(arguments, data, model)
    with run_listeners() as listeners:
        ended = asyncio.run(serve_stdio(files, trust or (), listeners))
    return {signal.SIGINT: CTRL_C, signal.SIGTERM: TERMINATED}.get(ended, 0) if ended else 0
