"""Replies and questions in Slack's own form: its markup, its blocks, and their limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.config.redaction import redact
from flows.core.observation import Cell, Preview
from flows.services.run_reply import PersonQuestion, ReplyOption, RunReply

Block = dict[str, Any]

CHOOSE: Final = "choose"
DROP: Final = "drop"
_SECTION: Final = 2_900  # characters; Slack takes 3,000
_FALLBACK: Final = 3_000
_SECTIONS: Final = 4  # of one message
_LABEL: Final = 75
_VALUE: Final = 2_000
_BUTTONS: Final = 20
_SOURCES: Final = 6
_TABLE_ROWS: Final = 10
_CELL: Final = 28
_TABLE_WIDTH: Final = 96

_FENCE: Final = re.compile(r"(```.*?```|`[^`\n]+`)", re.DOTALL)
_BOLD: Final = re.compile(r"(?<![\w*])\*\*(?=\S)(.+?)(?<=\S)\*\*(?![\w*])")
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*$", re.MULTILINE)
_BULLET: Final = re.compile(r"^([ \t]*)[-*+][ \t]+", re.MULTILINE)
_LINK: Final = re.compile(r"\[([^\]\n]+)\]\((https?://[^\s()<>|]+)\)")
_STRIKE: Final = re.compile(r"~~(?=\S)(.+?)(?<=\S)~~")


@dataclass(frozen=True, slots=True)
class SlackText:
    """A message: its `text` for notifications and readers, and the blocks that are shown."""

    text: str
    blocks: tuple[Block, ...] = ()

    def fields(self) -> dict[str, Any]:
        """The fields of a request that posts it, or puts it in the place of another message."""
        return {"text": self.text[:_FALLBACK], "blocks": list(self.blocks)}


def escape(text: str) -> str:
    """A text in which nothing is a mention, a link or a command of Slack, and no secret stands."""
    return redact(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def mrkdwn(markdown: str) -> str:
    """Markdown as Slack's own markup; code stays as it is."""
    pieces = _FENCE.split(escape(markdown))
    return "".join(each if place % 2 else _markup(each) for place, each in enumerate(pieces))


def _markup(text: str) -> str:
    text = _BULLET.sub(r"\1• ", text)
    text = _HEADING.sub(lambda found: f"*{found[1].replace('*', '')}*", text)
    text = _STRIKE.sub(r"~\1~", _BOLD.sub(r"*\1*", text))
    return _LINK.sub(r"<\2|\1>", text)


def plain_message(text: str) -> SlackText:
    """A message of words alone."""
    return SlackText(escape(text), tuple(_sections(escape(text))))


def answer_message(reply: RunReply, *, asked: str = "", longest: int, named: str = "") -> SlackText:
    """The message of a reply. A longer text than `longest` is cut at a paragraph, as it is attached
    whole; `asked` is what the person was asked before and answered, `named` says what is attached.
    """
    said, cut = shortened(reply.text, longest)
    blocks: list[Block] = [_context(asked)] if asked else []
    blocks += _sections(mrkdwn(said))
    if reply.table is not None and reply.table.rows:
        blocks += _sections(table_text(reply.table))
    notes = [f"Warning: {each}" for each in reply.warnings[:4]]
    if cut:
        notes.append("The whole answer is attached.")
    if named:
        notes.append(named)
    notes.append(_footer(reply))
    blocks += [_context(each) for each in notes if each]
    return SlackText(escape(said), tuple(blocks))


def markdown_messages(markdown: str) -> Iterator[SlackText]:
    """A long Markdown text as messages, as many as it needs."""
    sections = list(_sections(mrkdwn(markdown)))
    for start in range(0, len(sections), _SECTIONS):
        some = sections[start : start + _SECTIONS]
        yield SlackText(some[0]["text"]["text"], tuple(some))


def question_message(run_id: str, question: PersonQuestion) -> SlackText:
    """A question to the person, with a button for each answer."""
    said, _ = shortened(question.text, 2 * _SECTION)
    words = " Or answer in words." if question.takes_text and question.options else ""
    hint = f"{words or ' Answer in words.' if question.takes_text else ''}".strip()
    buttons = [
        button
        for place, each in enumerate(question.options[:_BUTTONS])
        for button in _button(run_id, question, place, each)
    ]
    drop = {
        "type": "button", "action_id": DROP, "text": _label("Never mind"),
        "value": json.dumps({"run": run_id}),
    }  # fmt: skip
    blocks = [*_sections(mrkdwn(said))]
    if hint:
        blocks.append(_context(hint))
    blocks.append({"type": "actions", "elements": [*buttons, drop]})
    return SlackText(escape(said), tuple(blocks))


