"""The conditions of a draft over one table, as predicates of its rows."""

from __future__ import annotations

from flows.analysis.plan import Plan
from flows.analysis.reading.draft import Draft
from flows.analysis.requests.queries import query_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import And, Predicate


def row_tests(draft: Draft, model: SemanticModel) -> list[Predicate]:
    """What a draft over one table wants of its rows; all of it must hold.

    Raises NoRowHasIt for a metric that is a figure of many rows.
    """
    table, filters = draft.schema.table, tuple(each for each in draft.filters if each.conditions)
    plan = Plan("rows", table.source, table.name, table.dialect, (), filters=filters)
    where = query_of(plan, model).where
    if where is None:
        return []
    return list(where.of) if isinstance(where, And) else [where]
