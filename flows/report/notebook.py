"""A report as a notebook that runs again: it reads the sources, then does each task in order.

The queries and the code are those of the run, as they are. What they are about stands in Markdown
cells, escaped, and nothing of it in the code of ours: paths and SQL are there as literals.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from flows.core.artifacts import Artifacts
from flows.report.cells import NotebookCell, code_cell, notebook_file, text_cell
from flows.report.evidence import Evidences, evidences
from flows.report.loading import (
    SETUP,
    asking_again,
    lines_of_frames,
    lines_of_given,
    lines_of_sources,
)
from flows.report.markdown import Notes, escaped, inline, told_text
from flows.report.prose import blocks_of, spans_of
from flows.report.report import Report
from flows.report.tasks import agent_name
from flows.semantics.findings import Finding, TaskResult

_CARE: Final = (
    "**The code below was generated.** In the run it was executed in a sandbox, and its queries "
    "were read-only. Here it runs with your own rights: read it before you run it."
)


@dataclass
class _Made:
    """The variables of what was made so far, by the names of artifacts and the numbers of tasks."""

    artifacts: dict[str, str] = field(default_factory=dict)
    tasks: dict[str, str] = field(default_factory=dict)


def notebook_page(report: Report, artifacts: Artifacts, found: Evidences | None = None) -> bytes:
    """The notebook as a file. Errors: `JournalError` for an artifact that is gone or changed."""
    found = found or evidences(report, artifacts)
    cells = [*_top(report, found), *_sources(report)]
    cells += _tasks(report, report.results, found, _Made(), "")
    return notebook_file(cells)


def _top(report: Report, found: Evidences) -> Iterator[NotebookCell]:
    notes = Notes()
    summary = told_text(blocks_of(report.summary, found, len(report.passages)), notes)
    read = "\n".join(f"- {escaped(each)}" for each in report.understood)
    parts = [f"# {escaped(report.question)}", read, summary, "\n\n".join(notes.texts()), _CARE]
    yield text_cell("\n\n".join(filter(None, parts)))


def _sources(report: Report) -> Iterator[NotebookCell]:
    """Reading the sources again, each table as a data frame and for queries."""
    yield code_cell(SETUP)
    for source in report.sources:
        yield text_cell(f"Source {escaped(source.name)}, SHA-256 at the time of the run: "
                    f"`{source.sha256}`")  # fmt: skip
        yield code_cell("\n".join(lines_of_sources(source)))
    yield code_cell(lines_of_frames(report.sources))


def _tasks(
    report: Report, results: tuple[TaskResult, ...], found: Evidences, made: _Made, above: str
) -> Iterator[NotebookCell]:
    for result in results:
        number = f"{above}{result.task.task_id}"
        yield text_cell(_about(report, result, found, number))
        if result.status == "done":
            yield from _work(report, result, found, made, number)
        if result.finding.parts:
            yield from _tasks(report, result.finding.parts, found, made, f"{number}.")


def _about(report: Report, result: TaskResult, found: Evidences, number: str) -> str:
    """What a task was, and what it found in words."""
    finding, notes = result.finding, Notes()
    parts = [f"## Task {number}: {escaped(result.task.description)}",
             f"*{escaped(agent_name(result.task.name))}, {result.status}*"]  # fmt: skip
    parts += ["\n".join(f"{place}. {escaped(each)}" for place, each in enumerate(finding.plan, 1))]
    told = [spans_of(each, found, len(report.passages)) for each in finding.insights]
    parts += ["\n".join(f"- {inline(each, notes)}" for each in told)]
    if not told:
        parts += [escaped(line) for line in finding.response.splitlines()[:20]]
    return "\n\n".join(filter(None, [*parts, *notes.texts()]))


def _work(
    report: Report, result: TaskResult, found: Evidences, made: _Made, number: str
) -> Iterator[NotebookCell]:
    """The query or the code of a task, and its result under the name of the task."""
    finding = result.finding
    variable = f"task_{number.replace('.', '_')}"
    if finding.code:
        yield code_cell("\n".join(_given(report, result, made, number)))
        yield code_cell(finding.code)
        if finding.output_type == "figure":
            yield code_cell("figure")
            return
        yield code_cell(f"{variable} = result\n{variable}")
    elif finding.sql:
        yield code_cell(f"{variable} = {_asked(report, finding, found)}\n{variable}")
    else:
        return
    made.tasks[number] = variable
    if finding.table is not None and finding.table.artifact:
        made.artifacts[finding.table.artifact] = variable


def _asked(report: Report, finding: Finding, found: Evidences) -> str:
    """An expression that asks the query again, of the database that answered it."""
    table = found.tables.get((finding.table.artifact or "") if finding.table else "")
    sql = (table.query if table else "") or finding.sql or ""
    names = table.sources if table and table.sources else finding.data_used
    return asking_again(sql, report.sources, names)


def _given(report: Report, result: TaskResult, made: _Made, number: str) -> Iterator[str]:
    """What the code finds: its input as `data`, and the tables, none of them changed before."""
    used = [made.artifacts[each] for each in result.finding.data_used if each in made.artifacts]
    above = number.rpartition(".")[0]
    before = result.task.data_dependency
    number_before = f"{above}.{before}" if above else str(before)
    given = used[0] if used else made.tasks.get(number_before, "")
    if given:
        yield f"data = {given}.copy()"
    yield from lines_of_given(report.sources)
