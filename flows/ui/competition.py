"""What a pipeline came to, for a person: the score, the submission, the phases, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_jsonable_python
from rich.text import Text

from flows.ui.findings import show_reports
from flows.ui.page import Page, shown_path
from flows.ui.terminal_text import one_line
from flows.ui.tree import ICONS, PLAIN_ICONS

_KEYS: Final = frozenset({"status", "task", "phases", "submission", "made_tools"})
_TITLES: Final = {
    "done": ("Done", "bold green"),
    "partly": ("Done in part", "bold yellow"),
    "failed": ("No submission", "bold red"),
}
_TITLE: Final = 44


def is_competition(outputs: Mapping[str, Any]) -> bool:
    """Whether a run's outputs are those of a pipeline."""
    return outputs.keys() >= _KEYS


def show_competition(page: Page, given: Mapping[str, Any]) -> None:
    """What was predicted, how good it is, and how each phase came out. `given` are the outputs, as
    they are or as plain data."""
    outputs: Mapping[str, Any] = to_jsonable_python(dict(given), fallback=str)
    page.rule(*_TITLES.get(str(outputs["status"]), _TITLES["failed"]))
    task = outputs["task"]
    if task is not None:
        page.text("Task", _task_text(task))
    if outputs["score"] is not None:
        better = "greater" if task is not None and task["greater_is_better"] else "less"
        score = f"{outputs['metric']} {outputs['score']:,.5g} by validation ({better} is better)"
        page.text("Score", score)
    if outputs["submission"]:
        page.text("Rows", f"{outputs['rows']:,} in the submission")
    if outputs["phases"]:
        page.block("Phases", _phases(page, outputs["phases"]))
    made = [one_line(each["name"], 60) for each in outputs["made_tools"]]
    if made:
        page.text("Tools", f"made by this run: {', '.join(made)}")
    if outputs["notes"]:
        page.bullets("Notes", [one_line(each, 400) for each in outputs["notes"]])


def show_competition_files(
    page: Page, folder: Path, outputs: Mapping[str, Any], written: Sequence[Path] = ()
) -> None:
    """Where the submission and the report are: as they were asked for, else in the run's folder."""
    submissions = [each for each in written if each.suffix == ".csv"]
    if not submissions and outputs["submission"]:
        submissions = [folder / str(outputs["submission"])]
    if submissions:
        page.commands("Hand in", [shown_path(each) for each in submissions])
    reports = [each for each in written if each.suffix != ".csv"]
    show_reports(page, folder, outputs, reports)


def _task_text(task: Mapping[str, Any]) -> str:
    targets = ", ".join(map(str, task["targets"]))
    title = f"{task['title']}: " if task["title"] else ""
    return one_line(f"{title}{targets} ({task['kind']})", 300)


def _phases(page: Page, phases: Sequence[Mapping[str, Any]]) -> Text:
    """A line for each phase: how it came out, its score, its tries and its unit tests."""
    icons = PLAIN_ICONS if page.console.options.ascii_only else ICONS
    lines = []
    for each in phases:
        ran = each["work"]["ran"] or not each["steps"]
        icon, style = (icons["done"], "green") if ran else (icons["failed"], "bold red")
        if each["kept_best"]:
            icon, style = "!", "bold yellow"
        line = Text.assemble((f"{icon} ", style), one_line(each["title"], _TITLE).ljust(_TITLE))
        line.append(f"  {_outcome(each)}", "dim")
        line.truncate(max(8, page.width), overflow="ellipsis")
        lines.append(line)
    return Text("\n").join(lines)


def _outcome(phase: Mapping[str, Any]) -> str:
    checks = phase["work"]["checks"]
    said = [] if phase["score"] is None else [f"{phase['score']:.1f} of 5"]
    said += [f"{phase['tries']} tries"] if phase["tries"] > 1 else []
    if checks:
        said.append(f"{sum(each['passed'] for each in checks)} of {len(checks)} unit tests")
    return " · ".join(said)
