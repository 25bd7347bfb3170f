"""`flows run`: build a run file and run it."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.arguments import (
    Events,
    Overrides,
    RunFile,
    Trust,
    is_override,
    said_in_words,
    split_arguments,
)

__all__ = ["is_override", "run"]


def run(
    file: RunFile = None,
    overrides: Overrides = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            help="Data to look at: a file, folder or address; may be given more than once. Without "
            "a name it gets that of its file.",
            metavar="[NAME=]PATH",
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")
    ] = False,
    events: Events = None,
    trust: Trust = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show inner steps too.")] = False,
) -> int:
    """Run a file: work toward its goal, with you in the loop.

    Enter goes on, text is feedback, q ends the run.

    Examples:

      flows run goal="Which region has the highest revenue?" data.sales=sales.csv
      flows run my.yaml "Which region has the highest revenue?"
      flows run my.yaml Executor.sql.max_rows=50
      flows run --data sales.csv --data shops=shops.parquet goal="How many shops are there?"
      flows run human=never --json
      flows run human=never --events - | grep step_finished
      flows run launch.py

    A program (FILE.py) that launches flows of aiflows is run as it is, and each
    flow that it calls is a run.

    Exit codes:

        0  the run came to its end (finished, unfinished or degraded, as its status says),
           or you ended it with q
        2  wrong usage or config
        3  the model provider
        4  a flow failed
       75  it waits for a person's answer, or nobody is there
       78  sandbox.mode=strict, and a wall of the sandbox is missing
      130  Ctrl-C
      143  it was told to terminate
    """
    from flows.cli.mistakes import check_run
    from flows.cli.program import run_program
    from flows.cli.show import Show
    from flows.runners import door
    from flows.services.sources import read_sources, source_names

    if file is not None and file.endswith(".py"):
        return run_program(file, overrides or (), trust or ())
    check_run(file, overrides or ())
    path, changes = split_arguments(file, overrides, has_data=bool(data))
    changes, said = said_in_words(path, changes)
    sources = read_sources(data or (), source_names(changes))
    with Show(as_json=as_json, verbose=verbose, events=events) as show:
        result = door.run(
            path,
            changes,
            settings=[each.setting for each in sources],
            inputs=said,
            listeners=show.listeners,
            trust=trust or (),
        )
        return show.end(result)
