"""Tables whose rows hold one number: `the lowest rating` is that of the ratings' only number."""

from __future__ import annotations

import re
from dataclasses import replace

from flows.analysis.language.phrases import Match
from flows.analysis.reading.draft import Draft, is_numeric
from flows.analysis.reading.mentions import ends

_AGGREGATED = re.compile(
    r"(?P<agg>(?:average|mean|total|sum of|lowest|highest|maximum|minimum) (?:of )?(?:the |its |"
    r"their |all )*)(?P<t>T\d+)(?!\S)"
)


def read_one_measures(draft: Draft) -> None:
    """`the average T`, where the rows of a table hold one number: `the lowest rating`."""
    draft.line = _AGGREGATED.sub(lambda match: _one_measure(draft, match), draft.line)


def _one_measure(draft: Draft, match: Match) -> str:
    table = draft.table_of(match["t"])
    columns = draft.schema.columns_of(table)
    keys = {c for e in draft.schema.edges for c in ends(draft, e)}
    numbers = [c for c in columns if is_numeric(c) and c.role == "measure" and c.name not in keys]
    if len(numbers) != 1:
        return match.group()
    slot = f"C{len(draft.slots)}"
    draft.slots[slot] = replace(draft.slots[match["t"]], kind="column", columns=(numbers[0].name,))
    draft.doubt += 0.1
    return f"{match['agg']}{slot}"
