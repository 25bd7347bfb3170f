"""What a run came to as one Markdown text, for doors that show text alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.config.redaction import redact
from flows.core.observation import Cell, Preview
from flows.services.run_reply import PersonQuestion, RunReply

_ROWS: Final = 50
_CELL: Final = 200


def reply_markdown(reply: RunReply) -> str:
    """The text of a reply, its table, what to beware of and how sure it is; no secret stands in
    it. A question is asked with all that it offers."""
    if reply.status == "asked" and reply.question is not None and not reply.open_ended:
        return question_markdown(reply.question)
    parts = [reply.text.strip()]
    if reply.table is not None and reply.table.rows:
        parts.append(table_markdown(reply.table))
    parts += [f"Warning: {each}" for each in reply.warnings]
    if reply.confidence is not None:
        parts.append(f"Confidence: {reply.confidence:.0f} %")
    if reply.open_ended and reply.question is not None and reply.question.options:
        parts.append("\n".join(_options(reply.question)))
    return redact("\n\n".join(each for each in parts if each))


def question_markdown(question: PersonQuestion) -> str:
    """A question with the answers that it offers; no secret stands in it."""
    return redact("\n\n".join([question.text.strip(), "\n".join(_options(question))]).strip())


def table_markdown(table: Preview) -> str:
    """The first rows of a table, with how many there are in all."""
    rows = table.rows[:_ROWS]
    lines = [_line(table.columns), "|" + " --- |" * len(table.columns), *map(_line, rows)]
    more = table.total_rows - len(rows)
    text = "\n".join(lines)
    return f"{text}\n\n{more:,} more rows of {table.total_rows:,}" if more > 0 else text


def _line(cells: Sequence[Cell]) -> str:
    return f"| {' | '.join(map(_said, cells))} |"


def _said(cell: Cell) -> str:
    """A cell in one line, in which no column ends."""
    text = "" if cell is None else " ".join(str(cell).split())
    shown = text if len(text) <= _CELL else f"{text[: _CELL - 1]}…"
    return shown.replace("\\", "\\\\").replace("|", "\\|")


def _options(question: PersonQuestion) -> Iterator[str]:
    for each in question.options:
        answer = f'"{each.answer}"' if each.answer else "an empty answer"
        same = each.answer == each.label
        yield f"- {answer}" if same else f"- {answer}: {each.label}"
    if question.options and question.takes_text:
        yield "- or any other text"
