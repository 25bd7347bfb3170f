"""`flows graph`: the flows of a run file, or the plan of a run, as a Mermaid flowchart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import Overrides, RunFile, Trust, split_arguments
from flows.errors import UsageError


def graph(
    file: RunFile = None,
    overrides: Overrides = None,
    run: Annotated[
        str | None,
        typer.Option(
            help="Draw the plans that this run of the planner made, by its id, or last.",
            metavar="RUN",
            show_default=False,
        ),
    ] = None,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    trust: Trust = None,
) -> int:
    """Print the flows of a run file as a Mermaid flowchart, or the plans of a run.

    Nothing is run. Subflows stand inside the flow that calls them. Arrows are the steps, with
    their goals; a dotted arrow goes back to the first step of the next round.

    Of a plan the arrows say which value of a result another call takes, and the steps which calls
    they came to. Equal calls of a plan are made once.

    Examples:

      flows graph my.yaml > my.mmd
      flows graph Executor.sql=describe
      flows graph --run last

    Exit codes: 0 it is printed; 2 the file or an override is wrong, or the run made no plan.
    """
    if run is not None:
        if file is not None:
            raise UsageError("flows graph draws a file, or with --run a run; leave one out")
        print(_plans_of(run, runs), end="")
        return 0
    from flows.build.builder import build
    from flows.build.trust import Trust as Trusted
    from flows.cli.mermaid import flowchart
    from flows.cli.reserved_stdout import reserved_stdout

    path, changes = split_arguments(file, overrides)
    with reserved_stdout():
        plan, _ = build(path, changes, trust=Trusted(trust or (), refuse=False))
    print(flowchart(plan.flow), end="")
    return 0


def _plans_of(name: str, runs: Path) -> str:
    """The chart of the plans of a recorded run. Errors: `UsageError` when it made none."""
    from pydantic import TypeAdapter

    from flows.cli.plan_chart import plan_chart
    from flows.library.interpreter.config import PlanRecord
    from flows.records.lookup import find_run
    from flows.records.record import records_of

    [record] = records_of([find_run(runs, name)])
    found = record.outputs.get("plan")
    if not isinstance(found, list) or not found:
        raise UsageError(
            f"the run {record.place.run_id} ({record.status}) has no plan to draw: a planner that "
            "came to its end has one (defaults: [planner, _self_])"
        )
    return plan_chart(TypeAdapter(tuple[PlanRecord, ...]).validate_python(found))
