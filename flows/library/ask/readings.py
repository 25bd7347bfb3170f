"""Whether the readings that a person would be asked to choose from differ in their answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from flows.core.observation import Observation
from flows.errors import CodeFailed, StepFailed
from flows.library.ask.proposal import Option, Proposal
from flows.semantics.request import Request

Answered = tuple[Proposal, Observation | None]


async def same_answer(
    options: Sequence[Option], answer: Callable[[Request], Awaitable[Answered]]
) -> Answered | None:
    """What the first of some readings gives where all give the same rows: then there is nothing to
    choose. None where they differ, where one fails, or where not all rows are known."""
    requests = [each.request for each in options]
    first: Answered | None = None
    for request in requests if len(requests) > 1 else ():
        if request is None:
            return None
        try:
            proposal, found = await answer(request)
        except (StepFailed, CodeFailed):
            return None
        table = None if found is None else found.table
        if table is None or len(table.rows) < table.total_rows:
            return None
        if not any(cell for row in table.rows for cell in row):
            return None  # that none of them finds anything says that all are wrong
        if first is None:
            first = proposal, found
        elif first[1] is None or first[1].table is None or first[1].table.rows != table.rows:
            return None
    return first
