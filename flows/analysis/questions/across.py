"""Ratios of two tables: `yield per hectare by field`, each sum of its own rows."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.questions.conditions import conditions_of
from flows.analysis.questions.draft import (
    Condition,
    DraftMeasure,
    Entity,
    Impossible,
    QuestionDraft,
)
from flows.analysis.questions.measures import metric_of
from flows.analysis.questions.parts import (
    ContainingPart,
    KnownPart,
    NounPart,
    Operand,
    ValuePart,
)
from flows.analysis.questions.rows import DatasetRows
from flows.semantics.path import leads_to_many
from flows.semantics.query import Aggregate, Arithmetic, Constant, Expression, FieldRef

_COST = 0.04
_MONEY = frozenset(["sales", "revenue", "revenues", "takings", "turnover"])


def set_across(draft: QuestionDraft, rows: DatasetRows) -> QuestionDraft:
    """A draft whose figure is divided by one of these rows, to which the rows of the figure refer,
    as one that has it as a figure of these rows; any other draft as it is."""
    if len(draft.measures) != 1:
        return draft
    measure = draft.measures[0]
    home = measure.dataset or rows.vocabulary.home(measure.operand)
    per = measure.per
    if per is None or (isinstance(per, NounPart) and not per.all_of) or home == rows.dataset.name:
        return draft
    below = per.dataset if isinstance(per, NounPart) else rows.vocabulary.home(per)
    if below != rows.dataset.name or not _refers(home, rows):
        return draft
    others = DatasetRows(rows.model.dataset(home), rows.vocabulary, draft.event)  # type: ignore[arg-type]
    own = [each for each in draft.conditions if _is_own(each, rows)]
    rest = [each for each in draft.conditions if each not in own]
    where = conditions_of(replace(draft, conditions=rest), others, None).where
    above = _figure(replace(measure, per=None), others)
    if measure.operand is None and home in _MONEY:
        rows.cost += 0.3  # rather their worth
    above = above.model_copy(update={"dataset": home, "where": where})
    made: Expression = Arithmetic(operator="/", left=above, right=_below(per, rows))
    if measure.scale != 1.0:
        made = Arithmetic(operator="*", left=made, right=Constant(value=measure.scale))
    figure = replace(measure, per=None, expression=made, dataset=rows.dataset.name)
    rows.cost += _COST + others.cost
    return replace(
        draft,
        measures=[figure],
        conditions=own,
        event=None,
        groups=[_own_entity(each, rows) for each in draft.groups],
        subject=None if draft.subject is None else _own_entity(draft.subject, rows),
        nouns=[each for each in draft.nouns if each != home],
        shown=[each for each in draft.shown if each.dataset != home],
    )


def _refers(home: str, rows: DatasetRows) -> bool:
    """Whether each row of a dataset refers to one of these rows, in one way."""
    ways = rows.vocabulary.ways(home, rows.dataset.name) if home else ()
    return len(ways) == 1 and len(ways[0]) == 1 and not leads_to_many(ways[0])


def _is_own(condition: Condition, rows: DatasetRows) -> bool:
    """Whether a condition is one of these rows, and not of those that refer to them."""
    if not isinstance(condition, ValuePart | ContainingPart | KnownPart):
        return False
    return rows.vocabulary.leads(rows.dataset.name, condition.field.dataset)


def _figure(measure: DraftMeasure, rows: DatasetRows) -> Aggregate:
    made = metric_of(measure, rows)
    if not isinstance(made, Aggregate) or made.where is not None:
        raise Impossible("it is no sum and no number of rows")
    return made


def _below(per: Operand | NounPart, rows: DatasetRows) -> Expression:
    if isinstance(per, NounPart):
        return Aggregate(function="count")
    return metric_of(DraftMeasure("sum", per), rows)


def _own_entity(entity: Entity, rows: DatasetRows) -> Entity:
    """What groups are made by, as these rows have it: a key that refers to them is the row."""
    if isinstance(entity, str):
        raise Impossible("these rows have no such time")
    if isinstance(entity, FieldRef) and entity.dataset != rows.dataset.name:
        for link in rows.model.relationships:
            if (link.dataset, link.fields, link.to) == (
                entity.dataset, (entity.field,), rows.dataset.name,
            ):  # fmt: skip
                return NounPart(rows.dataset.name)
    return entity
