"""`flows ask`: one question over data, or many."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.arguments import By, Data, Model, Processes, Trust

if TYPE_CHECKING:
    from flows.core.result import RunResult
    from flows.library.ask.answer import AskAnswer
    from flows.services.batch_messages import BatchReply
    from flows.services.request import DataQuestion, Options

ABSTAINED, WAITS = 1, 75


def ask(
    question: Annotated[
        str | None, typer.Argument(metavar="QUESTION", show_default=False, help="In words.")
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OVERRIDE",
            show_default=False,
            help="answer_above=0.5 max_rows=100 model.base_url=...",
        ),
    ] = None,
    data: Data = None,
    batch: Annotated[
        str | None,
        typer.Option(help="A file with a question a line, as JSON; - is stdin.", metavar="FILE"),
    ] = None,
    model: Model = None,
    by: By = None,
    chart: Annotated[
        Path | None,
        typer.Option(help="Draw the result: .html, .json (plotly) or .png.", metavar="FILE"),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show how each word was read.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object, or one a line, on stdout.")
    ] = False,
    processes: Processes = 0,
    trust: Trust = None,
) -> int:
    """Ask a question over data, and get the answer with its numbers' origins.

    The answer is made of the cells of a result, and comes with the SQL or code that gave it, how
    sure it is, and what to beware of. A question that can be read in several ways is asked back;
    the choice is remembered: flows choices lists it and takes it back. What the data cannot
    answer is said.

    With --batch each line of the file is {"id": ..., "question": "...", "data": ["PATH", ...]},
    and each line of the output what it came to, in the same order. A path starts from the file's
    folder, or from the working folder when it is not there. A line that cannot be asked fails
    alone, with its reason.

    Examples:

      flows ask "Which region has the highest revenue?" --data sales.csv
      flows ask "Sales per month" --data shops.db --chart sales.html
      flows ask "How many orders are late?" --data shops.db --json --explain
      flows ask "How many orders are late?" --data shops.db --model openai
      flows ask --batch questions.jsonl --json

    Exit codes:

        0  answered, or in part; with --batch, all lines were worked on
        1  it cannot be answered, and it is said why
        2  wrong usage, or data that cannot be read
        3  the model provider
        4  it failed
       75  it asks back, and nobody is there: flows resume RUN --answer NUMBER goes on
      130  Ctrl-C
    """
    from flows.cli.options import options_of, request_of
    from flows.errors import FlowsError, UsageError

    given = overrides or []
    try:
        if batch is not None:
            if question is not None and "=" in question:  # it is an override
                given, question = [question, *given], None
            if question is not None or chart is not None:
                raise UsageError("with --batch no QUESTION and no --chart can be given")
            options = options_of(given, model, trust or (), asks_back=False, by=by)
            return ask_many(batch, data or [], options, processes, explain, as_json)
        request = request_of("ask", question, data or [], given)
        options = options_of(given, model, trust or (), learns=True, by=by)
        return ask_one(request, options, chart, explain, as_json)
    except FlowsError as error:
        if as_json and batch is None:
            from flows.cli.output import write_json
            from flows.library.ask.answer import AskAnswer

            write_json(AskAnswer.failure(str(error), explain=explain).as_json())
        raise


def ask_one(
    request: DataQuestion, options: Options, chart: Path | None, explain: bool, as_json: bool
) -> int:
    """Ask one question and show what it came to. Errors: `ConfigError`, `UsageError`."""
    from flows.cli.output import write_json
    from flows.library.ask.answer import NO_CHART
    from flows.services import questions
    from flows.services.answer import answer_of
    from flows.services.chart import check_chart_file, write_chart
    from flows.ui.answer import show_answer
    from flows.ui.console import make_console

    if chart is not None:
        check_chart_file(chart)
    result = questions.ask(request, options, draw=chart is not None)
    answer = answer_of(result, explain=explain)
    if chart is not None and not write_chart(chart, answer, result):
        answer = answer.with_warning(NO_CHART, "No chart was drawn: none fits this result.")
    if as_json:
        write_json(answer.as_json())
    else:
        show_answer(make_console(), answer, result, chart=chart)
    return exit_code_of(answer, result)


def exit_code_of(answer: AskAnswer, result: RunResult) -> int:
    """What a shell is told."""
    from flows.services.exit_code import request_exit_code

    if answer.status == "clarify":
        return WAITS
    if answer.status == "abstained":
        return ABSTAINED
    return request_exit_code(result) if answer.status == "failed" else 0


def ask_many(
    batch: str, data: list[str], options: Options, processes: int, explain: bool, as_json: bool
) -> int:
    """Ask all lines of a file, each answered as soon as those before it are.

    Errors: `UsageError` for a file that cannot be read, or a config that nothing can be asked with.
    """
    from collections import deque

    from flows.cli import silence
    from flows.cli.jobs import STDIN, JobLine, job_of, lines_of, opened
    from flows.cli.output import write_json
    from flows.services.batch import BatchOptions, run_batch
    from flows.services.batch_messages import WorkerOptions
    from flows.ui.answer import batch_line

    asked: deque[JobLine] = deque()
    base = Path.cwd() if batch == STDIN else Path(batch).absolute().parent

    def give(reply: BatchReply) -> None:
        line, answer = asked.popleft(), reply.answer
        where = f"line {line.number}"
        if answer.run_id is None and not answer.reason.startswith(where):  # nothing was asked
            answer = answer.model_copy(update={"reason": f"{where}: {answer.reason}"})
        if as_json:
            write_json({"id": line.id, **answer.as_json()}, quiet=False)
        else:
            print(batch_line(line.id, answer), flush=True)

    with opened(batch) as file:

        def jobs() -> Any:
            for line in lines_of(file):
                asked.append(line)
                yield job_of(line, base, data)

        try:
            worker = WorkerOptions(options, explain=explain)
            run_batch(jobs(), BatchOptions(worker, processes), give)
        except* BrokenPipeError:  # nobody reads on, and nothing more is asked
            silence()
    return 0
