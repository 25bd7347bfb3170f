"""What has nothing of a kind: rows to which no row of another table belongs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from flows.analysis.reading.layout import output_tables, tables_of
from flows.analysis.reading.plan import AnyOf, Comparison, Condition, Field, Plan
from flows.semantics.model import Relationship

POSITIVE: dict[Comparison, Comparison] = {
    "!=": "=", "not in": "in", "not contains": "contains", "not starts": "starts",
    "not ends": "ends", "not between": "between",
}  # fmt: skip


def without(plan: Plan, have: str, lack: str) -> Plan:
    """The plan for those rows of `have` to which no row of `lack` belongs.

    Conditions on what is lacked say which rows those are. The plan stays as it is where nothing
    connects the two by one column, and where what lies between them is needed otherwise.
    """
    steps = way(plan.joins, have, lack)
    if not steps or any(len(each.fields) != 1 for each in steps):
        return plan
    away = {name for each in steps for name in (each.dataset, each.to)} - {have}
    first = steps[0]
    forward = first.dataset == have
    mine, theirs = (first.fields, first.to_fields)[:: 1 if forward else -1]
    there = first.to if forward else first.dataset
    inner = tuple(f for f in plan.filters if tables_of(f) and tables_of(f) <= away)
    key = Field(theirs[0], table=there)
    known = AnyOf((Condition(key, "present"),))
    rows = replace(
        plan, kind="rows", table=there, select=(key,), groups=(), apart=(), having=(), order=(),
        limit=None, offset=0, distinct=False, combined=(), joins=tuple(steps[1:]),
        filters=(*inner, known),
    )  # fmt: skip
    lacks = AnyOf((Condition(Field(mine[0], table=have), "not in", (rows,)),))
    kept = tuple(f for f in plan.filters if f not in inner)
    joins = tuple(each for each in plan.joins if not {each.dataset, each.to} & away)
    named = output_tables(plan).union(*map(tables_of, kept))
    if any(name != have and not way(joins, have, name) for name in named):
        return plan
    return replace(plan, filters=(*kept, lacks), joins=joins)


def never(plan: Plan, have: str, any_of: AnyOf) -> Plan:
    """The plan with a negated condition on rows of which `have` may have many: none is so."""
    condition = any_of.conditions[0]
    positive = replace(condition, comparison=POSITIVE[condition.comparison])
    filters = tuple(AnyOf((positive,)) if f == any_of else f for f in plan.filters)
    return without(replace(plan, filters=filters), have, condition.field.table)


def way(joins: Sequence[Relationship], start: str, goal: str) -> list[Relationship]:
    """The joins from one table to another; empty when there are none."""
    ways: dict[str, list[Relationship]] = {start: []}
    pending = [start]
    while pending:
        here = pending.pop(0)
        for each in joins:
            if here not in (each.dataset, each.to):
                continue
            there = each.to if here == each.dataset else each.dataset
            if there not in ways:
                ways[there] = [*ways[here], each]
                pending.append(there)
    return ways.get(goal, [])
