"""`flows resume`: go on with a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def resume(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", help="The run's name.")],
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")
    ] = False,
    trust: Annotated[
        list[str] | None,
        typer.Option(help="A package whose dotted names a _target_ may use.", metavar="PACKAGE"),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show inner steps too.")] = False,
) -> int:
    """Go on with a run after its last recorded step.

    A run can be gone on with when it was stopped or killed, when it waits for an answer, and when
    a step failed. What it had done is not done again.

    Examples:

      flows resume 20260102-150405-a1b2c3
      flows resume 20260102-150405-a1b2c3 --json

    Exit codes are those of flows run; 2 too when there is no such run, 4 when its journal is
    damaged.
    """
    from flows.cli.show import Show
    from flows.runners import door

    with Show(as_json=as_json, verbose=verbose) as show:
        result = door.resume(run_id, runs=runs, listeners=[show.listen], trust=trust or ())
        return show.end(result)
