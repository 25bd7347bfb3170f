"""`flows fork`: a new run from a step of another on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import Events, RecordedOverrides, RunId, Trust


def fork(
    run_id: RunId,
    at: Annotated[
        str,
        typer.Option(help="The first step that is done anew, as in Executor#2.", metavar="STEP"),
    ],
    overrides: RecordedOverrides = None,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")
    ] = False,
    events: Events = None,
    trust: Trust = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show inner steps too.")] = False,
) -> int:
    """Start a new run from a step of another, with other settings if you like.

    What the other run had done before the step is taken over, and is neither done nor paid for
    again. The step itself is done anew, with all below it. Later steps are done anew only if their
    inputs or their flows changed. The other run stays as it is.

    Overrides change the recorded config, as those of flows run do.

    Examples:

      flows fork last --at Executor#2 Executor.sql.max_rows=50
      flows fork 20260102-150405-a1b2c3 --at Controller#3 model=openai
      flows fork last --at Controller#1 goal="Which region sold most in 2008?"

    Exit codes are those of flows run; 2 too when there is no such run or step, 4 when its journal
    is damaged.
    """
    from flows.cli.show import Show
    from flows.runners import fork as door

    with Show(as_json=as_json, verbose=verbose, events=events) as show:
        result = door.fork(
            run_id, at, overrides or (), runs=runs, listeners=show.listeners, trust=trust or ()
        )
        return show.end(result)
