"""`flows compete`: a task of prediction, from a folder to a submission."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import Model, Trust

if TYPE_CHECKING:
    from flows.cli.pipeline import CompetitionShow
    from flows.core.result import RunResult


def compete(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER",
            help="The folder of the task, or a zip of it: a text that says what is to be "
            "predicted, a table train, and, if there are such, test and a sample submission.",
        ),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OVERRIDE",
            show_default=False,
            help="limits.cost=2 ModelBuilding.most_tries=1 ~InDepthEDA model.base_url=...",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write submission.csv, report.html and report.ipynb into this folder. They are "
            "in the folder of the run too.",
            metavar="DIR",
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--time",
            help="Seconds that the code of all phases may take; 600 without.",
            metavar="SECONDS",
            min=1.0,
            show_default=False,
        ),
    ] = None,
    model: Model = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    trust: Trust = None,
) -> int:
    """Have a pipeline of agents work on a task of prediction, and get a submission.

    The task is read of its text and its tables. Phase by phase the data are looked at, cleaned and
    given features, and models are validated and compared; agents plan each phase, write its code,
    run it in the sandbox, test what it made, and review it. A phase that is not good enough is
    tried again. A submission whose unit tests fail is not written.

    At a terminal you see the phases while they are worked on. Ctrl-C leaves a run that flows resume
    goes on with.

    Examples:

      flows compete titanic --out result
      flows compete titanic --out result --time 120
      flows compete titanic.zip --json --quiet
      flows compete titanic --model openai limits.cost=2
      flows compete titanic ~InDepthEDA ModelBuilding.most_tries=1

    Exit codes:

        0  done; or done in part: a phase was not good enough, and its best try counts
        1  there is no submission, and it is said why
        2  wrong usage, or data that cannot be read
        3  the model provider
        4  it failed
       75  it waits for you, and nobody is there: flows resume RUN --answer "..." goes on
       78  sandbox.mode=strict, and a wall of the sandbox is missing
      130  Ctrl-C
      143  it was told to terminate
    """
    from flows.cli.options import options_of
    from flows.cli.pipeline import CompetitionShow, watch_pipeline
    from flows.services import competition

    with CompetitionShow(as_json=as_json, quiet=quiet) as show:
        request = competition.CompetitionRequest(folder, out, seconds)
        options = options_of(overrides or (), model, trust or ())
        result = competition.compete(
            request, options, listeners=show.listeners, told=show.note,
            begin=lambda plan: watch_pipeline(show.watched, plan),
        )  # fmt: skip
        return end_competition(result, out, show)


def end_competition(result: RunResult, out: Path | None, show: CompetitionShow) -> int:
    """Write the results and show what it came to. Returns the exit code."""
    from flows.cli.pipeline import competition_exit_code, note_unwritten
    from flows.services.competition_answer import CompetitionAnswer
    from flows.services.competition_results import write_results
    from flows.ui.console import make_console
    from flows.ui.ending import show_result

    written = write_results(result, out)
    if show.as_json:
        show.write(CompetitionAnswer.of(result, written).as_json())
    else:
        show_result(make_console(), result, reports=tuple(written.values()))
    note_unwritten(out, written)
    return competition_exit_code(result)
