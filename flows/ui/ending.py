"""What a run came to, when it is over or waits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from flows.core.artifacts import Artifact
from flows.core.result import RunResult
from flows.errors import JournalError
from flows.ui import shapes
from flows.ui.competition import is_competition, show_competition, show_competition_files
from flows.ui.findings import is_analysis, show_findings, show_reports
from flows.ui.interpretation import is_response, show_response
from flows.ui.page import Page, shown_path
from flows.ui.questions import show_how_to_go_on, show_questions
from flows.ui.sources import read_sources, show_sources
from flows.ui.spending import spent
from flows.ui.terminal_text import as_text, one_line, shorten

STYLES = {
    "finished": "bold green",
    "unfinished": "bold yellow",
    "declined": "bold yellow",
    "waiting": "bold yellow",
    "degraded": "bold red",
    "failed": "bold red",
    "running": "bold cyan",
    "interrupted": "bold yellow",
    "damaged": "bold red",
}
# What a circular flow carries from round to round was on the screen already, or is not a result.
_CARRIED = frozenset(
    {
        "answer",
        "status",
        "citations",
        "traced",
        "EARLY_EXIT",
        "goal",
        "question",
        "memory",
        "retrieved",
    }
    | {"thought", "reasoning", "plan", "criticism", "speak", "command", "command_args"}
    | {"observation", "human_feedback", "human_input", "nobody", "operation", "content"}
    | {"branch", "branch_input_data", "branch_output_data"}
)
_ANSWER_CHARS = 8000
_ANSWER_LINES = 120
_VALUE_CHARS = 2000
_VALUE_LINES = 30
_FILES = 12
_GOES_ON = ("waiting", "failed")


def show_result(console: Console, result: RunResult, *, reports: Sequence[Path] = ()) -> None:
    """Write the answer, the source of its numbers, what was spent, and how to go on. `reports` are
    files that an analyst's report was written to."""
    page = Page(console)
    show_outputs(page, result.outputs)
    page.rule(result.status.capitalize(), STYLES[result.status])
    show_questions(page, result.questions, brief=True)
    if result.reason and not result.questions:
        style = "red" if result.status in ("failed", "degraded") else ""
        reason = shorten(result.reason, chars=_VALUE_CHARS, lines=_VALUE_LINES)
        page.block("Reason", page.wrapped(reason, style))
    page.text("Spent", spent(result.usage, result.rounds, result.seconds))
    if is_analysis(result.outputs):
        show_reports(page, result.folder, result.outputs, reports)
    elif is_competition(result.outputs):
        show_competition_files(page, result.folder, result.outputs, reports)
    else:
        show_files(page, result.folder, result.artifacts)
    page.text("Run", shown_path(result.folder))
    gone = isinstance(result.error, JournalError) and not result.folder.exists()
    if result.status in _GOES_ON and not gone:
        look = bool(result.questions)
        show_how_to_go_on(page, result.run_id, result.folder, result.questions, look=look)
    console.print()


def show_outputs(page: Page, outputs: Mapping[str, Any]) -> None:
    """What came of a run, with the source of its numbers."""
    if is_analysis(outputs):
        show_findings(page, outputs)
        return
    if is_competition(outputs):
        show_competition(page, outputs)
        return
    if is_response(outputs):
        show_response(page, outputs)
        return
    show_answer(page, outputs)
    show_sources(page, read_sources(outputs.get("citations")), outputs)


def show_answer(page: Page, outputs: Mapping[str, Any]) -> None:
    """The answer among the outputs, and those that are results beside it."""
    answer = outputs.get("answer")
    others = {name: value for name, value in outputs.items() if _is_result(name, value)}
    if not answer and not others:
        return
    page.rule("Answer", "bold green")
    if answer:
        shown = shorten(as_text(answer, indent=2), chars=_ANSWER_CHARS, lines=_ANSWER_LINES)
        page.flush(page.wrapped(shown, flush=True))
    for name, value in others.items():
        found = shapes.as_observation(value)
        if found is not None:
            page.observe(found, "")
        else:
            text = shorten(as_text(value, indent=2), chars=_VALUE_CHARS, lines=_VALUE_LINES)
            page.block(one_line(name, 60), page.wrapped(text))


def _is_result(name: str, value: object) -> bool:
    return name not in _CARRIED and value not in (None, "", (), [], {})


def show_files(page: Page, folder: Path, artifacts: Sequence[Artifact]) -> None:
    """Where the run's artifacts are, and what they are."""
    if not artifacts:
        return
    lines = [
        f"{shown_path(folder / each.path)}{_other_forms(each)}  {one_line(each.description, 60)}"
        for each in artifacts[:_FILES]
    ]
    if len(artifacts) > _FILES:
        lines.append(f"… {len(artifacts) - _FILES} more")
    page.block("Files", page.wrapped("\n".join(lines)))


def _other_forms(artifact: Artifact) -> str:
    """The other files of the same thing, by their ends."""
    kinds = [one_line(each.kind, 12) for each in artifact.forms]
    return f" (and {', '.join(kinds)})" if kinds else ""
