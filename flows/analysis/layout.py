"""Which tables of a plan are joined row by row, and which only narrow the rows.

A table is joined when each row of the plan's own table has at most one row of it, so that no row is
listed or summed twice. Conditions on other tables become `has a row there for which ...`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from flows.analysis.plan import AnyOf, Condition, Field, Joined, Measure, Plan, Term

Step = tuple[str, Joined]


@dataclass(frozen=True, slots=True)
class Branch:
    """Tables that only narrow: rows of `of` whose columns occur in those of `table`."""

    of: str
    of_columns: tuple[str, ...]
    table: str
    columns: tuple[str, ...]
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
            if edge.table == here or edge.single or below & shown:
                joined.append((there, edge))
                kept.add(there)
                pending.append(there)
            else:
                seen |= below
                away[there] = (here, edge, below)
    own = tuple(f for f in plan.filters if tables_of(f) <= kept)
    for there, (here, edge, below) in away.items():
        filters = tuple(f for f in plan.filters if tables_of(f) and tables_of(f) <= below)
        branches.append(_branch(plan, here, there, edge, below, filters))
    mixed = [f for f in plan.filters if f not in own and not any(f in b.filters for b in branches)]
    if mixed:  # a condition over both: then all is joined
        return Layout(tuple(_steps(plan.joins, plan.table)), plan.filters, ())
    return Layout(tuple(joined), own, tuple(branches))


def _branch(
    plan: Plan, here: str, there: str, edge: Joined, below: set[str], filters: tuple[AnyOf, ...]
) -> Branch:
    forward = edge.table == here
    inner = [j for j in plan.joins if {j.table, j.to} <= below]
    return Branch(
        of=here,
        of_columns=edge.columns if forward else edge.to_columns,
        table=there,
        columns=edge.to_columns if forward else edge.columns,
        joined=tuple(_steps(inner, there)),
        filters=filters,
    )


def _steps(joins: Sequence[Joined], start: str) -> list[Step]:
    """The joins from a table outwards."""
    found: list[Step] = []
    reached, more = {start}, True
    while more:
        more = False
        for edge in joins:
            there = next(
                (o for h in reached if (o := _other(edge, h)) not in {None, *reached}), None
            )
            if there is not None:
                found.append((there, edge))
                reached.add(there)
                more = True
    return found


def _other(edge: Joined, here: str) -> str | None:
    return edge.to if edge.table == here else edge.table if edge.to == here else None


def _below(joins: Sequence[Joined], there: str, away_from: str) -> set[str]:
    """The tables that are reached from one without passing another."""
    rest = [j for j in joins if away_from not in (j.table, j.to)]
    return {there, *(name for name, _ in _steps(rest, there))}


def reached(names: Iterable[str], joins: Sequence[Joined]) -> set[str]:
    """The tables of which a row of one of these has one row at most, these among them."""
    found, more = set(names), True
    while more:
        more = False
        for each in joins:
            for here, there in ((each.table, each.to), (each.to, each.table)):
                ok = here == each.table or each.single
                if ok and here in found and there not in found:
                    found.add(there)
                    more = True
    return found


def output_tables(plan: Plan) -> set[str]:
    """The tables whose cells stand in the result, or decide its groups or order."""
    terms: list[Term] = [*plan.select, *plan.evidence, *plan.groups, *plan.apart]
    terms += [each.by for each in plan.order] + [each.measure for each in plan.having]
    return {field.table for term in terms for field in fields_of(term)} - {""}


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
