"""`flows diff`: what differs between two runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson


def diff(
    one: Annotated[
        str, typer.Argument(metavar="RUN1", help="A run: its name, its beginning, last.")
    ],
    other: Annotated[str, typer.Argument(metavar="RUN2", help="Another run.")],
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: AsJson = False,
) -> int:
    """Show what differs between two runs.

    First their configs, prompts and code; then the first step that differs, in the order of the
    first run; then outputs, status, steps, model calls, tokens, cost and time side by side.

    Steps are compared by their names, so parallel steps that ended in another order do not differ.
    Measured times do not count as a difference either.

    Examples:

      flows diff 20260102-150405-a1b2c3 20260102-160708-d4e5f6
      flows diff 20260102-150405-a1b2c3 20260102-160708-d4e5f6 --json

    Exit codes: 0 whether or not they differ; 2 there is no such run; 4 a journal is damaged.
    """
    from flows.cli.output import write_json
    from flows.records.compare import compare_runs
    from flows.records.lookup import find_run
    from flows.ui.comparison import show_comparison
    from flows.ui.console import make_console

    found = compare_runs(find_run(runs, one), find_run(runs, other))
    if as_json:
        write_json(found.as_json())
    else:
        show_comparison(make_console(), found)
    return 0
