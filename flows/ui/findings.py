"""What an analyst found, for a person: the answer, insights, cautions, the tasks, the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_jsonable_python
from rich.text import Text

from flows.core.observation import Caution
from flows.ui.cautions import show_cautions
from flows.ui.page import Page, duration, shown_path
from flows.ui.sources import read_sources, show_sources
from flows.ui.terminal_text import clean, one_line
from flows.ui.tree import ICONS, PLAIN_ICONS, STYLES

_KEYS: Final = frozenset({"status", "answer", "summary", "insights", "results", "report"})
_TITLES: Final = {
    "answered": ("Answer", "bold green"), "partly": ("Answered in part", "bold yellow"),
    "unanswered": ("Not answered", "bold yellow"),
}  # fmt: skip
_INSIGHTS: Final = 20
_CAUTIONS: Final = 20
_TASKS: Final = 40
_FIRST: Final = ("html", "md", "ipynb", "json")


def is_analysis(outputs: Mapping[str, Any]) -> bool:
    """Whether a run's outputs are those of an analyst."""
    return outputs.keys() >= _KEYS


def show_findings(page: Page, given: Mapping[str, Any]) -> None:
    """The answer with the origin of its numbers, and what it rests on. `given` are the outputs, as
    they are or as plain data."""
    outputs: Mapping[str, Any] = to_jsonable_python(dict(given), fallback=str)
    page.rule(*_TITLES.get(str(outputs["status"]), _TITLES["unanswered"]))
    page.flush(page.wrapped(str(outputs["answer"]), flush=True))
    insights = outputs["insights"] or []
    if insights:
        said = dict.fromkeys(clean(each["text"], keep_newlines=False) for each in insights)
        page.bullets("Insights", [*list(said)[:_INSIGHTS], *_more(list(said), _INSIGHTS)])
    cautions = [Caution.model_validate(each) for each in outputs.get("cautions") or ()]
    show_cautions(page, cautions[:_CAUTIONS])
    for text in _more(cautions, _CAUTIONS):
        page.text("Beware", text, label_style="bold yellow")
    said_before = {each.text for each in cautions}
    for text in outputs.get("limits") or ():
        if text not in said_before:
            page.text("Limits", str(text))
    if outputs["results"]:
        page.block("Tasks", _tasks(page, outputs["results"]))
    _show_origins(page, outputs, insights)


def show_reports(
    page: Page, folder: Path, outputs: Mapping[str, Any], written: Sequence[Path] = ()
) -> None:
    """Where the report is: as it was asked for, else in the folder of the run."""
    files: Mapping[str, Any] = outputs.get("files") or {}
    kinds = [each for each in _FIRST if each in files] + sorted(set(files) - set(_FIRST))
    paths = written or [folder / str(files[each]) for each in kinds]
    if paths:
        page.commands("Report", [shown_path(each) for each in paths])


def _show_origins(page: Page, outputs: Mapping[str, Any], insights: Sequence[Any]) -> None:
    """Of each number of the answer and the insights where it comes from."""
    cited = list(outputs.get("citations") or ())
    for each in insights:
        cited += each.get("citations") or ()
    found = sum(each.get("origin") != "none" for each in cited)
    traced = {"numbers": len(cited), "traced": found}
    sure = [each["finding"].get("confidence") for each in outputs["results"] or ()]
    least = min((each for each in sure if each is not None), default=None)
    show_sources(page, read_sources(cited), {"traced": traced, "confidence": least})


def _tasks(page: Page, results: Sequence[Mapping[str, Any]]) -> Text:
    """A line for each task: how it ended, who did it, how long it took; why it failed."""
    icons = PLAIN_ICONS if page.console.options.ascii_only else ICONS
    lines = []
    for each in results[:_TASKS]:
        task, status = each["task"], str(each["status"])
        took = f"  {duration(each['seconds'] * 1000)}" if each.get("seconds") else ""
        why = each["finding"]["response"] if status in ("failed", "skipped") else ""
        said = one_line(why or task["description"], 300)
        said = said if status == "done" else f"{status}: {said}"
        icon = (icons.get(status, "?") + " ", STYLES.get(status, ""))
        head = (f"{task['task_id']} {one_line(task['name'], 60)}  ", "bold")
        line = Text.assemble(icon, head, (said, "dim"))
        line.truncate(max(8, page.width - len(took)), overflow="ellipsis")
        lines.append(Text.assemble(line, (took, "dim")))
    lines += [Text(each, style="dim") for each in _more(results, _TASKS)]
    return Text("\n").join(lines)


def _more(given: Sequence[object], most: int) -> list[str]:
    return [f"… {len(given) - most} more"] if len(given) > most else []
