"""Rows that belong to the one row that comes first: `employees in the department with the highest
budget` are all of them, and not the first of a sorted list."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.language.words import singular
from flows.analysis.linking.schema import BORDER
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.plan import AnyOf, Condition, Field, Measure, Order, Plan, Term


def of_the_first(draft: Draft) -> None:
    """Turn an order with a limit of one into a condition where several rows are asked for."""
    if not draft.schema.joined or draft.limit != 1 or len(draft.order) != 1 or draft.groups:
        return
    by = draft.order[0].by
    if not isinstance(by, Field) or draft.grouped or draft.having:
        return
    first = draft.schema.home(by.column)
    homes = {draft.schema.home(f.column) for f in map(_field, draft.select) if f}
    if first in homes or not _asks_several(draft, first):
        return
    member = draft.schema.member(first)
    if len(member.key) != 1:
        return
    own = [f for f in draft.filters if _homes(draft, f) == {first}]
    table = member.table
    key = Field(member.key[0])
    rows = Plan(
        "rows", table.name, select=(key,),
        filters=tuple(map(_bare, own)), order=(Order(_plain(by), draft.order[0].descending),),
        limit=1, offset=draft.offset,
    )  # fmt: skip
    here = Field(draft.schema.called(first, member.key[0]))
    draft.filters = [f for f in draft.filters if f not in own]
    draft.filters.append(AnyOf((Condition(here, "=", (rows,)),)))
    draft.order, draft.limit, draft.offset = [], None, 0
    draft.note(f"all that belong to the first of {first}")


def _field(term: Term) -> Field | None:
    return term.field if isinstance(term, Measure) else term


def _asks_several(draft: Draft, first: str) -> bool:
    """Whether things of which one such row has many are asked for in the plural."""
    for slot, link in draft.slots.items():
        if slot[0] != "T" or draft.table_of(slot) == first:
            continue
        many = any(
            edge.dataset == draft.table_of(slot) and edge.to == first
            and not edge.single
            for edge in draft.schema.edges
        )  # fmt: skip
        last = link.text.split()[-1]
        if many and singular(last) != last:
            return True
    return False


def _homes(draft: Draft, any_of: AnyOf) -> set[str]:
    return {draft.schema.home(test.field.column) for test in any_of.conditions}


def _plain(field: Field) -> Field:
    return replace(field, column=field.column.rpartition(BORDER)[2])


def _bare(any_of: AnyOf) -> AnyOf:
    return AnyOf(tuple(replace(test, field=_plain(test.field)) for test in any_of.conditions))
