"""`flows explain`: where a value of a run comes from."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import AsJson, Trust

if TYPE_CHECKING:
    from flows.records.lookup import RunPlace


def explain(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run: name, its beginning, or last.")],
    path: Annotated[
        str | None,
        typer.Argument(
            metavar="PATH",
            help="KEY of the run's outputs, or STEP.KEY of a step's; without one, those there are.",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: AsJson = False,
    body: Annotated[
        bool, typer.Option("--body", help="Only the bytes that the model was sent, as they are.")
    ] = False,
    trust: Trust = None,
) -> int:
    """Tell which steps and which prompt made a value of a run.

    From the value it goes back, step by step, to the reply of a model, a data source, a person's
    answer or an input of the run. Of each model on the way it shows the bytes that it was sent, and
    where each part of them comes from: a line of a prompt, a step, the config.

    The run is retold from its journal; no model is asked. A key that the step's outputs do not have
    may be one of its inputs.

    Examples:

      flows explain last
      flows explain last answer
      flows explain last Executor#2/sql#1/query#1.observation.table.sql
      flows explain 20260102-150405-a1b2c3 Controller#2.command_args --body > request.json

    Exit codes: 0 it is told; 2 there is no such run or value; 4 the journal is damaged, or the
    flows are not what they were.
    """
    from flows.cli.output import write_json
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.explain.explain import body_of
    from flows.explain.explain import explain as find
    from flows.explain.explanation_json import explanation_json
    from flows.records.lookup import find_run
    from flows.ui.console import make_console
    from flows.ui.explanation import show_explanation

    if path is None:
        return list_values(find_run(runs, run), trust or (), as_json=as_json)
    with reserved_stdout():
        found = find(find_run(runs, run), path, trust or ())
    if body:
        write_bytes(body_of(found))
    elif as_json:
        write_json(explanation_json(found))
    else:
        show_explanation(make_console(), found)
    return 0


def list_values(place: RunPlace, trust: Sequence[str], *, as_json: bool) -> int:
    """Show what of the run can be explained."""
    from flows.cli.output import write_json
    from flows.cli.reserved_stdout import reserved_stdout
    from flows.explain.explain import explainable
    from flows.ui.console import make_console
    from flows.ui.explanation import show_values

    with reserved_stdout():
        values = explainable(place, trust)
    if as_json:
        found = [{"path": path, "value": value} for path, value in values]
        write_json({"run_id": place.run_id, "values": found})
    else:
        show_values(make_console(), place.run_id, values)
    return 0


def write_bytes(content: bytes) -> None:
    """The bytes on standard output, as they are; nowhere when it is closed."""
    if sys.stdout is not None:
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
