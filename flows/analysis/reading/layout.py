"""Which tables of a plan are joined row by row, and which only narrow the rows.

A table is joined when each row of the plan's own table has at most one row of it, so that no row is
listed or summed twice. Conditions on other tables become `has a row there for which ...`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flows.analysis.reading.plan import AnyOf, Condition, Field, Measure, Plan, Term
from flows.semantics.model import Relationship

# The table that a join leads from, the one that it leads to, and the join.
Step = tuple[str, str, Relationship]


@dataclass(frozen=True, slots=True)
class Branch:
    """Tables that only narrow: the first of them, those joined with it, and their conditions."""

    table: str
    joined: tuple[Step, ...]
    filters: tuple[AnyOf, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """The joins in the order in which they are written, the conditions on joined rows, the rest."""

    joined: tuple[Step, ...]
    own: tuple[AnyOf, ...]
    branches: tuple[Branch, ...]


def laid_out(plan: Plan) -> Layout:
    """How the tables of a plan stand in its statement."""
    shown = output_tables(plan)
    joined, branches, seen = [], [], {plan.table}
    kept, away = set(seen), {}
    pending = [plan.table]
    while pending:
        here = pending.pop(0)
        for edge in plan.joins:
            there = _other(edge, here)
            if there is None or there in seen:
                continue
            seen.add(there)
            below = _below(plan.joins, there, here)
            if edge.dataset == here or edge.single or below & shown:
                joined.append((here, there, edge))
                kept.add(there)
                pending.append(there)
            else:
                seen |= below
                away[there] = below
    own = tuple(f for f in plan.filters if tables_of(f) <= kept)
    for there, below in away.items():
        filters = tuple(f for f in plan.filters if tables_of(f) and tables_of(f) <= below)
        inner = [j for j in plan.joins if {j.dataset, j.to} <= below]
        branches.append(Branch(there, tuple(steps(inner, there)), filters))
    mixed = [f for f in plan.filters if f not in own and not any(f in b.filters for b in branches)]
    if mixed:  # a condition over both: then all is joined
        return Layout(tuple(steps(plan.joins, plan.table)), plan.filters, ())
    return Layout(tuple(joined), own, tuple(branches))


def steps(joins: Sequence[Relationship], start: str) -> list[Step]:
    """The joins from a table outwards."""
    found: list[Step] = []
    reached, more = {start}, True
    while more:
        more = False
        for edge in joins:
            for here, there in ((edge.dataset, edge.to), (edge.to, edge.dataset)):
                if here in reached and there not in reached:
                    found.append((here, there, edge))
                    reached.add(there)
                    more = True
    return found


def _other(edge: Relationship, here: str) -> str | None:
    return edge.to if edge.dataset == here else edge.dataset if edge.to == here else None


def _below(joins: Sequence[Relationship], there: str, away_from: str) -> set[str]:
    """The tables that are reached from one without passing another."""
    rest = [j for j in joins if away_from not in (j.dataset, j.to)]
    return {there, *(name for _, name, _ in steps(rest, there))}


def output_tables(plan: Plan) -> set[str]:
    """The tables whose cells stand in the result, or decide its groups or order."""
    terms: list[Term] = [*plan.select, *plan.groups, *plan.apart]
    terms += [each.by for each in plan.order] + [each.measure for each in plan.having]
    return {field.table for term in terms for field in fields_of(term)} - {""}


def tables_in(plan: Plan) -> set[str]:
    """The table of a plan and those that it is joined with."""
    return {plan.table, *(name for each in plan.joins for name in (each.dataset, each.to))}


def fields_of(term: Term) -> Iterable[Field]:
    """The fields that a term reads."""
    if isinstance(term, Measure):
        own = () if term.field is None else (term.field,)
        tested = (f for any_of in term.of for each in any_of.conditions for f in _read_by(each))
        return (*own, *tested)
    return (term,)


def tables_of(any_of: AnyOf) -> set[str]:
    """The tables that a condition reads, without those of plans inside of it."""
    return {f.table for each in any_of.conditions for f in _read_by(each)} - {""}


def _read_by(condition: Condition) -> Iterable[Field]:
    yield condition.field
    yield from (value for value in condition.values if isinstance(value, Field))
