"""The report of a pipeline as a notebook that runs again, without this package.

It reads the files of the task, defines the tools that were called, and does the steps of each phase
in order. As in the run, a step is given tables and passes tables on, through Parquet.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.prediction.task import TEST, TRAIN
from flows.analysis.prediction.work import PhaseRecord, StepOutcome
from flows.report.cells import NotebookCell, code_cell, notebook_file, text_cell
from flows.report.loading import expression_of_source
from flows.report.markdown import Notes, escaped, fenced, inline
from flows.report.pipeline.contents import STATUSES, PipelineReport, ToolTold
from flows.report.pipeline.prose import Line, ListItem, ProsePiece, pieces_of, without_title
from flows.report.pipeline.views import score_text, task_facts
from flows.report.prose import TextSpan
from flows.report.report import SourceUsed
from flows.sandbox.libraries import NAMES
from flows.sandbox.syntax import UnreadableCode, compiled

_FUTURE: Final = "from __future__ import annotations\n"
_CARE: Final = (
    "**The code below was generated.** In the run it was executed in a sandbox. Here it runs with "
    "your own rights: read it before you run it. It needs pandas, DuckDB, PyArrow, scikit-learn "
    "and Matplotlib. What is fitted within a time may come out otherwise on another machine."
)
_THREADS: Final = """\
import os

