"""A report as Markdown: its numbers with footnotes that name their cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.core.artifacts import Artifacts
from flows.report.charts import charts_of
from flows.report.cleaning import clean, one_line
from flows.report.column_formats import column_format
from flows.report.evidence import Evidences, EvidenceTable, Target, evidences, walk
from flows.report.ledger import cautions_of, checked, facts_of
from flows.report.models import ModelView, model_views
from flows.report.prose import ProseBlock, TextSpan, blocks_of, spans_of
from flows.report.report import Report
from flows.report.tasks import TaskView, agent_name, task_tree

_ROWS: Final = 10
_COLUMNS: Final = 12
# What Markdown, or the HTML that it lets through, would take for more than text.
_SIGNS: Final = re.compile(r"([\\`*\[\]|~<>$]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9]))")
_BEGINS: Final = re.compile(r"^([#+=-]|\d{1,9}(?=[.)]))")
_ENTITIES: Final = {"<": "&lt;", ">": "&gt;"}
_LINKED: Final = re.compile(r"(https?|ftp|mailto)(:)|\b(www)(\.)", re.IGNORECASE)


def markdown_page(report: Report, artifacts: Artifacts, found: Evidences | None = None) -> bytes:
    """The whole report. Errors: `JournalError` for an artifact that is gone or was changed."""
    found = found or evidences(report, artifacts)
    notes = Notes()
    parts = [*_top(report, found, notes), *_found(report, found, notes)]
    charts = charts_of(report, artifacts)
    if charts:
        listed = (f"- {each.key}: {escaped(each.title)} (`{each.artifact}`)" for each in charts)
        parts += ["## Charts", "\n".join(listed)]
    parts += [*_models(model_views(report, found)), *_passages(report)]
    tasks = task_tree(report, found, charts)
    parts += ["## How it was worked out", "\n".join(_tasks(tasks, 0))] if tasks else []
    parts += [f"## Tables\n\n{_tables(found)}"] if found.tables else []
    parts += _list("Limits", report.limits)
    parts += _record(report)
    return "\n\n".join([*parts, *notes.texts(), ""]).encode("utf-8", "replace")


class Notes:
    """The footnotes of a text, one for each origin of a number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def mark(self, target: Target | None) -> str:
        """What stands behind a number."""
        note = target.note if target else "untraced: no cell of a result holds this number"
        number = self._numbers.setdefault(note, len(self._numbers) + 1)
        return f"[^{number}]"

    def texts(self) -> Iterator[str]:
        for note, number in self._numbers.items():
            yield f"[^{number}]: {escaped(one_line(note, 400))}"


def escaped(text: str) -> str:
    """Text of one line in which Markdown finds nothing."""
    return _begun(_escaped(text))


def _escaped(text: str) -> str:
    plain = one_line(text, 4_000).replace("&", "&amp;")
    safe = _SIGNS.sub(lambda sign: _ENTITIES.get(sign[1], f"\\{sign[1]}"), plain)
    # An address of somewhere else would become a link by itself.
    return _LINKED.sub(lambda at: f"{at[1] or at[3]}&#{ord(at[2] or at[4])};", safe)


def _begun(line: str) -> str:
    """The line, in whose beginning no list and no heading is found."""
    found = _BEGINS.match(line)
    if found is None:
        return line
    number = found[1].isdigit()
    return f"{found[1]}\\{line[found.end() :]}" if number else f"\\{line}"


