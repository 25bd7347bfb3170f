"""Shares: what percentage of a whole some of its rows, or each of its groups, are."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.questions.conditions import conditions_of
from flows.analysis.questions.draft import DraftMeasure, Impossible, QuestionDraft
from flows.analysis.questions.measures import metric_of
from flows.analysis.questions.parts import FormPart, NounPart
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.scopes import is_additive, is_difference, percentage, within
from flows.core.observation import Cell
from flows.semantics.query import (
    Aggregate,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    Order,
    Predicate,
    Query,
    Rank,
    Transform,
    conjunction,
)

_YES = frozenset(["yes", "y", "true", "ja", "oui"])


def figures_of(
    draft: QuestionDraft, rows: DatasetRows, form: FormPart | None = None
) -> tuple[Expression, ...]:
    """The figures that a question speaks of, in the unit and scale of `form`: the number of its
    rows where it names no other."""
    measures = draft.measures
    if not measures:
        if not draft.nouns and (draft.shown or draft.change or draft.course):
            raise Impossible("no figure is named")
        measures = [DraftMeasure("count", None, draft.nouns[0] if draft.nouns else "")]
        grouped = draft.groups and draft.form is not None  # `gender split in percent`
        rows.cost += 0.02 if draft.nouns else 0.1 if grouped else 0.3
    return tuple(dict.fromkeys(metric_of(each, rows, form) for each in measures))


def query_of_share(draft: QuestionDraft, rows: DatasetRows) -> Query:
    """The percentage that is asked for."""
    figure, *others = figures_of(draft, rows)
    if draft.share is None and is_difference(figure, rows.model):
        raise Impossible("a margin in percent is one of another figure")
    if draft.share is None and isinstance(draft.subject, NounPart) and rows.is_row(draft.subject):
        raise Impossible("each row would be a part of the whole")
    if others or not is_additive(figure, rows.model):
        raise Impossible("its parts do not add up to a whole")
    entities = [] if draft.subject is None else [draft.subject]
    entities += draft.groups
    if not entities and draft.share is None:
        entities += [each for each in draft.shown if rows.vocabulary.role(each) != "measure"]
        if any(_held(each, rows) is not None for each in draft.shown):
            rows.cost += 0.15  # rather the share of those that say yes
    by, identity = rows.groups(entities)
    where = conditions_of(draft, rows, None).where
    held = [test for each in draft.shown if (test := _held(each, rows)) is not None]
    if draft.share or (draft.share is not None and held):
        shared = replace(draft, conditions=list(draft.share), event=None)
        part = conjunction([conditions_of(shared, rows, None).where, *held])
        assert part is not None
        share = _share(figure, part, rows)
        return Query(
            dataset=rows.dataset.name,
            metrics=(share,),
            by=by,
            identity=identity,
            where=where,
            rank=_rank(draft, share) if by else None,
        )
    if not by:
        raise Impossible("it is not said of what it is the share")
    return Query(
        dataset=rows.dataset.name,
        metrics=(figure,),
        by=by,
        identity=identity,
        show=by,
        where=where,
        transforms=(Transform(operation="share", of=figure),),
        sort=(Order(by=figure, descending=True),),
    )


def _rank(draft: QuestionDraft, figure: Expression) -> Rank | None:
    """The first of the groups by their shares, where a question asks for it."""
    extreme = draft.extreme
    if extreme is None:
        return None
    order = (Order(by=figure, descending=extreme.descending),)
    return Rank(by=order, n=extreme.n, skip=extreme.place)


def _held(of: FieldRef, rows: DatasetRows) -> Predicate | None:
    """That a field which says yes or no says yes."""
    field = rows.vocabulary.field(of)
    if field is None or of.dataset != rows.dataset.name:
        return None
    yes: list[Cell] = [each for each in field.values if each.casefold() in _YES]
    if field.type == "boolean":
        yes = [True]
    if field.type == "integer" and set(field.values) == {"0", "1"}:
        yes = [1]
    return Comparison(left=of, operator="=", right=Constant(value=yes[0])) if yes else None


def _share(figure: Expression, part: Predicate, rows: DatasetRows) -> Expression:
    if isinstance(figure, Aggregate) and figure.function in ("count", "count distinct"):
        return figure.model_copy(update={"function": "share", "where": part})
    return percentage(within(figure, part, rows.model), figure)
