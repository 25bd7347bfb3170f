"""A query with the parts of another one: its figure, its groups, or its conditions."""

from __future__ import annotations

from flows.analysis.parser.ranks import figures_of
from flows.analysis.parser.tree import substitute
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Aggregate,
    Between,
    Comparison,
    During,
    Expression,
    FieldRef,
    Missing,
    OneOf,
    Period,
    Predicate,
    Query,
    conjunction,
    conjuncts,
)
from flows.semantics.tree import parts


def with_figure(query: Query, other: Query) -> Query | None:
    """The query with the one figure of another in the place of its own; conditions of the other
    are added, and a group that a condition inside the figure is on goes."""
    new = other.metrics or tuple(each for each in other.show if isinstance(each, Aggregate))
    old = figures_of(query)
    if len(new) != 1 or not (query.by or query.metrics):
        return None
    (figure,) = new
    made = substitute(query, old[0], figure) if len(old) == 1 else query.model_copy(
        update={"metrics": (figure,), "show": (), "sort": (), "rank": None, "having": None}
    )  # fmt: skip
    if made.metrics != (figure,) and not made.rank:
        made = made.model_copy(update={"metrics": (figure,), "show": ()})
    if isinstance(figure, Aggregate) and figure.where is not None:
        inside = {part for part in parts(figure.where) if isinstance(part, FieldRef)}
        made = made.model_copy(update={
            "by": tuple(each for each in made.by if each not in inside), "show": (),
            "where": conjunction(e for e in conjuncts(made.where) if subject(e) not in inside),
        })  # fmt: skip
    made = made.model_copy(update={"transforms": (), "compare": None})
    for each in conjuncts(other.where):
        made = with_condition(made, each)
    return made


def with_condition(query: Query, condition: Predicate) -> Query:
    """The query with a condition, in the place of those on the same expression; of periods of one
    time the new one holds."""
    of = subject(condition)
    kept = [each for each in conjuncts(query.where) if of is None or subject(each) != of]
    return query.model_copy(update={"where": conjunction([*kept, condition]), "compare": None})


def without_empty(query: Query) -> Query:
    """The query without conditions that a value is missing of which it computes a figure: no row
    could have one."""
    computed = {each for metric in query.metrics for each in parts(metric)}
    kept = [
        each
        for each in conjuncts(query.where)
        if not (isinstance(each, Missing) and each.of in computed)
    ]
    if len(kept) == len(conjuncts(query.where)):
        return query
    return query.model_copy(update={"where": conjunction(kept)})


def without_timed(query: Query, condition: Predicate, model: SemanticModel) -> Query:
    """The query without conditions on the time that a new condition is on."""
    if not is_timed(condition, model):
        return query
    kept = [each for each in conjuncts(query.where) if not is_timed(each, model)]
    return query.model_copy(update={"where": conjunction(kept)})


def is_timed(condition: Predicate, model: SemanticModel) -> bool:
    """Whether a condition is one on a time."""
    for part in parts(condition):
        if isinstance(part, FieldRef) and (dataset := model.dataset(part.dataset)) is not None:
            field = dataset.find(part.field)
            if field is not None and field.role == "time":
                return True
    return False


def subject(condition: Predicate) -> Expression | None:
    """What a condition is on, where it says which values that has."""
    if isinstance(condition, Comparison):
        of: Expression | None = condition.left
    elif isinstance(condition, OneOf | Between | During):
        of = condition.of
    else:
        of = next((p for p in parts(condition) if isinstance(p, FieldRef)), None)
    return inner(of)


def inner(of: Expression | None) -> Expression | None:
    """What an expression is a period of; itself where it is none."""
    return of.of if isinstance(of, Period) else of
