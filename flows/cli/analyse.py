"""`flows analyse`: a business question over data and documents, worked on by a team."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.arguments import Data, Model, Trust

if TYPE_CHECKING:
    from flows.cli.team import AnalysisShow
    from flows.core.result import RunResult


def analyse(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", show_default=False, help="In words.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OVERRIDE",
            show_default=False,
            help="limits.wall_time=60 Goal.Team.most_tasks=10 model.base_url=...",
        ),
    ] = None,
    data: Data = None,
    docs: Annotated[
        Path | None,
        typer.Option(
            help="A folder of documents that may answer it: pdf, txt, md, docx, html.",
            metavar="DIR",
        ),
    ] = None,
    out: Annotated[
        list[Path] | None,
        typer.Option(
            help="Write the report: .html, .md, .ipynb or .json; may be given more than once. It "
            "is in the folder of the run too.",
            metavar="FILE",
        ),
    ] = None,
    model: Model = None,
    feedback: Annotated[
        bool, typer.Option("--feedback", help="Ask you about the tasks, before and between them.")
    ] = False,
    web: Annotated[
        bool, typer.Option("--web", help="Search the web for context first; needs a network.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    trust: Trust = None,
) -> int:
    """Have a team of agents work on a business question, and get a report.

    The question is broken down into tasks, which agents do: with SQL, Python, models and charts.
    What they find is summed up, and each number in it points to its cell. Documents are asked
    first; what they answer is not asked of the data.

    At a terminal you see the tasks while they are worked on, and Ctrl-C pauses: go on, save to go
    on later, or stop with a report of what there is.

    Examples:

      flows analyse "What drives the yield?" --data farm.db --out report.html
      flows analyse "What drives the yield?" --data farm.db --docs notes --out report.md
      flows analyse "What drives the yield?" --data farm.db --feedback
      flows analyse "What drives the yield?" --data farm.db --model openai limits.wall_time=600

    Exit codes:

        0  answered, or answered in part
        1  it cannot be answered, and it is said why
        2  wrong usage, or data that cannot be read
        3  the model provider
        4  it failed
       75  it waits for you, and nobody is there: flows resume RUN --answer "..." goes on
       78  sandbox.mode=strict, and a wall of the sandbox is missing
      130  Ctrl-C
      143  it was told to terminate
    """
    from flows.cli.options import options_of, request_of
    from flows.cli.team import AnalysisShow, watch_team
    from flows.services import analysis
    from flows.services.report_files import checked_reports

    with AnalysisShow(as_json=as_json, quiet=quiet) as show:
        request = request_of("analyse", question, data or [], overrides or [], docs)
        options = options_of(overrides or (), model, trust or ())
        reports = checked_reports(out or [])
        with watch_team(show.watched) as begin:
            result = analysis.analyse(
                request, options, feedback=feedback, web=web, reports=reports,
                listeners=show.listeners, begin=begin,
            )  # fmt: skip
        return end_analysis(result, reports, show)


def end_analysis(result: RunResult, reports: dict[Path, str], show: AnalysisShow) -> int:
    """Write the reports and show what it came to. Returns the exit code."""
    from flows.cli.show import note_unwritten
    from flows.services.analysis_answer import AnalysisAnswer
    from flows.services.report_files import write_reports
    from flows.ui.console import make_console
    from flows.ui.ending import show_result

    written = write_reports(result, reports)
    if show.as_json:
        chosen = {reports[path]: path for path in written}
        show.write(AnalysisAnswer.of(result).with_reports(chosen).as_json())
    else:
        show_result(make_console(), result, reports=written)
    note_unwritten(reports, written)
    return exit_code_of(result)


def exit_code_of(result: RunResult) -> int:
    """What a shell is told."""
    from flows.cli.ask import ABSTAINED
    from flows.services.analysis_answer import UNANSWERED
    from flows.services.exit_code import request_exit_code

    if code := request_exit_code(result):
        return code
    return ABSTAINED if result.outputs.get("status", UNANSWERED) == UNANSWERED else 0
