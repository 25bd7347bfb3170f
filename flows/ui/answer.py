"""The answer to a question on a terminal: in words, as a table, with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from flows.core.observation import Preview
from flows.core.result import RunResult
from flows.ui.clean import one_line
from flows.ui.page import Page, shown_path
from flows.ui.questions import show_how_to_go_on
from flows.ui.sources import read_sources, show_sources

_STYLES = {"answered": "bold green", "clarify": "bold yellow", "abstained": "bold yellow"}
_TITLES = {
    "answered": "Answer", "clarify": "A question back", "abstained": "I cannot answer this",
    "failed": "Failed",
}  # fmt: skip
# What a confidence says something of; after a refusal nothing is left to be sure of.
_SURE = ("answered", "clarify")
_CODE_LINES = 40


def show_report(
    console: Console, found: Mapping[str, Any], result: RunResult, *, chart: Path | None = None
) -> None:
    """Write all that is known of the answer, from `flows.services.answer`."""
    page = Page(console)
    status = str(found["status"])
    page.rule(_TITLES[status], _STYLES.get(status, "bold red"))
    said = found["answer"] or found["reason"]
    page.flush(page.wrapped(str(said), flush=True))
    if found["clarification"]:
        _show_options(page, found["clarification"])
    table = result.outputs.get("table")
    if isinstance(table, Preview) and table.columns:
        for body in page.table(table):
            page.block("", body)
    _show_chart(page, found, result, chart)
    if found["sql"]:
        page.sql(str(found["sql"]))
    if found["code"]:
        lines = str(found["code"]).splitlines()
        more = ["…"] if len(lines) > _CODE_LINES else []
        page.block("Code", page.wrapped("\n".join([*lines[:_CODE_LINES], *more])))
    if found["confidence"] is not None and status in _SURE:
        page.text("Sure", f"{found['confidence']:.0%}, of how the question is read")
    for each in found["warnings"]:
        page.text("Beware", str(each["text"]), label_style="bold yellow")
    if found.get("explanation"):
        page.text("Read as", str(found["explanation"]))
    if found.get("words"):
        page.block("Words", words_text(found["words"]))
    show_sources(page, read_sources(result.outputs.get("citations")), result.outputs)
    if status == "clarify":
        questions = result.questions
        show_how_to_go_on(page, result.run_id, result.folder, questions, look=False)
    page.text("Run", shown_path(result.folder))


def words_text(words: Sequence[Mapping[str, Any]]) -> Text:
    """A line for each word: what it was read as, how surely, and why."""
    lines = []
    for each in words:
        word = one_line(each["text"], 40)
        told = f"{one_line(each['reading'], 100)}  {each['score']:.2f}  "
        lines.append(
            Text.assemble((word, "bold"), "  ", told, (one_line(each["reason"], 100), "dim"))
        )
    return Text("\n").join(lines)


def batch_line(identity: object, found: Mapping[str, Any]) -> str:
    """A question of a batch in one line: its id, what it came to, the answer or the reason."""
    said = found["answer"] or found["reason"] or ""
    return f"{one_line(identity, 60)}\t{found['status']}\t{one_line(said, 400)}"


def _show_options(page: Page, asked: Mapping[str, Any]) -> None:
    options = enumerate(asked["options"], 1)
    lines = [f"{number}  {one_line(each['label'], 200)}" for number, each in options]
    if lines:
        page.block("Choose", page.wrapped("\n".join(lines)))


def _show_chart(
    page: Page, found: Mapping[str, Any], result: RunResult, chart: Path | None
) -> None:
    drawn = found["chart"]
    if not drawn:
        return
    axes = " by ".join(one_line(each, 60) for each in (drawn["y"], drawn["x"]) if each)
    if chart is not None:
        where = shown_path(chart)
    else:
        named = [each for each in result.artifacts if each.name == drawn["artifact"]]
        where = shown_path(result.folder / named[0].path) if named else ""
    page.text("Chart", f"{drawn['type']} of {axes}: {where}")
