"""What one number of several rows is when a question does not say: a sum or an average."""

from __future__ import annotations

from collections.abc import Iterable

from flows.analysis.reading.draft import Draft
from flows.analysis.reading.plan import Field, Measure

# Parts of names of what is added up; anything else is averaged.
_ADDED = frozenset(
    ["total", "amount", "revenue", "sale", "sales", "cost", "quantity", "income", "profit", "sum"]
)


def of_each(draft: Draft, field: Field) -> Measure:
    """The measure of a group of rows: the sum of what adds up, else the average."""
    known = draft.schema.by_name[field.column].additive
    added = adds_up(draft.schema.words_by_name[field.column]) if known is None else known
    return Measure("sum" if added else "average", field)


def adds_up(words: Iterable[str]) -> bool:
    """Whether a column that is called so is added up."""
    return not _ADDED.isdisjoint(words)
