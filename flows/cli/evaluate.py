"""`flows eval`: a file of questions with their answers, asked of any model."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli import models
from flows.cli.ask import Data, Model, Processes

if TYPE_CHECKING:
    from flows.evaluation.verdicts import Judged

NOT_RIGHT_ANY_MORE = 1
REPORTS = ("report.json", "report.html")


def evaluate(
    cases: Annotated[
        str, typer.Argument(metavar="CASES", help="A file with a case a line, as JSON.")
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OVERRIDE", show_default=False, help="answer_above=0 model.base_url=..."
        ),
    ] = None,
    data: Data = None,
    model: Model = None,
    out: Annotated[
        Path, typer.Option(help="The folder for report.json and report.html.", metavar="FOLDER")
    ] = Path("evaluation"),
    golden: Annotated[
        Path | None,
        typer.Option(
            help="Cases that have to stay right: made when it is not there.", metavar="FILE"
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Columns beside the expected ones are wrong.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="The report as one JSON object on stdout.")
    ] = False,
    processes: Processes = 0,
) -> int:
    """Ask questions whose answers are known, and report what is right.

    Each line is {"question": "...", "data": ["PATH", ...]} with one of "sql" (a query that gives
    the right result), "rows" or "answer", and if you like "id", "difficulty" and "ordered".

    Rows compare in any order, unless the query ends in ORDER BY or the case says "ordered": true;
    columns in any order; numbers within a millionth. Each expected column must be found; further
    ones are evidence, and allowed without --exact.

    With --golden FILE the cases that are right are remembered. When one of them is not right any
    more, it is named and the exit code is 1.

    Examples:

      flows eval cases.jsonl
      flows eval cases.jsonl --model openai:gpt-5-mini --out with-gpt
      flows eval cases.jsonl --golden golden.json
      flows eval cases.jsonl answer_above=0 ask_above=0

    Exit codes:

        0  all cases were asked, however they came out
        1  with --golden, a case that was right is not
        2  wrong usage, or a file that cannot be read or written
      130  Ctrl-C
    """
    from flows.cli.show import write_json
    from flows.evaluation.golden import golden_text, lost, read_golden
    from flows.evaluation.summary import summarize
    from flows.ui.console import make_console
    from flows.ui.evaluation import show_evaluation
    from flows.ui.evaluation_page import evaluation_page

    known = read_golden(golden) if golden is not None else frozenset()
    changes = [*models.model_overrides(model), *(overrides or ())]
    written = [out / name for name in REPORTS]
    for path in (*written, *([golden] if golden is not None else ())):
        check_writable(path)
    judged = asked_all(cases, data or [], changes, processes, exact=exact)
    gone = lost(known, judged)
    report = {
        "file": cases,
        "model": model or "offline",
        **summarize(judged),
        "lost": [each.case.id for each in gone] if golden is not None else None,
        "cases_judged": [each.as_json() for each in judged],
    }
    write(written[0], json.dumps(report, ensure_ascii=False, indent=1, default=str))
    write(written[1], evaluation_page(report))
    if golden is not None and not gone:
        write(golden, golden_text(known, judged))
    if as_json:
        write_json(report)
    else:
        show_evaluation(make_console(), report, written)
    return NOT_RIGHT_ANY_MORE if gone else 0


def asked_all(
    path: str, data: list[str], overrides: list[str], processes: int, *, exact: bool
) -> list[Judged]:
    """The verdict on each case, in the order of the file. Errors: `UsageError`."""
    from flows.cli.ask import many_settings
    from flows.cli.jobs import STDIN, job_of, lines_of, opened
    from flows.errors import UsageError
    from flows.evaluation.cases import Case, case_of
    from flows.evaluation.golden import id_text
    from flows.evaluation.verdicts import judge
    from flows.runners.batch import Given, Job, run_batch

    found: list[Case] = []
    names: set[str] = set()
    judged: list[Judged] = []
    base = Path.cwd() if path == STDIN else Path(path).absolute().parent

    def jobs() -> Iterator[Job]:
        for line in lines_of(file):
            job: Job = job_of(line, base, data)
            case = case_of(line.id, line.values, f"line {line.number}")
            if job.fault:
                case = Case(line.id, case.question, fault=job.fault)
            elif (name := id_text(line.id)) in names:
                fault = f"line {line.number}: another case has the id {name}"
                case = Case(line.id, case.question, fault=fault)
            else:
                names.add(name)
            found.append(case)
            yield Job(job.question, job.data, case.fault, case.sql)

    def give(number: int, given: Given) -> None:
        case = found[number]
        judged.append(judge(case, given.found, given.seconds, given.expected, exact=exact))

    with opened(path) as file:
        run_batch(jobs(), many_settings(overrides, processes, explain=True), give)
    if not judged:
        raise UsageError(f"{path} holds no case")
    return judged


def check_writable(path: Path) -> None:
    """Find out before anything is asked that a file cannot be written. Errors: `UsageError`."""
    from flows.errors import UsageError

    held = next(each for each in path.absolute().parents if each.exists())
    if path.is_dir():
        raise UsageError(f"{path} cannot be written: it is a folder")
    if not held.is_dir():
        raise UsageError(f"{path} cannot be written: {held} is no folder")
    if not os.access(held, os.W_OK):
        raise UsageError(f"{path} cannot be written: nothing can be written to {held}")


def write(path: Path, text: str) -> None:
    """Write a file whole, and the folder for it. Errors: `UsageError`."""
    from flows.core.artifacts import write_whole
    from flows.errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


# The command is `flows eval`; Python has that name for something else.
evaluate.__name__ = "eval"
