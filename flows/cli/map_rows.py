"""`flows map`: a run file's flow over many inputs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.cli.arguments import AsJson, Events, Overrides, Trust

if TYPE_CHECKING:
    from flows.cli.show import Show
    from flows.core.result import RunResult
    from flows.core.values import Values

__all__ = ["map_rows"]


def map_rows(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A run file.", show_default=False)],
    overrides: Overrides = None,
    inputs: Annotated[
        Path | None,
        typer.Option(
            help="The rows: JSON lines, a JSON list, CSV, Parquet, Excel. Columns are inputs.",
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Where a line of JSON for each row goes, or a row of .parquet: inputs, outputs, "
            "error.",
            metavar="FILE",
        ),
    ] = None,
    max_concurrency: Annotated[int, typer.Option(help="Rows at once.", min=1)] = 16,
    on_failure: Annotated[
        Literal["keep", "stop"],
        typer.Option(help="keep: the other rows go on; stop: the first failure ends the run."),
    ] = "keep",
    as_json: AsJson = False,
    events: Events = None,
    trust: Trust = None,
) -> int:
    """Run a file's flow once for each row of inputs, several at once, as one run.

    The rows keep nothing of each other. A run that was killed goes on with `flows resume`, which
    does only the rows that are left, and writes the file of --out.

    Examples:

      flows map my.yaml --inputs questions.jsonl --out answers.jsonl
      flows map my.yaml --inputs rows.csv --max-concurrency 4 model=openai

    Exit codes: those of flows run; 4 when all rows failed.
    """
    from flows.build.map_rows import ROWS, map_over
    from flows.cli.show import Show
    from flows.errors import UsageError
    from flows.runners import door
    from flows.services.map_results import WANTED, checked_results
    from flows.services.rows import read_rows

    given: list[Values] = []  # with the inputs that all rows share
    with Show(as_json=as_json, verbose=False, events=events) as show:
        if inputs is None:
            raise UsageError("flows map wants the rows: --inputs FILE")
        checked_results(out)
        rows = read_rows(inputs)
        result = door.run(
            file,
            overrides or (),
            listeners=show.listeners,
            trust=trust or (),
            begin=lambda plan: given.extend(plan.inputs[ROWS]),
            more={WANTED: str(out.absolute()) if out is not None else ""},
            change=map_over(rows, {"max_concurrency": max_concurrency, "on_failure": on_failure}),
        )
        return end_map(result, given, out, show)


def end_map(result: RunResult, rows: Sequence[Values], out: Path | None, show: Show) -> int:
    """Write the file of results and show what the run came to; the exit code."""
    from flows.errors import StepFailed
    from flows.services.map_results import write_results

    code = show.end(result, written=write_results(out, rows, result))
    failed = len(result.outputs.get("failures", ()))
    return StepFailed.exit_code if not code and failed == len(rows) else code


map_rows.__name__ = "map"
