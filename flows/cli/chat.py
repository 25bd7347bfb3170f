"""`flows chat`: questions about data, and what is asked about the answers."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import Data, Model, Trust, is_override

if TYPE_CHECKING:
    from flows.library.csv_chat.reply import TurnReply
    from flows.services.conversation import Rows, Tell


def chat(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE|OVERRIDE]...",
            show_default=False,
            help="Data to talk about, as with --data; or Analyst.max_rows=100 model.base_url=...",
        ),
    ] = None,
    data: Data = None,
    model: Model = None,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="Each line of the input is a turn, and gives one JSON object."),
    ] = False,
    trust: Trust = None,
) -> int:
    """Talk about data: ask, and go on with what was answered.

    Each turn says how it was read. What you say next may change it (only 2023; by region; top 3;
    as a line chart; no, I meant the median), speak of what was found (the second one; in that
    year; how does that compare with 2022?), go back (go back to the first one), or be a new
    question. What is not clear is asked back with options: answer with a number, or in words.

    Ctrl-C stops the turn that is being answered; q, the end of the input, and Ctrl-C where you are
    asked end the conversation. It is a run like any other, and flows resume goes on with it.

    Examples:

      flows chat --data sales.csv
      flows chat sales.csv customers.csv
      flows chat --data shops.db --model openai
      flows chat --data sales.csv --json < turns.txt

    Exit codes:

        0  it was ended by you
        2  wrong usage, or data that cannot be read
        3  the model provider
        4  it failed
      130  Ctrl-C; flows resume goes on
    """
    from dataclasses import replace

    from flows.cli.options import options_of
    from flows.cli.pause import StopSignals
    from flows.errors import UsageError
    from flows.services import conversation
    from flows.services.exit_code import request_exit_code
    from flows.services.request import DataQuestion
    from flows.services.sources import read_sources

    given = [each for each in files or () if is_override(each)]
    named = [*(data or ()), *(each for each in files or () if not is_override(each))]
    if not named:
        raise UsageError("there is no data to talk about; as: flows chat FILE")
    request = DataQuestion("", tuple(read_sources(named)))
    options = replace(options_of(given, model, trust or ()), person="terminal_continue")
    signals = StopSignals()
    runs: list[str] = []
    try:
        with signals.taken() as pause:
            result = conversation.converse(
                request, options, tell=teller(as_json=as_json), pause=pause,
                listeners=(lambda event: runs.append(event.run),),
            )  # fmt: skip
    except KeyboardInterrupt:
        if runs:
            print(f"\ngo on with: flows resume {runs[0]}", file=sys.stderr)
        raise
    if result.error is not None:
        from flows.ui.console import make_console
        from flows.ui.ending import show_result

        show_result(make_console(to_stderr=as_json), result)
    return request_exit_code(result)


def teller(*, as_json: bool) -> Tell:
    """What shows a turn that is over: a line of JSON, or text for a person."""
    from flows.cli.output import write_json
    from flows.ui.console import make_console
    from flows.ui.conversation import show_turn

    console = make_console()

    def tell(reply: TurnReply, rows: Rows) -> None:
        if as_json:
            write_json({**reply.as_json(), "rows": [list(row) for row in rows]}, quiet=False)
        else:
            show_turn(console, reply)

    return tell
