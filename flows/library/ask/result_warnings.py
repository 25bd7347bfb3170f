"""What is to be said of a result beside its figures: that it is empty, or cut."""

from __future__ import annotations

from typing import Final

from flows.core.observation import Caution, Observation
from flows.library.ask.proposal import Proposal

EMPTY: Final = Caution(code="empty", text="The query found no rows.")
NO_VALUE: Final = Caution(code="empty", text="The query found no value.")


def is_nothing(observation: Observation) -> bool:
    """No rows, or one row in which nothing stands."""
    table = observation.table
    if observation.kind == "empty":
        return True
    one = table is not None and len(table.rows) == 1 == table.total_rows
    return one and table is not None and all(cell is None for cell in table.rows[0])


def warnings_of(proposal: Proposal, found: Observation) -> tuple[Caution, ...]:
    """The proposal's own, those of its code, and what is to be seen of the result."""
    more = list(found.cautions)
    if is_nothing(found):
        more.append(EMPTY if found.kind == "empty" else NO_VALUE)
    if found.table is not None and found.table.truncated:
        rows = f"{found.table.total_rows:,}"
        text = f"There are more than {rows} rows; the rest was left out."
        more.append(Caution(code="truncated", text=text))
    return (*proposal.warnings, *more)
