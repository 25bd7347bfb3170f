"""The questions that a run waits with, and the commands that go on with it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.text import Text

from flows.core.result import OpenQuestion
from flows.ui import shapes
from flows.ui.page import Page, shown_path
from flows.ui.terminal_text import as_text, one_line

_RUNS = Path("runs")
_BRIEF_CHARS = 120
_CHARS = 1000
_TEXT = {"type": "string"}


def show_questions(page: Page, questions: Sequence[OpenQuestion], *, brief: bool) -> None:
    """Each question with what it is about; with `brief` a line of that for each thing."""
    for each in questions:
        page.text("Question", each.question.text.strip() or "(it has no text)")
        details = []
        if each.step:
            details.append(f"asked by {one_line(each.step, 120)}")
        if each.asked is not None and not brief:
            details.append(local_time(each.asked))
        if details:
            page.remark(" · ".join(details))
        _show_context(page, each.question.context, brief=brief)
        if dict(each.question.answer_schema) != _TEXT and not brief:
            schema = one_line(as_text(dict(each.question.answer_schema)), _CHARS)
            page.block("Schema", page.wrapped(schema, "dim"))


def _show_context(page: Page, context: Mapping[str, Any], *, brief: bool) -> None:
    lines = []
    for name, value in context.items():
        found = shapes.as_observation(value)
        if found is not None and not brief:
            page.observe(found, "")
        else:
            shown = found.text if found is not None else as_text(value)
            text = one_line(shown, _BRIEF_CHARS if brief else _CHARS)
            lines.append(Text.assemble((one_line(name, 40), "dim"), "  ", text))
    if lines:
        page.block("About", Text("\n").join(lines))


def show_how_to_go_on(
    page: Page, run_id: str, folder: Path, questions: Sequence[OpenQuestion], *, look: bool
) -> None:
    """The commands to type; with `look` also the one that shows the run."""
    run = f"{shlex.quote(run_id)}{runs_option(folder)}"
    # With its step, an answer never becomes that to a later question, if somebody was faster.
    steps = [f" --step {shlex.quote(each.step)}" if each.step else "" for each in questions]
    commands = [f'flows resume {run}{step} --answer "..."' for step in steps]
    commands = commands or [f"flows resume {run}"]
    page.commands("Go on", [*commands, f"flows show {run}"] if look else commands)


def runs_option(folder: Path) -> str:
    """The option that names the folder of a run's folder, if it is not the usual one."""
    runs = folder.parent
    if runs.absolute() == _RUNS.absolute():
        return ""
    return f" --runs {shlex.quote(shown_path(runs))}"


def local_time(seconds: float) -> str:
    """Seconds since 1970 as the date and time on the wall."""
    return datetime.fromtimestamp(seconds).isoformat(sep=" ", timespec="seconds")
