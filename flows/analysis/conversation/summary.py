"""The executive summary of what was asked and found: six headings, each number a reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.context import Context
from flows.analysis.conversation.turn import ConversationTurn
from flows.analysis.conversation.vague import break_down
from flows.analysis.methods.sheet import Sheet
from flows.analysis.team.insights import said
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.scope import TaskScope
from flows.semantics.request import REQUEST

TITLE: Final = "## Executive Summary"
HEADINGS: Final = (
    "### Question Answered",
    "### Key Findings",
    "### Data Analysis Results",
    "### Visualizations Created",
    "### Recommendations",
    "### Technical Details",
)
_MOST_ROWS: Final = 12
_MOST_NEXT: Final = 3


def summarize(given: Mapping[str, Any], analyst: Analyst) -> str:
    """The summary of a turn, in Markdown. `given` has the `question` and the `answers`, what each
    of its tasks came to; numbers of results stand as references to their cells."""
    tasks: Sequence[Mapping[str, Any]] = given.get("answers") or ()
    parts = (
        _question(str(given.get("question") or ""), tasks),
        "\n".join(f"- {each}" for task in tasks for each in _findings(task)),
        "\n\n".join(_results(task, alone=len(tasks) == 1) for task in tasks),
        "\n".join(_pictures(tasks)),
        "\n".join(_recommendations(tasks, analyst)),
        "\n".join(_details(tasks)),
    )
    body = (f"{heading}\n{part}" for heading, part in zip(HEADINGS, parts, strict=True))
    return "\n\n".join((TITLE, *body))


def _question(said: str, tasks: Sequence[Mapping[str, Any]]) -> str:
    """What was said, and how it was read where that is more."""
    read = "; ".join(str(task["question"]) for task in tasks)
    return said if read.casefold() == said.casefold() else f"{said}\n\nRead as: {read}."


def _findings(task: Mapping[str, Any]) -> list[str]:
    """What the rows of a task's result say; without rows to read, its answer."""
    if task.get("status") != "answered":
        return [f"Not answered: {task['question']}"]
    sheet, request = _sheet(task), task.get("request")
    if sheet.rows and sheet.name and request is not None:
        told = said(sheet, TaskScope.of(request), BusinessGoal(str(task["question"])))
        if told:
            return told
    return [str(task.get("answer") or "").split("\n")[0]]


def _results(task: Mapping[str, Any], *, alone: bool) -> str:
    """The answer of a task and the first rows of its result."""
    lines = [] if alone else [f"**{task['question']}**", ""]
    lines.append(str(task.get("answer") or ""))
    sheet = _sheet(task)
    if len(sheet.rows) > 1 and sheet.refers(*sheet.columns):
        lines += [
            "",
            _row(_plain(each) for each in sheet.columns),
            _row("---" for _ in sheet.columns),
        ]
        lines += [
            _row(_plain(sheet.cell(row, each).text()) for each in sheet.columns)
            for row in range(min(len(sheet.rows), _MOST_ROWS))
        ]
        if sheet.total > _MOST_ROWS:
            lines += ["", "These are its first rows; the whole result is kept with the run."]
    return "\n".join(lines)


def _pictures(tasks: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    shown = [(name, task) for task in tasks for name in task.get("figures") or ()]
    for name, task in shown:
        yield f"- {name}: {task['question']}"
    if not shown:
        yield "None was asked for. Say `as a chart` to get one."


def _recommendations(tasks: Sequence[Mapping[str, Any]], analyst: Analyst) -> Iterator[str]:
    """What to look at next: the doubts that there are, and the groups not looked at yet."""
    for task in tasks:
        for each in task.get("warnings") or ():
            yield f"- Check before you rely on it: {each}"
    seen: set[str] = set()
    for task in tasks:
        for each in _further(task, analyst)[: _MOST_NEXT if len(tasks) == 1 else 1]:
            if each not in seen:
                seen.add(each)
                yield f"- Look next at {each}."
    if not seen and not any(task.get("warnings") for task in tasks):
        yield "- None follows from these figures alone."


def _further(task: Mapping[str, Any], analyst: Analyst) -> list[str]:
    if task.get("request") is None or task.get("status") != "answered":
        return []
    request = REQUEST.validate_python(task["request"])
    turn = ConversationTurn(text=str(task["question"]), status="answered", request=request)
    asked = break_down("break it down", Context(analyst, (turn,)))
    return [] if asked is None else [each.label for each in asked.options]


def _details(tasks: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for task in tasks:
        sheet = _sheet(task)
        rows = f"; {sheet.total:,} row{'s' * (sheet.total != 1)}" if sheet.columns else ""
        sure = task.get("confidence")
        told = f"; confidence in the reading {sure:.0%}" if isinstance(sure, float) else ""
        yield f"- Read as: {task['question']}{rows}{told}."
        scope = TaskScope.of(task.get("request"))
        if scope.method:
            yield f"- Method: {scope.method.replace('_', ' ')}."
        if scope.tables:
            yield f"- Data: {', '.join(scope.tables)}."
        if task.get("sql"):
            yield f"\n```sql\n{str(task['sql']).strip()}\n```\n"
        elif task.get("code"):
            yield "- Computed by Python in the sandbox; the code is in code.txt."


def _sheet(task: Mapping[str, Any]) -> Sheet:
    table = task.get("table") or {}
    return Sheet.of({**table, "table": table.get("artifact")})


def _row(cells: Iterator[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _plain(text: str) -> str:
    """A text that does not end its cell of a table."""
    return text.replace("|", "\\|").replace("\n", " ") if "{{" not in text else text
