"""The turns of a conversation on a terminal."""

from __future__ import annotations

from rich.console import Console

from flows.library.csv_chat.reply import TurnReply
from flows.ui.cautions import show_cautions
from flows.ui.page import Page

_MARKS = {"clarify": "bold yellow", "abstained": "bold yellow", "failed": "bold red"}


def show_turn(console: Console, reply: TurnReply) -> None:
    """Write how a turn was read, and what it came to."""
    page = Page(console)
    if reply.question_read and reply.has_answer:
        page.flush(page.wrapped(reply.question_read, style="dim", flush=True))
    page.flush(page.wrapped(reply.answer, style=_style(reply), flush=True))
    if reply.clarification is not None:
        for number, each in enumerate(reply.clarification.options, 1):
            page.flush(page.wrapped(f"  {number}  {each.label}", flush=True))
    if reply.table is not None and len(reply.table.rows) > 1:
        for body in page.table(reply.table):
            page.flush(body)
    for name in reply.figures:
        page.text("Figure", name)
    show_cautions(page, reply.warnings)


def _style(reply: TurnReply) -> str:
    return "" if reply.has_answer else _MARKS[reply.status]