# As in the run: with one thread sums come out the same, and none waits for another.
for library in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "BLIS"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")
"""
_SETUP: Final = '''\
import io

import duckdb
import pandas as pd
from pyarrow import parquet

tables = {}  # as each step finds them


def given(*names):
    """Set variables to the tables of these names, each a copy of its own."""
    for name in names:
        globals()[name] = tables[name].copy()


def keep(*names):
    """Pass on the tables that a step has made or changed: through Parquet, as in the run."""
    for name in names:
        made = globals()[name]
        frame = made.to_frame(made.name or name) if isinstance(made, pd.Series) else made.copy()
        frame.columns = [str(each) for each in frame.columns]
        counts = frame.index.nlevels == 1 and frame.index.name is None
        frame = frame.reset_index(drop=counts and frame.index.dtype.kind in "iu")
        for column in frame:
            if str(frame[column].dtype).startswith(("period", "interval")):
                frame[column] = frame[column].astype(str).where(frame[column].notna())
        file = io.BytesIO()
        frame.to_parquet(file, index=False)
        tables[name] = parquet.read_table(file).to_pandas()'''


def pipeline_notebook(report: PipelineReport) -> bytes:
    """The notebook as a file."""
    known = {each.name: each for each in report.tools}
    defined: dict[str, str] = {}
    cells = [text_cell("\n\n".join(_top(report))), code_cell(_setup(report)), *_reading(report)]
    if report.tools:
        cells.append(text_cell("## Tools that were called"))
    for tool in report.tools:
        cells += _defining(tool, defined)
    tables = {name for name, _ in _sources(report)}
    tables |= {f"raw_{name}" for name in (TRAIN, TEST) if name in tables}
    for number, phase in enumerate(report.phases, 1):
        cells += _phase(phase, number, tables, known, defined)
    cells += _end(report, tables)
    return notebook_file(cells)


def _top(report: PipelineReport) -> Iterator[str]:
    yield f"# {escaped(report.title)}"
    said = STATUSES.get(report.status, report.status)
    if report.score is not None:
        said += f". {report.metric} by validation: {score_text(report.score)}"
    yield f"*{escaped(said)}*"
    if report.task is not None:
        yield "\n".join(f"- {escaped(f.name)}: {escaped(f.value)}" for f in task_facts(report.task))
    if report.notes:
        yield "\n".join(f"- {escaped(each)}" for each in report.notes)
    yield _CARE


def _setup(report: PipelineReport) -> str:
    """The setup, with the libraries that code knows by short names."""
    named: set[str] = set()
    for phase in report.phases:
        for outcome in phase.work.outcomes:
            named |= _names(outcome.code)
    lines = [f"import {NAMES[name]} as {name}" for name in NAMES if name in named and name != "pd"]
    return "\n".join([_THREADS, *lines, _SETUP])


def _reading(report: PipelineReport) -> Iterator[NotebookCell]:
    """Reading the files of the task again."""
    yield text_cell("## The tables of the task")
    for variable, source in _sources(report):
        told = f"{escaped(variable)}, SHA-256 at the time of the run: `{source.sha256}`"
        if copy := report.copies.get(variable):
            told += ". The file takes more than one way of reading to get it right: this is a copy "
            told += "of the table as it was read."
            lines = [f"{variable} = pd.read_parquet({copy!r})"]
        else:
            lines = [f"{variable} = {expression_of_source(source)}"]
        yield text_cell(told)
        yield code_cell("\n".join([*lines, f'keep("{variable}")', f"{variable}.head()"]))
    if report.sampling:
        yield text_cell("Of the rows a sample is learned from.")
        yield code_cell(f'given("{TRAIN}")\n\n{report.sampling.strip()}\n\nkeep("{TRAIN}")')
    yield code_cell(
        f'for name in ("{TRAIN}", "{TEST}"):\n    if name in tables:\n'
        '        tables[f"raw_{name}"] = tables[name]'
    )


def _sources(report: PipelineReport) -> Iterator[tuple[str, SourceUsed]]:
    """The variables that are read, each with the source that has its table."""
    for variable, table in report.frames.items():
        for source in report.sources:
            if any(each.name == table for each in source.tables):
                yield variable, source
                break


def _defining(tool: ToolTold, defined: dict[str, str]) -> Iterator[NotebookCell]:
    """The cell that defines a tool, unless all that it defines is there as it says."""
    own = _definitions(tool.code)
    if all(defined.get(name) == text for name, text in own.items()):
        return
    defined.update(own)
    yield code_cell(tool.code.strip())


def _phase(
    phase: PhaseRecord,
    number: int,
    tables: set[str],
    tools: dict[str, ToolTold],
    defined: dict[str, str],
) -> Iterator[NotebookCell]:
    """The steps of a phase; those of one that did not run to its end changed nothing."""
    report = text_of(pieces_of(without_title(phase.report, phase.title)))
    yield text_cell("\n\n".join(filter(None, [f"## {number}. {escaped(phase.title)}", report])))
    outcomes = phase.work.outcomes
    if not outcomes:
        return
    if not phase.work.ran:
        yield text_cell("*The code of this phase did not run to its end: it changed no table.*")
        return
    yield code_cell(
        f'for name in ("{TRAIN}", "{TEST}"):\n    if name in tables:\n'
        '        tables[f"before_{name}"] = tables[name]'
    )
    tables.update(f"before_{name}" for name in (TRAIN, TEST) if name in tables)
    for place, outcome in enumerate(outcomes, 1):
        head = f"### {number}.{place} {escaped(outcome.step.purpose)}"
        if outcome.status != "done":
            why = f"*This step was left out: {escaped(outcome.error)}*"
            yield text_cell("\n\n".join([head, why, fenced(outcome.code, "python")]))
            continue
        yield text_cell(head)
        for name in sorted(_names(outcome.code) & tools.keys()):
            yield from _defining(tools[name], defined)
        yield code_cell(_step(outcome, tables), may_fail=outcome.step.optional)
        tables.update(outcome.made)


def _step(outcome: StepOutcome, tables: set[str]) -> str:
    """The code of a step, between taking its tables and passing them on."""
    names = _names(outcome.code)
    taken = ", ".join(f'"{each}"' for each in sorted(names & tables))
    made = ", ".join(f'"{each}"' for each in outcome.made if each in names)
    code = outcome.code.replace(_FUTURE, "").strip()
    parts = [_FUTURE.strip()] if _FUTURE in outcome.code else []
    parts += [f"given({taken})"] if taken else []
    return "\n\n".join([*parts, code, *([f"keep({made})"] if made else [])])


def _end(report: PipelineReport, tables: set[str]) -> Iterator[NotebookCell]:
    if "submission" not in tables:
        return
    if not report.submission:
        yield text_cell("*The submission was not written: its unit tests failed.*")
        return
    yield text_cell("## The submission")
    yield code_cell(
        'tables["submission"].to_csv("submission.csv", index=False)\ntables["submission"].head()'
    )


def _names(code: str) -> frozenset[str]:
    try:
        return compiled(code, "<step>").names
    except UnreadableCode:
        return frozenset()


def _definitions(code: str) -> dict[str, str]:
    """What the top level of a tool defines, by name, as text."""
    found: dict[str, str] = {}
    for statement in ast.parse(code).body:
        text = ast.unparse(statement)
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            found[statement.name] = text
        elif isinstance(statement, ast.Assign):
            found |= {each.id: text for each in statement.targets if isinstance(each, ast.Name)}
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            found[statement.target.id] = text
    return found


def text_of(pieces: Sequence[ProsePiece], indent: str = "") -> str:
    """Pieces of a told text as Markdown that holds no other markup."""
    return "\n\n".join(filter(None, (_piece(each, indent) for each in pieces)))


def _piece(piece: ProsePiece, indent: str) -> str:
    match piece.kind:
        case "code":
            return "\n".join(indent + line for line in fenced(piece.text, "").splitlines())
        case "bullets":
            return "\n".join(_item(each, "-", indent) for each in piece.items)
        case "numbers":
            items = enumerate(piece.items, 1)
            return "\n".join(_item(each, f"{place}.", indent) for place, each in items)
        case "table":
            rule = f"{indent}|{' --- |' * len(piece.head)}"
            rows = [_row(each, indent) for each in piece.rows]
            return "\n".join([_row(piece.head, indent), rule, *rows])
        case "heading":
            return f"{indent}**{_line(piece.line)}**" if piece.line else ""
    return f"{indent}{_line(piece.line)}"


def _item(item: ListItem, mark: str, indent: str) -> str:
    below = text_of(item.below, indent + " " * (len(mark) + 1))
    return f"{indent}{mark} {_line(item.line)}" + (f"\n{below}" if below else "")


def _row(cells: Sequence[Line], indent: str) -> str:
    return f"{indent}| {' | '.join(map(_line, cells))} |"


def _line(line: Line) -> str:
    spans = [TextSpan("text", each.text, each.kind == "strong") for each in line]
    return inline(spans, Notes())
