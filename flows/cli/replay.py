"""`flows replay`: run a recorded run again from its journal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson, RecordedOverrides, RunId, Trust
from flows.errors import ReplayDiffers


def replay(
    run_id: RunId,
    overrides: RecordedOverrides = None,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    base: Annotated[
        Path | None,
        typer.Option(help="The folder of its run file, if that was moved.", metavar="FOLDER"),
    ] = None,
    as_json: AsJson = False,
    trust: Trust = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show the run again.")] = False,
) -> int:
    """Run all of a recorded run from its journal, and say whether it is the same.

    Nothing live is called: no model, no tool, no person, no data. No key is needed, and nothing is
    written. The flows are those of today, so that a change of their code, config or prompts is
    found: the first step that differs is named, with what was changed.

    Overrides change the recorded config: they show what a change would reach first.

    Examples:

      flows replay last
      flows replay 20260102-150405-a1b2c3 --json
      flows replay last Executor.sql.max_rows=50

    Exit codes: 0 the same; 2 no such run, or a wrong override; 4 it differs, has not come to an
    end, or its journal is damaged.
    """
    from flows.cli.show import Show
    from flows.runners import replay as door

    with Show(as_json=as_json, verbose=True) as show:
        listeners = show.listeners if verbose else ()
        try:
            result = door.replay(
                run_id,
                overrides or (),
                runs=runs,
                base=base,
                trust=trust or (),
                listeners=listeners,
            )
        except ReplayDiffers as error:
            if not as_json:
                raise
            found = {"step": error.step, "why": error.why, "problem": error.problem}
            show.write({"same": False, **found})
            return error.exit_code
        if as_json:
            show.write({"same": True, **result.as_json()})
        else:
            show.console.print(f"{result.run_id} is the same: {result.status}, with no live call")
        return 0
