"""The query that a picture draws: its groups and its figures."""

from __future__ import annotations

from flows.analysis.compiler import result_columns
from flows.semantics.kinds import columns_of, with_evidence
from flows.semantics.model import SemanticModel
from flows.semantics.query import Expression, FieldRef, Query


def picture_query(query: Query, model: SemanticModel) -> Query:
    """The query with all that a chart shows: its groups, and the figures by which its first rows
    came first."""
    whole = with_evidence(query, model)
    if not whole.by or not whole.show:
        return whole
    figures = figures_of(whole, model)
    hidden = tuple(each for each in whole.by if each not in whole.show)
    show = (*hidden, *whole.show)
    return whole.model_copy(
        update={"metrics": figures, "show": () if show == (*whole.by, *figures) else show}
    )


def axes_of(query: Query, model: SemanticModel) -> tuple[list[str], list[str]]:
    """The columns of the result that hold the groups, and those that hold the figures."""
    shown = columns_of(query, model)
    names = dict(zip(shown, result_columns(query, model), strict=False))
    return [names[e] for e in query.by if e in names], [
        names[e] for e in shown if e not in query.by
    ]


def figures_of(query: Query, model: SemanticModel) -> tuple[Expression, ...]:
    """What a query shows of each group."""
    return tuple(each for each in columns_of(query, model) if each not in query.by)


def field_name(of: Expression) -> str:
    """The field that an expression is of; empty for none or several."""
    if isinstance(of, FieldRef):
        return of.field
    inner = getattr(of, "of", None)
    return "" if inner is None else field_name(inner)
