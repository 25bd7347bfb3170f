"""Conditions on the group that has the most or the fewest rows: `in the most common C`."""

from __future__ import annotations

from flows.analysis.language.lexicon import LESS
from flows.analysis.language.phrases import Match
from flows.analysis.linking.schema import BORDER
from flows.analysis.reading.conditions import NOT, is_negated, marker
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.grammar import Rule, rule
from flows.analysis.reading.plan import COUNT, AnyOf, Comparison, Condition, Field, Order, Plan
from flows.data.tables import Column

_DOUBT = 0.05


def _in_winner(draft: Draft, match: Match) -> str | None:
    column = draft.column(match["c"])
    if column.distinct >= column.rows or column.type == "real" or match["c"] == draft.first:
        return None
    if match["size"] and (column.type != "text" or column.role == "measure"):
        return None
    test: Comparison = "!=" if is_negated(match) else "="
    down = (match["sup"] or match["size"]) not in (*LESS, "smallest")
    winner = _most_rows(draft, column, down)
    draft.filters.append(AnyOf((Condition(Field(column.name), test, (winner,)),)))
    draft.doubt += _DOUBT
    return marker(draft)


def _most_rows(draft: Draft, column: Column, down: bool) -> Plan:
    """The value of a column that has the most rows of its own table."""
    table = draft.schema.member(draft.schema.home(column.name)).table
    field = Field(column.name.rpartition(BORDER)[2])
    return Plan(
        "aggregate", table.name, select=(field,), groups=(field,),
        order=(Order(COUNT, down),), limit=1,
    )  # fmt: skip


WINNERS: tuple[Rule, ...] = (
    rule(
        "the largest group",
        rf"(?:(?:that|which|who|whose|are|is|was|were|do|does|did) )*{NOT}"
        r"(?:in|from|with|at|by|have|has|having|share|sharing|belong to|live in|lives in) the "
        r"(?:(?P<sup>most|least) (?:common|popular|frequent|typical|prevalent)|"
        r"(?P<size>largest|biggest|smallest)) <C>(?! of)",
        _in_winner,
    ),
)
