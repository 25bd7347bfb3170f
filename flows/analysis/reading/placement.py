"""A plan over a view becomes one over its tables, with the joins that it needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from flows.analysis.linking.joins import reached
from flows.analysis.linking.schema import BORDER, Schema
from flows.analysis.reading.absence import POSITIVE, never, without
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.layout import laid_out, output_tables, tables_of
from flows.analysis.reading.plan import (
    AnyOf,
    Condition,
    Field,
    Having,
    Measure,
    Order,
    Plan,
    Term,
    Value,
)
from flows.semantics.model import Relationship


def with_joins(plan: Plan, draft: Draft) -> Plan:
    """The plan with the table of each field, and with the joins that it needs.

    A plan over one table stays as it is.
    """
    schema = draft.schema
    if not schema.joined:
        return plan
    found = with_fields(plan, _placed_field)
    found = replace(found, joins=schema.edges)
    for have, lack in draft.absent:
        lacking = without(found, have, lack)
        if lacking == found or lack in output_tables(found):
            draft.doubt += 1.0  # what a row has none of cannot be shown beside it
        found = lacking
    named = set(draft.named_tables()) - {lack for _, lack in draft.absent}
    found = _on_rows(found, named, draft)
    reach = reached([found.table], found.joins)
    first = (each.by for each in found.order if found.limit)
    if any(_is_repeated(term, found) for term in (*found.select, *first)):
        draft.doubt += _REPEATED
        draft.note("what is added up is repeated for every row beside it")
    if not {name for _, name, _ in laid_out(found).joined} <= reach:
        # Rows of two tables that both belong to a third: each stands beside all of the others.
        draft.doubt += _FAN
    for any_of in found.filters:
        if _is_negative(any_of) and not tables_of(any_of) <= reach:
            found = never(found, found.table, any_of)
    return found if found.joins else with_fields(found, lambda field: replace(field, table=""))


_FAN, _REPEATED = 0.3, 0.2


def _is_repeated(term: Term, plan: Plan) -> bool:
    """Whether a sum or an average has numbers of a table whose rows the joins repeat."""
    if not isinstance(term, Measure) or term.aggregation not in ("sum", "average", "median"):
        return False
    home = term.field.table if term.field else ""
    return bool(home) and plan.table not in reached([home], plan.joins)


def _is_negative(any_of: AnyOf) -> bool:
    if len(any_of.conditions) != 1 or any_of.conditions[0].comparison not in POSITIVE:
        return False
    return not any(isinstance(value, Plan) for value in any_of.conditions[0].values)


def _on_rows(plan: Plan, named: set[str], draft: Draft) -> Plan:
    """The plan over the table whose rows it is about, with the joins that it needs."""
    schema = draft.schema
    needed = {*output_tables(plan), *(t for f in plan.filters for t in tables_of(f)), *named}
    needed |= ({draft.counted} | draft.needed) - {""}
    joins = _pruned(plan.joins, needed or {schema.table.name})
    return replace(plan, table=_row_table(plan, joins, draft, schema), joins=joins)


def _placed_field(field: Field) -> Field:
    table, border, column = field.column.partition(BORDER)
    return replace(field, table=table, column=column) if border else field


def _pruned(joins: tuple[Relationship, ...], needed: set[str]) -> tuple[Relationship, ...]:
    """The joins without tables at their ends that nothing needs."""
    while True:
        ends = [name for each in joins for name in (each.dataset, each.to)]
        spare = {name for name in ends if ends.count(name) == 1 and name not in needed}
        if not spare:
            return joins
        joins = tuple(each for each in joins if not spare & {each.dataset, each.to})


def _row_table(plan: Plan, joins: tuple[Relationship, ...], draft: Draft, schema: Schema) -> str:
    """The table whose rows are listed or counted: all that is shown has one value for each."""
    counted = draft.counted
    shown = output_tables(plan) | ({counted} if counted else set())
    names = {name for each in joins for name in (each.dataset, each.to)} or shown
    if not shown:
        grain = schema.grain
        return grain if grain and grain in names else next(iter(sorted(names)), plan.table)
    reach = {name: reached([name], joins) for name in names or shown}
    fitting = [name for name in reach if shown <= reach[name]]
    if plan.kind == "rows" and draft.head in fitting:
        return draft.head
    order = [member.table.name for member in schema.members]
    # The smallest one: it repeats nothing that need not be repeated.
    chosen = min(fitting, key=lambda n: (n not in shown, len(reach[n]), order.index(n)), default="")
    return chosen or next(name for name in order if name in shown)


def with_fields(plan: Plan, change: Callable[[Field], Field]) -> Plan:
    """The plan with every field of its own changed; plans inside of it are left."""

    def value(one: Value) -> Value:
        return change(one) if isinstance(one, Field) else one

    def any_of(one: AnyOf) -> AnyOf:
        return AnyOf(tuple(condition(each) for each in one.conditions))

    def condition(one: Condition) -> Condition:
        values = tuple(value(each) for each in one.values)
        return replace(one, field=change(one.field), values=values)

    def measure(one: Measure) -> Measure:
        field = change(one.field) if one.field else None
        return replace(one, field=field, of=tuple(any_of(each) for each in one.of))

    def term(one: Term) -> Term:
        return measure(one) if isinstance(one, Measure) else change(one)

    def having(one: Having) -> Having:
        return replace(one, measure=measure(one.measure))

    return replace(
        plan,
        select=tuple(map(term, plan.select)),
        groups=tuple(map(change, plan.groups)),
        apart=tuple(map(change, plan.apart)),
        filters=tuple(map(any_of, plan.filters)),
        having=tuple(map(having, plan.having)),
        order=tuple(Order(term(each.by), each.descending) for each in plan.order),
    )
