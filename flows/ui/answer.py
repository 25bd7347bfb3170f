"""The answer to a question on a terminal: in words, as a table, with what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from flows.analysis.parser.explanation import request_yaml
from flows.core.observation import Preview
from flows.core.result import RunResult
from flows.library.ask.answer import AnswerChart, AskAnswer, QuestionBack
from flows.library.ask.proposal import Word
from flows.ui.cautions import show_cautions
from flows.ui.page import Page, shown_path
from flows.ui.questions import show_how_to_go_on
from flows.ui.sources import read_sources, show_sources
from flows.ui.terminal_text import clean, one_line

_STYLES = {
    "answered": "bold green", "partly": "bold yellow", "clarify": "bold yellow",
    "abstained": "bold yellow",
}  # fmt: skip
_TITLES = {
    "answered": "Answer", "partly": "Answered in part", "clarify": "A question back",
    "abstained": "I cannot answer this", "failed": "Failed",
}  # fmt: skip
# What a confidence says something of; after a refusal nothing is left to be sure of.
_SURE = ("answered", "partly", "clarify")
_CODE_LINES = 40


def show_answer(
    console: Console, answer: AskAnswer, result: RunResult, *, chart: Path | None = None
) -> None:
    """Write all that is known of the answer; `chart` is the file that it was drawn to."""
    page = Page(console)
    page.rule(_title(answer), _STYLES.get(answer.status, "bold red"))
    page.flush(page.wrapped(answer.answer or answer.reason, flush=True))
    if answer.clarification is not None:
        _show_options(page, answer.clarification)
    table = result.outputs.get("table")
    if isinstance(table, Preview) and table.columns:
        for body in page.table(table):
            page.block("", body)
    if answer.chart is not None:
        _show_chart(page, answer.chart, result, chart)
    if answer.sql:
        page.sql(answer.sql)
    if answer.code:
        lines = answer.code.splitlines()
        more = ["…"] if len(lines) > _CODE_LINES else []
        page.block("Code", page.wrapped("\n".join([*lines[:_CODE_LINES], *more])))
    if answer.confidence is not None and answer.status in _SURE:
        page.text("Sure", f"{answer.confidence:.0%}, of how the question is read")
    show_cautions(page, answer.warnings)
    if answer.explanation:
        page.text("Read as", answer.explanation)
    if answer.words:
        page.block("Words", words_text(answer.words))
    if answer.request is not None:
        shown = request_yaml(answer.request, str(result.outputs.get("question", "")))
        page.block("Request", Text(clean(shown).rstrip()))
    show_sources(page, read_sources(result.outputs.get("citations")), result.outputs)
    if answer.status == "clarify":
        questions = result.questions
        show_how_to_go_on(page, result.run_id, result.folder, questions, look=False)
    page.text("Run", shown_path(result.folder))


def _title(answer: AskAnswer) -> str:
    """What became of the question. Where nothing was found that is all that is left out."""
    codes = {each.code for each in answer.warnings}
    if answer.status == "partly" and "empty" in codes and "not_understood" not in codes:
        return "Nothing found"
    return _TITLES[answer.status]


def words_text(words: Sequence[Word]) -> Text:
    """A line for each word: what it was read as, how surely, and why."""
    lines = []
    for each in words:
        word = one_line(each.text, 40)
        reading = f"{one_line(each.reading, 100)}  {each.score:.2f}  "
        lines.append(
            Text.assemble((word, "bold"), "  ", reading, (one_line(each.reason, 100), "dim"))
        )
    return Text("\n").join(lines)


def batch_line(identity: object, answer: AskAnswer) -> str:
    """A question of a batch in one line: its id, what it came to, the answer or the reason."""
    said = answer.answer or answer.reason
    return f"{one_line(identity, 60)}\t{answer.status}\t{one_line(said, 400)}"


def _show_options(page: Page, asked: QuestionBack) -> None:
    options = enumerate(asked.options, 1)
    lines = [f"{number}  {one_line(each.label, 200)}" for number, each in options]
    if lines:
        page.block("Choose", page.wrapped("\n".join(lines)))


def _show_chart(page: Page, chart: AnswerChart, result: RunResult, file: Path | None) -> None:
    axes = " by ".join(one_line(each, 60) for each in (chart.y, chart.x) if each)
    if file is not None:
        where = shown_path(file)
    else:
        named = [each for each in result.artifacts if each.name == chart.artifact]
        where = shown_path(result.folder / named[0].path) if named else ""
    page.text("Chart", f"{chart.type} of {axes}: {where}")
