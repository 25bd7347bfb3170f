"""Reads text as numbers where a column keeps its numbers as text and a plan computes with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flows.analysis.reading.plan import AnyOf, Condition, Field, Having, Measure, Order, Plan, Term
from flows.data.tables import Column


def numbers_in_text(plan: Plan, columns: Mapping[str, Column]) -> Plan:
    """The plan with such columns cast where they are compared, ordered by or aggregated."""
    kept = {c.name for c in columns.values() if c.type == "text" and c.role == "measure"}
    if not kept:
        return plan

    def field(one: Field) -> Field:
        return replace(one, part="number") if one.column in kept else one

    def measure(one: Measure) -> Measure:
        computes = one.field is not None and not one.aggregation.startswith("count")
        return replace(one, field=field(one.field)) if computes and one.field else one

    def term(one: Term) -> Term:
        return measure(one) if isinstance(one, Measure) else one

    def condition(one: Condition) -> Condition:
        compares = any(isinstance(value, int | float) for value in one.values)
        return replace(one, field=field(one.field)) if compares else one

    def order(one: Order) -> Order:
        return replace(one, by=measure(one.by) if isinstance(one.by, Measure) else field(one.by))

    def having(one: Having) -> Having:
        return replace(one, measure=measure(one.measure))

    return replace(
        plan,
        select=tuple(map(term, plan.select)),
        filters=tuple(AnyOf(tuple(map(condition, each.conditions))) for each in plan.filters),
        having=tuple(map(having, plan.having)),
        order=tuple(map(order, plan.order)),
    )
