"""`flows show`: a run as it is recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson


def show(
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="A run's id, the beginning of one, or last."),
    ] = "last",
    steps: Annotated[bool, typer.Option("--steps", help="Show each step too.")] = False,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: AsJson = False,
) -> int:
    """Show a run: what it came to, waits with, used and made, and how to go on.

    It can be looked at while it runs. A step's time is the time since the row before it in the
    journal; steps that run at once share it. With --json, questions have their context and the
    schema of their answer.

    The artifacts that the run made are listed with the step, the query or code and the sources
    that each comes from. One whose file is gone or was changed is marked.

    Examples:

      flows show
      flows show 20260102-150405-a1b2c3 --steps
      flows show last --json

    Exit codes: 0; 2 when there is no such run; 4 when its journal is damaged.
    """
    from flows.cli.output import write_json
    from flows.errors import JournalError
    from flows.records.artifact_state import look_at
    from flows.records.lookup import find_run
    from flows.records.record import records_of
    from flows.ui.console import make_console
    from flows.ui.runs import show_record

    [record] = records_of([find_run(runs, run)])
    if as_json:
        kept = look_at(record.place.folder, record.artifacts)
        write_json({**record.as_json(), "artifacts": [each.as_json() for each in kept]})
    else:
        show_record(make_console(), record, steps=steps)
    return JournalError.exit_code if record.status == "damaged" else 0