def shortened(text: str, longest: int) -> tuple[str, bool]:
    """The first paragraphs of a text, as many as fit, and whether that is less than all."""
    if len(text) <= longest:
        return text, False
    head = text[:longest]
    at = max(head.rfind("\n\n"), 0) or max(head.rfind("\n"), head.rfind(". ") + 1, 0) or longest
    kept = head[:at].rstrip()
    if kept.count("```") % 2:
        kept += "\n```"
    return f"{kept}\n…", True


def table_text(table: Preview) -> str:
    """The first rows of a table in columns, with how many there are in all."""
    columns = [_fitted(each) for each in table.columns]
    rows = [[_fitted(_said(cell)) for cell in row] for row in table.rows[:_TABLE_ROWS]]
    widths = [max(map(len, each)) for each in zip(columns, *rows, strict=True)]
    shown = 0
    for width in widths:
        if sum(widths[: shown + 1]) + 2 * shown > _TABLE_WIDTH:
            break
        shown += width >= 0
    shown = max(shown, 1)
    lines = [_line(each, widths, shown) for each in (columns, ["-" * w for w in widths], *rows)]
    text = "```\n" + escape("\n".join(lines)).replace("```", "'''") + "\n```"
    more = table.total_rows - len(rows)
    left = len(columns) - shown
    notes = [f"{more:,} more rows"] if more > 0 else []
    notes += [f"{left} more columns"] if left else []
    return f"{text}\n{' and '.join(notes)}" if notes else text


def _line(cells: Sequence[str], widths: Sequence[int], shown: int) -> str:
    padded = [cell.ljust(width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join(padded[:shown]).rstrip()


def _said(cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.6g}" if abs(cell) < 1e6 else f"{cell:,.2f}"
    return str(cell)


def _fitted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _CELL else f"{line[: _CELL - 1]}…"


def _sections(text: str) -> Iterator[Block]:
    """Blocks that hold the text, each as long as Slack takes; cut between lines where it can be,
    with code closed and opened again."""
    fenced = False
    while text:
        piece = text
        if len(piece) > _SECTION:
            at = piece.rfind("\n", 1, _SECTION)
            piece = piece[: at if at > 0 else _whole_entity(piece, _SECTION)]
        text = text[len(piece) :].removeprefix("\n")
        shown = f"```\n{piece}" if fenced else piece
        fenced = shown.count("```") % 2 == 1
        shown = f"{shown}\n```" if fenced else shown
        if shown.strip():
            yield {"type": "section", "text": {"type": "mrkdwn", "text": shown}}


def _whole_entity(text: str, at: int) -> int:
    """A place at or before `at` that is not within an escape such as `&amp;`."""
    start = text.rfind("&", at - 5, at)
    return start if start > 0 and ";" not in text[start:at] else at


def _context(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": escape(text)[:_SECTION]}]}


def _footer(reply: RunReply) -> str:
    sure = f"Confidence {reply.confidence:.0f} % · " if reply.confidence is not None else ""
    rests = f"by {', '.join(reply.sources[:_SOURCES])} · " if reply.sources else ""
    return f"{sure}{rests}run {reply.run_id}"


def _label(text: str) -> Block:
    line = " ".join(redact(text).split()) or "…"
    shown = line if len(line) <= _LABEL else f"{line[: _LABEL - 1]}…"
    return {"type": "plain_text", "text": shown, "emoji": False}


def _button(
    run_id: str, question: PersonQuestion, place: int, option: ReplyOption
) -> Iterator[Block]:
    """The button of an answer; none for one that a button cannot hold, which is said in words."""
    value = json.dumps({"run": run_id, "question": question.id, "answer": option.answer})
    if len(value) <= _VALUE:
        yield {
            "type": "button", "action_id": f"{CHOOSE}:{place}", "text": _label(option.label),
            "value": value,
        }  # fmt: skip
