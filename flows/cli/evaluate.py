"""`flows eval`: a file of questions with their answers, asked of any model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from flows.cli.arguments import MODELS_NAMED, Data, Processes
from flows.cli.jobs import JobLine

if TYPE_CHECKING:
    from flows.evaluation.analyses import AnalysisJudged
    from flows.evaluation.golden import J
    from flows.evaluation.verdicts import JudgedCase
    from flows.services.batch import Job
    from flows.services.batch_messages import BatchReply
    from flows.services.request import Options

NOT_RIGHT_ANY_MORE = 1
REPORTS = ("report.json", "report.html")
COMPARISON = "comparison.json"


def evaluate(
    cases: Annotated[
        str,
        typer.Argument(metavar="CASES", help="A file with a case a line, as JSON; or a YAML list."),
    ],
    overrides: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OVERRIDE", show_default=False, help="answer_above=0 model.base_url=..."
        ),
    ] = None,
    data: Data = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            help=f"Who answers: {MODELS_NAMED}; several are compared.",
            metavar="MODEL",
            show_default=False,
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            help="How a language model answers: request, sql or auto; several are compared.",
            metavar="WAY",
            show_default=False,
        ),
    ] = None,
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
    the right result), "request" (as flows ask --explain prints it), "rows" or "answer", and if you
    like "id", "difficulty" and "ordered". A file that ends in .yaml is a list of such objects.

    With "findings" in the lines, and perhaps "docs", the analyst team works on them, one after the
    other; each finding that is expected is looked for in what it reports (docs/eval.md). Ctrl-C
    ends it with a report of the cases so far.

    Rows compare in any order, unless the query ends in ORDER BY or the case says "ordered": true;
    columns in any order; numbers within a millionth. Each expected column must be found; further
    ones are evidence, and allowed without --exact.

    With --golden FILE the cases that are right are remembered. When one of them is not right any
    more, it is named and the exit code is 1.

    Examples:

      flows eval cases.jsonl
      flows eval cases.jsonl --model openai:gpt-5-mini --out with-gpt
      flows eval cases.jsonl --model openai --by request --by sql
      flows eval cases.jsonl --model offline --model tiered:openai:gpt-5-mini
      flows eval cases.jsonl --golden golden.json
      flows eval cases.jsonl answer_above=0 ask_above=0

    Exit codes:

        0  all cases were asked, however they came out
        1  with --golden, a case that was right is not
        2  wrong usage, or a file that cannot be read or written
      130  Ctrl-C
    """
    from flows.cli.jobs import STDIN, cases_of, lines_of, opened
    from flows.cli.options import options_of
    from flows.errors import UsageError
    from flows.evaluation.golden import read_golden
    from flows.services.files import check_writable

    known = read_golden(golden) if golden is not None else frozenset()
    ways: list[str | None] = list(dict.fromkeys(by or ())) or [None]
    models: list[str | None] = list(dict.fromkeys(model or ())) or [None]
    if len(ways) * len(models) > 1 and golden is not None:
        raise UsageError("with --golden one --model and one --by can be given")
    named = {
        name_of(each, way, models, ways): options_of(overrides or (), each, asks_back=False, by=way)
        for each in models
        for way in ways
    }
    asked = Evaluation(cases, data or [], next(iter(named.values())), known, golden, out, as_json)
    several = {name: asked.named(name, each) for name, each in named.items()}
    if len(several) == 1:
        several = {}
    written = [path for each in several.values() or [asked] for path in each.written]
    written += [out / COMPARISON] if several else []
    for path in (*written, *([golden] if golden is not None else ())):
        check_writable(path, makes_folders=True)
    base = Path.cwd() if cases == STDIN else Path(cases).absolute().parent
    with opened(cases) as file:
        in_yaml = Path(cases).suffix.lower() in (".yaml", ".yml")
        lines = cases_of(file) if in_yaml else lines_of(file)
        return evaluate_lines(asked, several, lines, base, processes, exact=exact)


