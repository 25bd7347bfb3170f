"""`flows ask`: one question over data, or many."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli import models
from flows.cli.arguments import Trust

if TYPE_CHECKING:
    from flows.core.result import RunResult
    from flows.services.batch import Given

ENDINGS = (".html", ".json", ".png")
ABSTAINED, WAITS = 1, 75

Data = Annotated[
    list[str] | None,
    typer.Option(
        help="Data to ask: a file, folder or address; may be given more than once.",
        metavar="[NAME=]PATH",
    ),
]
Model = Annotated[str | None, typer.Option(help=models.HELP, metavar="MODEL")]
Processes = Annotated[
    int,
    typer.Option(help="Processes that answer a file; one for each core without.", min=0),
]


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
    the choice is remembered in .flows/glossary.csv. What the data cannot answer is said.

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

        0  answered; with --batch, all lines were worked on
        1  it cannot be answered, and it is said why
        2  wrong usage, or data that cannot be read
        3  the model provider
        4  it failed
       75  it asks back, and nobody is there: flows resume RUN --answer NUMBER goes on
      130  Ctrl-C
    """
    from flows.cli.mistakes import check_question
    from flows.errors import FlowsError, UsageError

    try:
        if batch is not None:
            if question is not None and "=" in question:  # it is an override
                overrides, question = [question, *(overrides or ())], None
            if question is not None or chart is not None:
                raise UsageError("with --batch no QUESTION and no --chart can be given")
            changes = [*models.model_overrides(model), *(overrides or ())]
            return ask_many(batch, data or [], changes, processes, explain, as_json)
        check_question("ask", question, overrides or ())
        if question is None or not question.strip():
            raise UsageError('there is no question; as: flows ask "How many rows?" --data FILE')
        if not data:
            raise UsageError("there is no data to ask; name it with --data PATH")
        changes = [*models.model_overrides(model), *(overrides or ())]
        return ask_one(question, data, changes, chart, explain, as_json, trust or [])
    except FlowsError as error:
        from flows.services.questions import as_given

        as_given(error)
        if as_json and batch is None:
            from flows.cli.output import write_json
            from flows.services.answer import failed

            write_json(failed(str(error), explain=explain))
        raise


def ask_one(
    question: str,
    data: list[str],
    overrides: list[str],
    chart: Path | None,
    explain: bool,
    as_json: bool,
    trust: list[str],
) -> int:
    """Ask one question and show what it came to. Errors: `ConfigError`, `UsageError`."""
    from flows.cli.output import write_json
    from flows.runners import door
    from flows.services.answer import report
    from flows.services.questions import GLOSSARY, ask_file
    from flows.services.sources import overrides_of, quoted
    from flows.ui.answer import show_report
    from flows.ui.console import make_console

    if chart is not None:
        check_chart_file(chart)
    mine = [f"human={'terminal' if somebody_is_there() else 'detached'}", f"glossary={GLOSSARY}"]
    mine += [
        "keep=false",
        f"draw={'true' if chart is not None else 'false'}",
        *overrides_of(data, overrides),
    ]
    mine += [f"+inputs.question={quoted(question)}"]
    result = door.run(ask_file(), [*mine, *overrides], trust=trust)
    found = report(result, explain=explain)
    if chart is not None:
        found["warnings"] = [*found["warnings"], *written_chart(chart, found, result)]
    if as_json:
        write_json(found)
    else:
        show_report(make_console(), found, result, chart=chart)
    return exit_code_of(found, result)


def exit_code_of(found: dict[str, Any], result: RunResult) -> int:
    """What a shell is told."""
    from flows.errors import SourceError, StepFailed, UsageError

    if found["status"] == "clarify":
        return WAITS
    if found["status"] == "abstained":
        return ABSTAINED
    root = result.error.root if isinstance(result.error, StepFailed) else result.error
    if isinstance(root, SourceError):
        return UsageError.exit_code
    return result.exit_code if found["status"] == "failed" else 0


def somebody_is_there() -> bool:
    from flows.human.prompt import is_terminal

    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def check_chart_file(path: Path) -> None:
    """Errors: `UsageError` for a name that says no kind of chart, or where none can be written."""
    from flows.errors import UsageError

    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"{path}: a chart's name ends in {', '.join(ENDINGS)}")
    if not path.parent.is_dir():
        raise UsageError(f"{path} cannot be written: there is no folder {path.parent}")
    if path.is_dir():
        raise UsageError(f"{path} cannot be written: it is a folder")
    if not os.access(path.parent, os.W_OK):
        raise UsageError(f"{path} cannot be written: nothing can be written to {path.parent}")


def written_chart(path: Path, found: dict[str, Any], result: RunResult) -> list[dict[str, str]]:
    """Write what was drawn. Returns a warning when there is nothing that could be drawn.

    Errors: `UsageError` for a file that cannot be written.
    """
    from flows.core.artifacts import write_whole
    from flows.errors import UsageError
    from flows.services.chart import drawn

    content = drawn(path.suffix.lower(), found, result)
    if content is None:
        if any(each["code"] == "no_chart" for each in found["warnings"]):
            return []
        return [{"code": "no_chart", "text": "No chart was drawn: none fits this result."}]
    try:
        write_whole(path, content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    return []


def ask_many(
    batch: str,
    data: list[str],
    overrides: list[str],
    processes: int,
    explain: bool,
    as_json: bool,
) -> int:
    """Ask all lines of a file, each answered as soon as those before it are.

    Errors: `UsageError` for a file that cannot be read, or a config that nothing can be asked with.
    """
    from collections import deque

    from flows.cli import silence
    from flows.cli.jobs import STDIN, Line, job_of, lines_of, opened
    from flows.cli.output import write_json
    from flows.services.batch import run_batch
    from flows.ui.answer import batch_line

    asked: deque[Line] = deque()
    base = Path.cwd() if batch == STDIN else Path(batch).absolute().parent

    def give(number: int, given: Given) -> None:
        del number
        line, found = asked.popleft(), given.found
        reason, where = str(found["reason"]), f"line {line.number}"
        if found["run_id"] is None and not reason.startswith(where):  # nothing was asked
            found = {**found, "reason": f"{where}: {reason}"}
        if as_json:
            write_json({"id": line.id, **found}, quiet=False)
        else:
            print(batch_line(line.id, found), flush=True)

    with opened(batch) as file:

        def jobs() -> Any:
            for line in lines_of(file):
                asked.append(line)
                yield job_of(line, base, data)

        try:
            run_batch(jobs(), many_settings(overrides, processes, explain=explain), give)
        except* BrokenPipeError:  # nobody reads on, and nothing more is asked
            silence()
    return 0


def many_settings(overrides: list[str], processes: int, *, explain: bool) -> Any:
    """How many questions are asked at once: of a model over the network more than cores."""
    from flows.services.batch import settings_of
    from flows.services.questions import GLOSSARY

    known = [f"glossary={GLOSSARY}"] if GLOSSARY.is_file() else []
    chosen = [each for each in overrides if each.startswith("model=")]
    remote = bool(chosen) and chosen[-1] != "model=offline"
    given = {"processes": processes, "explain": explain, "at_once": 8 if remote else 1}
    return settings_of([*known, *overrides], **given)
