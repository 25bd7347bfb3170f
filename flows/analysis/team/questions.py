"""Tasks that are questions over tables: read as such, for a database or for data frames."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.compiler.frames import FrameLimit, query_lines
from flows.analysis.methods.compile import DATA
from flows.analysis.reading.read import Reading, Unread, read
from flows.analysis.team.extraction import read_rows, wants_rows
from flows.analysis.team.wording import plainly, undone
from flows.data.frames import frame_name
from flows.data.tables import Table
from flows.semantics.kinds import with_evidence
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query

_ASKS: Final = re.compile(
    r"^\s*(?:please\s+)?(?:extract|retrieve|fetch|get|pull|load|obtain|collect|query|gather|export|"
    r"compute|calculate|determine|find out|summari[sz]e|aggregate|analy[sz]e|compare|prepare)\b\s*"
    r"(?:data (?:on|about|for|of)\s+)?",
    re.IGNORECASE,
)


def read_question(task: str, tables: Sequence[Table], model: SemanticModel) -> Query | Unread:
    """The query of what a task asks for; of several wordings the one that is read with the least
    doubt."""
    text = plainly(task, tables)
    rows: Query | Unread | None = read_rows(text, tables) if wants_rows(text) else None
    if isinstance(rows, Query):
        return rows
    best: Reading | None = None
    first: Unread | None = rows
    for each in _wordings(text):
        found = read(each, tables, model)
        if isinstance(found, Unread):
            first = first or found
        elif best is None or found.doubt < best.doubt - 0.01:
            best = found
    assert best is not None or first is not None
    return best.query if best else first  # type: ignore[return-value]


def _wordings(text: str) -> Iterator[str]:
    """The text, and as a question says it."""
    seen = dict.fromkeys((text, _ASKS.sub("Show the ", text, count=1), f"Show the {undone(text)}"))
    yield from (re.sub(r"\bthe (?:the|all)\b", "the", each) for each in seen)


def frame_code(query: Query, tables: Sequence[Table], model: SemanticModel) -> str | Unread:
    """Python code for a query over one data frame."""
    try:
        lines = query_lines(with_evidence(query, model), model)
    except FrameLimit as limit:
        return Unread(
            f"{limit}, which is a task of the data processor; give its result as the data"
        )
    table = next(each for each in tables if each.name == query.dataset)
    frame = frame_name(table, tables)
    start = [] if frame == DATA else [f"data = {frame}"]
    head = ["import pandas as pd", "", *start]
    return "\n".join([*head, *lines, "print(result.head(40).to_string(index=False))"]) + "\n"