def name_of(
    model: str | None, way: str | None, models: Sequence[str | None], ways: Sequence[str | None]
) -> str:
    """What one of several evaluations is called: by the model or the way in which it differs from
    the others."""
    from flows.services.model_choice import OFFLINE

    if len(models) == 1:
        return str(way)
    return str(model or OFFLINE) + (f" by {way}" if len(ways) > 1 else "")


def evaluate_lines(
    asked: Evaluation,
    several: dict[str, Evaluation],
    lines: Iterator[JobLine],
    base: Path,
    processes: int,
    *,
    exact: bool,
) -> int:
    """Evaluate cases as their first one says: as answers, in `several` ways where there are some,
    or as analyses. Errors: `UsageError` for what does not go with cases of that kind."""
    from itertools import chain

    from flows.errors import UsageError
    from flows.evaluation.analyses import FINDINGS

    first = next(lines, None)
    if first is None:
        raise UsageError(f"{asked.file} holds no case")
    if FINDINGS not in first.values:
        if several:
            return compare(several, [first, *lines], base, processes, exact=exact)
        return evaluate_answers(asked, chain([first], lines), base, processes, exact=exact)
    if several:
        raise UsageError("answers are compared, and the cases of this file are analyses")
    if exact:
        raise UsageError("--exact is about rows, and the cases of this file are analyses")
    return evaluate_analyses(asked, chain([first], lines), base)


class Evaluation(NamedTuple):
    """What is asked of whom, which cases were right before, and where the report goes."""

    file: str
    data: list[str]
    options: Options
    known: frozenset[str]
    golden: Path | None
    out: Path
    as_json: bool

    def named(self, name: str, options: Options) -> Evaluation:
        """The same with other options, in a folder of that name, written as a file's can be."""
        folder = re.sub(r"[^\w.-]+", "-", name).strip("-.")
        return self._replace(options=options, out=self.out / folder)

    @property
    def written(self) -> list[Path]:
        return [self.out / name for name in REPORTS]


def compare(
    several: dict[str, Evaluation],
    lines: list[JobLine],
    base: Path,
    processes: int,
    *,
    exact: bool,
) -> int:
    """The same cases asked of several models, or in several ways, each with a report in a folder of
    its name; beside them, in which cases they differ."""
    from flows.cli.output import write_json
    from flows.evaluation.differences import differences_of
    from flows.evaluation.summary import summarize
    from flows.ui.console import make_console
    from flows.ui.evaluation import show_ways
    from flows.ui.evaluation_page import evaluation_page

    reports = {}
    for name, each in several.items():
        judged = judge_all(each, iter(lines), base, processes, exact=exact)
        report, _ = report_of(each._replace(as_json=False), judged, summarize(judged))
        write(each.written[1], evaluation_page(report))
        reports[name] = report
    differences = differences_of(reports)
    some = next(iter(several.values()))
    comparison = some.out.parent / COMPARISON
    figures = {name: _without_cases(each) for name, each in reports.items()}
    found = {"by": figures, "differences": differences}
    write(comparison, json.dumps(found, ensure_ascii=False, indent=1, default=str))
    if some.as_json:
        write_json({"by": reports, "differences": differences})
    else:
        written = [path for each in several.values() for path in each.written]
        show_ways(make_console(), reports, differences, [comparison, *written])
    return 0


def _without_cases(report: dict[str, Any]) -> dict[str, Any]:
    return {name: each for name, each in report.items() if name != "cases_judged"}


def evaluate_answers(
    asked: Evaluation, lines: Iterator[JobLine], base: Path, processes: int, *, exact: bool
) -> int:
    """Cases whose answer is a result."""
    from flows.evaluation.summary import summarize
    from flows.ui.console import make_console
    from flows.ui.evaluation import show_evaluation
    from flows.ui.evaluation_page import evaluation_page

    judged = judge_all(asked, lines, base, processes, exact=exact)
    report, gone = report_of(asked, judged, summarize(judged))
    write(asked.written[1], evaluation_page(report))
    if not asked.as_json:
        show_evaluation(make_console(), report, asked.written)
    return NOT_RIGHT_ANY_MORE if gone else 0