def fenced(text: str, language: str) -> str:
    """A block of code, whatever it holds."""
    longest = max((len(each) for each in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{clean(text).strip()}\n{fence}"


def told_text(blocks: Sequence[ProseBlock], notes: Notes) -> str:
    """Blocks of a told text."""
    said = []
    for block in blocks:
        items = [inline(each, notes) for each in block.items]
        if block.kind == "bullets":
            said.append("\n".join(f"- {each}" for each in items))
        elif block.kind == "numbers":
            said.append("\n".join(f"{place}. {each}" for place, each in enumerate(items, 1)))
        else:
            said.append(f"### {items[0]}" if block.kind == "heading" else items[0])
    return "\n\n".join(said)


def inline(spans: Sequence[TextSpan], notes: Notes) -> str:
    """Spans in one line; numbers with their footnotes."""
    return _begun("".join(_span(each, notes) for each in spans))


def _span(span: TextSpan, notes: Notes) -> str:
    body = _outside_kept(span.text)
    if span.kind in ("number", "untraced"):
        flag = "" if span.kind == "number" else " (untraced)"
        return f"{body}{flag}{notes.mark(span.target)}"
    return f"**{body}**" if span.strong and body.strip() == body and body else body


def _outside_kept(text: str) -> str:
    """As `escaped`, with the blanks around the text."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{_escaped(text)}{after}"


def _top(report: Report, found: Evidences, notes: Notes) -> Iterator[str]:
    yield f"# {escaped(report.question)}"
    yield f"*{report.answered}; {checked(report, found).text.lower()}*"
    yield from _list("How the question was read", report.understood)
    yield "## Summary"
    yield told_text(blocks_of(report.summary, found, len(report.passages)), notes)
    yield from _list("Read with care", [each.text for each in cautions_of(report)])


def _found(report: Report, found: Evidences, notes: Notes) -> Iterator[str]:
    lines = [
        f"- {inline(spans_of(told, found, len(report.passages)), notes)}"
        for _, result in walk(report.results)
        for told in result.finding.insights
        if result.status == "done" and told.text != report.summary.text
    ]
    if lines:
        yield "## Insights"
        yield "\n".join(lines)


def _models(models: Sequence[ModelView]) -> Iterator[str]:
    for model in models:
        yield f"## {escaped(model.title)}\n\n{escaped(model.rows)}"
        if model.metrics:
            rows = [(each.name, each.held_out, each.cross_validated, each.baseline)
                    for each in model.metrics]  # fmt: skip
            yield _grid(("measure", "on unseen rows", "cross-validated", "guessing"), rows)
        if model.weights:
            weights = [(each.feature, each.importance, each.effect) for each in model.weights]
            yield _grid(("column", "importance", "effect"), weights)
        if model.cautions:
            yield "\n".join(f"- {escaped(each)}" for each in model.cautions)


def _passages(report: Report) -> Iterator[str]:
    if report.passages:
        yield "## From the documents"
        for number, each in enumerate(report.passages, 1):
            lines = "\n".join(f"> {escaped(line)}" for line in clean(each.text).split("\n"))
            yield f"\\[{number}\\] **{escaped(each.document)}** {escaped(each.where)}\n\n{lines}"


def _tasks(tasks: Sequence[TaskView], depth: int) -> Iterator[str]:
    for task in tasks:
        after = f", uses task {task.after}" if task.after is not None else ""
        time = f", {task.seconds}" if task.seconds else ""
        yield (
            f"{'  ' * depth}- task {task.number}, {escaped(agent_name(task.agent))}, "
            f"{task.state}{after}{time}: {escaped(task.description)}"
        )
        yield from _tasks((*task.parts, *task.children), depth + 1)


def _tables(found: Evidences) -> str:
    return "\n\n".join("\n\n".join(_table(each)) for each in found.tables.values())


def _table(table: EvidenceTable) -> Iterator[str]:
    yield f"### {table.key} `{table.artifact.name}`"
    rows, names = table.rows[:_ROWS], table.columns[:_COLUMNS]
    columns = [
        list(map(column_format(name, table.types[place], [row[place] for row in rows]),
                 [row[place] for row in rows]))
        for place, name in enumerate(names)
    ]  # fmt: skip
    yield _grid(names, list(zip(*columns, strict=True)) if rows else [])
    yield f"{table.total_rows:,} rows, {len(table.columns):,} columns."
    if table.query:
        yield fenced(table.query, "sql")
    if table.code:
        yield fenced(table.code, "python")
    for name, digest in table.sources.items():
        yield f"Source {escaped(name)}, SHA-256 `{digest}`"


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, *rows]
    texts = ["| " + " | ".join(escaped(cell) or " " for cell in line) + " |" for line in lines]
    return "\n".join([texts[0], "|" + " --- |" * len(head), *texts[1:]])


def _list(title: str, texts: Sequence[str]) -> list[str]:
    if not texts:
        return []
    return [f"## {title}", "\n".join(f"- {escaped(each)}" for each in texts)]


def _record(report: Report) -> Iterator[str]:
    yield "## Cost and reproducibility"
    facts = [f"- {name}: {escaped(value)}" for name, value in facts_of(report)]
    facts += [
        f"- Source {escaped(each.name)}: {each.rows:,} rows, SHA-256 `{each.sha256}`"
        for each in report.sources
    ]
    yield "\n".join(facts)
