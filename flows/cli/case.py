"""`flows test`: a pytest case out of a run."""
# ruff: noqa: PT028  the function is a command and no test

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import AsJson, RunId, Trust


def test(
    run_id: RunId,
    out: Annotated[Path, typer.Option(help="Where to write it.", metavar="FOLDER")] = Path("tests"),
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: AsJson = False,
    trust: Trust = None,
) -> int:
    """Write a pytest case that replays a run, so that it stays as it is.

    The test needs neither network nor key nor data. It fails, with the first step that differs,
    when a change of code, config or prompts makes the run another one.

    A test_run_RUN.py is written, and beside it runs/RUN/ with the recording: what the steps of the
    run were given and gave is in it.

    Examples:

      flows test last
      flows test 20260102-150405-a1b2c3 --out tests/runs_that_count

    Exit codes: 0 written; 2 no such run, or there is such a test; 4 the run does not come to the
    same already now, or has not come to an end.
    """
    from flows.cli.output import write_json
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.services.case import write_case

    with reserved_stdout():
        case, recording = write_case(run_id, out, runs=runs, trust=trust or ())
    if as_json:
        write_json({"test": str(case), "recording": str(recording)})
    else:
        print(f"{case}\n{recording}/")
    return 0