def evaluate_analyses(asked: Evaluation, lines: Iterator[JobLine], base: Path) -> int:
    """Cases that the analyst team works on. Each verdict is shown as soon as it is there; what is
    there is also reported when the rest is broken off."""
    from flows.cli.analysis_cases import judge_cases
    from flows.evaluation.analysis_figures import summarize_analyses
    from flows.ui.analyses import show_analyses, show_verdict
    from flows.ui.analyses_page import analyses_page
    from flows.ui.console import make_console

    options = replace(asked.options, person="detached", glossary=None)
    judged: list[AnalysisJudged] = []
    stopped: KeyboardInterrupt | None = None
    console = make_console(to_stderr=asked.as_json)
    try:
        for each in judge_cases(lines, base, asked.data, options):
            judged.append(each)
            show_verdict(console, each)
    except KeyboardInterrupt as interrupt:
        stopped = interrupt
    figures = {**summarize_analyses(judged), "stopped": stopped is not None}
    report, gone = report_of(asked, judged, figures, whole=stopped is None)
    write(asked.written[1], analyses_page(report))
    if not asked.as_json:
        show_analyses(console, report, asked.written)
    if stopped is not None:
        raise stopped
    return NOT_RIGHT_ANY_MORE if gone else 0


def report_of(
    asked: Evaluation, judged: Sequence[J], figures: dict[str, Any], *, whole: bool = True
) -> tuple[dict[str, Any], list[J]]:
    """The report, which is written; and which cases are not right any more. The golden file is
    kept up to date when none is, and the file was asked as a whole."""
    from flows.cli.output import write_json
    from flows.evaluation.golden import golden_text, lost
    from flows.services.model_choice import OFFLINE

    gone = lost(asked.known, judged) if whole else []
    report = {
        "file": asked.file,
        "model": str(asked.options.model or OFFLINE),
        **figures,
        "lost": [each.case.id for each in gone] if asked.golden is not None else None,
        "cases_judged": [each.as_json() for each in judged],
    }
    write(asked.written[0], json.dumps(report, ensure_ascii=False, indent=1, default=str))
    if asked.golden is not None and whole and not gone:
        write(asked.golden, golden_text(asked.known, judged))
    if asked.as_json:
        write_json(report)
    return report, gone


def judge_all(
    asked: Evaluation, lines: Iterator[JobLine], base: Path, processes: int, *, exact: bool
) -> list[JudgedCase]:
    """The verdict on each case, in the order of the file. Errors: `UsageError`."""
    from flows.cli.jobs import job_of
    from flows.evaluation.cases import Case, case_of
    from flows.evaluation.golden import id_text
    from flows.evaluation.verdicts import judge
    from flows.semantics.request import REQUEST
    from flows.services.batch import BatchOptions, Job, run_batch
    from flows.services.batch_messages import WorkerOptions

    found: list[Case] = []
    names: set[str] = set()
    judged: list[JudgedCase] = []

    def jobs() -> Iterator[Job]:
        for line in lines:
            job = job_of(line, base, asked.data)
            case = case_of(line.id, line.values, f"line {line.number}")
            if job.fault:
                case = Case(line.id, case.question, fault=job.fault)
            elif (name := id_text(line.id)) in names:
                fault = f"line {line.number}: another case has the id {name}"
                case = Case(line.id, case.question, fault=fault)
            else:
                names.add(name)
            found.append(case)
            wanted = "" if case.request is None else REQUEST.dump_json(case.request).decode()
            yield Job(job.request, case.fault, case.sql, wanted)

    def give(reply: BatchReply) -> None:
        case = found[reply.number]
        verdict = judge(case, reply.answer, reply.seconds, reply.expected, exact=exact)
        judged.append(replace(verdict, usage=reply.usage))

    worker = WorkerOptions(asked.options, explain=True)
    run_batch(jobs(), BatchOptions(worker, processes), give)
    return judged


def write(path: Path, text: str) -> None:
    """Write a file whole, and the folder for it. Errors: `UsageError`."""
    from flows.services.files import write_file

    write_file(path, text.encode("utf-8", "replace"), makes_folders=True)


# The command is `flows eval`; Python has that name for something else.
evaluate.__name__ = "eval"
