"""The final answer of a goal: one line for each part, from what the commands gave back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.answer import answer, listing
from flows.analysis.examples import example_question
from flows.analysis.goal import Part
from flows.analysis.overview import overview
from flows.analysis.read import Unread, read
from flows.data.tables import Table

_TEXT = 400


def compose(parts: Sequence[Part], tables: Sequence[Table], *, stopped: bool) -> str:
    """All answers in the order of the parts, then plainly what was not answered and why."""
    told = [part for part in parts if part.status == "done"]
    lines = [_line(part, tables) for part in told]
    for part in parts:
        if part.status in ("done", "replaced"):
            continue
        why = part.why or (
            "you stopped before it was asked" if stopped else "its command gave nothing back"
        )
        if part.unread and part.kind == "search":
            why = f"no table answers it and the search did not help either ({why})"
        why = re.sub(r"\s+", " ", why).strip().rstrip(".")
        lines.append(f'Not answered: "{part.text}", because {why}.')
    lost = next((part for part in parts if part.unread and part.status == "failed"), None)
    example = example_question(lost.text, tables) if lost else None
    if example:
        lines.append(f'A question that I can answer here is for example: "{example}"')
    return (
        "\n".join(dict.fromkeys(lines)) or "There was no question in the goal that I could work on."
    )


def _line(part: Part, tables: Sequence[Table]) -> str:
    if part.kind == "question":
        return answer_of(part, tables)
    text = part.result.text if part.result else ""
    if part.kind == "describe":
        return overview(part.text, tables) or _begin(text)
    return f"{part.asked} ({part.command}): {_begin(text)}"


def answer_of(part: Part, tables: Sequence[Table]) -> str:
    """One part's answer, from the cells of its result."""
    result = part.result
    if result is None:
        return f"{part.text}: there is no result."
    if result.table is None or result.kind == "empty":
        reading = read(part.asked, tables)
        if result.kind == "empty" and not isinstance(reading, Unread):
            return answer(reading.plan, (), ())
        return f"{part.text}: {_begin(result.text)}"
    reading = read(part.asked, tables)
    table = result.table
    if isinstance(reading, Unread):
        return listing(table.columns, table.rows, table.total_rows)
    return answer(reading.plan, table.columns, table.rows, table.total_rows)


def _begin(text: str) -> str:
    """The first sentences of a text."""
    text = re.sub(r"\s+", " ", text).strip()
    if len(text) <= _TEXT:
        return text
    end = max(text.rfind(". ", 0, _TEXT), text.rfind("; ", 0, _TEXT))
    return text[: end + 1] if end > 80 else text[:_TEXT] + "..."
