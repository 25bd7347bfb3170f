"""`flows resume`: go on with a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.arguments import Events, Trust


def resume(
    run_id: Annotated[
        str, typer.Argument(metavar="RUN_ID", help="A run's id, the beginning of one, or last.")
    ],
    answer: Annotated[
        str | None,
        typer.Option(help="The answer to the question that the run waits with.", metavar="TEXT"),
    ] = None,
    step: Annotated[
        str | None,
        typer.Option(help="The step whose question is answered, if several wait.", metavar="STEP"),
    ] = None,
    runs: Annotated[Path, typer.Option(help="The folder of run folders.")] = Path("runs"),
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")
    ] = False,
    events: Events = None,
    trust: Trust = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show inner steps too.")] = False,
) -> int:
    """Go on with a run after its last recorded step.

    A run can be gone on with when it was stopped or killed, when it waits for an answer, and when
    a step failed. What it had done is not done again. What flows analyse, flows compete or
    flows map was to write with --out is written when the run ends.

    Of several answers to a question the first that was recorded counts; with --step, an answer that
    comes too late never becomes that to a later question. A step that began, must not
    be done twice, and of which nothing more is known is asked about: again, failed, or its outputs
    as JSON.

    An answer that begins with a colon is a command to the session (:help lists them): it is carried
    out, and the run goes on. The answer :text is written ::text.

    Examples:

      flows resume 20260102-150405-a1b2c3
      flows resume last --answer "only the year 2007"
      flows resume 20260102-150405-a1b2c3 --step 'HumanFeedback#2' --answer "only the year 2007"
      flows resume last --answer ":set Executor.sql.max_rows=50"
      flows resume 20260102-150405-a1b2c3 --json

    Exit codes are those of flows run; 2 too when there is no such run, 4 when its journal is
    damaged.
    """
    from flows.cli.map_rows import end_map
    from flows.cli.pipeline import end_resumed, watch_pipeline
    from flows.cli.show import Show
    from flows.cli.team import watch_team
    from flows.human.answers import read_command
    from flows.records.lookup import find_run
    from flows.runners import door
    from flows.services.analysis import has_analyst
    from flows.services.competition import has_pipeline
    from flows.services.competition_results import wanted_folder
    from flows.services.hosting.open_service import STATE
    from flows.services.hosting.serving_process import refuse_served
    from flows.services.map_results import wanted_results
    from flows.services.report_files import wanted_reports
    from flows.ui.pipeline import PipelineScreen
    from flows.ui.team import TeamScreen

    pipeline = has_pipeline(runs, run_id)
    team = not pipeline and has_analyst(runs, run_id)
    live = TeamScreen if team else PipelineScreen if pipeline else None
    with (
        Show(
            as_json=as_json, verbose=verbose, events=events, live=None if verbose else live
        ) as show,
        watch_team(show.watched if team else None) as begin,
    ):
        refuse_served(STATE, find_run(runs, run_id), answer, step)
        out = wanted_folder(runs, run_id) if pipeline else None
        reports = wanted_reports(runs, run_id)
        mapped = wanted_results(runs, run_id)
        command, answer = (None, None) if answer is None else read_command(answer)
        result = door.resume(
            run_id,
            runs=runs,
            answer=answer if command is None else None,
            command=command,
            step=step,
            listeners=show.listeners,
            trust=trust or (),
            begin=(lambda plan: watch_pipeline(show.watched, plan)) if pipeline else begin,
        )
        if pipeline:
            return end_resumed(result, out, show)
        if mapped is not None:
            return end_map(result, *mapped, show)
    return show.end(result, reports)
