"""Columns that only say yes or no: where they are spoken of, they hold or do not."""

from __future__ import annotations

from flows.analysis.language.phrases import Match
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.grammar import Rule, rule
from flows.analysis.reading.plan import AnyOf, Condition, Field
from flows.core.observation import Cell
from flows.data.tables import Column

# Usual ways to write yes, each with its no.
_PAIRS = {"y": "n", "yes": "no", "true": "false", "t": "f", "1": "0"}


def answers(column: Column) -> tuple[Cell, Cell] | None:
    """The values for yes and for no of a column that holds nothing else; None for any other."""
    if column.type == "boolean":
        return True, False
    if column.type != "text" or not column.values_complete:
        return None
    found = {value.strip().casefold(): value for value in column.values}
    for yes, no in _PAIRS.items():
        if found and set(found) <= {yes, no}:
            return found.get(yes, yes), found.get(no, no)
    return None


def _holds(draft: Draft, match: Match) -> str | None:
    column = draft.column(match["c"])
    pair = answers(column)
    if pair is None:
        return None
    value = pair[1] if match["not"] else pair[0]
    draft.filters.append(AnyOf((Condition(Field(column.name), "=", (value,)),)))
    draft.note(f"only where {column.name} is {value}")
    return f"F{len(draft.filters) - 1}"


FLAGS: tuple[Rule, ...] = (
    rule(
        "yes or no",
        r"(?:(?:that|which|who|whose|and) )*(?:are|is|was|were|be|been|have|has|had|do|does|did|"
        r"with|on|by)(?P<not> not)?(?: (?:have|has|been|on|the|a|an|any|\w+ed by(?: the)?))* "
        r"<C>(?! (?:is|are|was|were|equal|[VQU]))",
        _holds,
    ),
    rule("yes or no", r"(?P<not>not )?<C>(?= T\d)", _holds),
)
