"""What a question compares: the values, periods or measures that stand side by side."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.questions.draft import DraftMeasure, Entity, QuestionDraft
from flows.analysis.questions.measures import usual_function
from flows.analysis.questions.parts import NounPart, PeriodsPart, ValuePart
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.units import unit_of
from flows.semantics.query import FieldRef

_ONE_SIDED = 0.6  # what it costs that something is compared with nothing


def set_sides(draft: QuestionDraft, rows: DatasetRows) -> QuestionDraft:
    """The draft with the two sides that it compares as groups, and with the figures by which those
    are compared."""
    several: list[Entity] = [
        each.grain
        for each in draft.conditions
        if isinstance(each, PeriodsPart) and each.join == "list" and each.grain not in draft.groups
    ]
    if not draft.compared and not any(_versus(each) for each in draft.conditions):
        return draft
    fields = [each for each in _fields(draft) if each not in draft.groups]
    whole = [e for e in draft.groups if isinstance(e, NounPart) and not rows.is_row(e)]
    if fields and len(whole) == 1 and len(draft.measures) == 1 and draft.measures[0].per is None:
        # `spend more per order`, told by the lines of orders
        draft = replace(
            draft,
            groups=[each for each in draft.groups if each not in whole],
            measures=[replace(draft.measures[0], per=whole[0], function=None)],
        )
    ones = [each for each in draft.groups if isinstance(each, NounPart) and rows.is_row(each)]
    groups = [*fields, *several, *(each for each in draft.groups if each not in ones)]
    if not fields and not several and len(draft.measures) < 2 and draft.subject is None:
        rows.cost += _ONE_SIDED
    one_each = bool(ones) or rows.are_people()
    measures = [
        of_each(each, rows) if one_each or _is_extent(each, rows) else each
        for each in draft.measures
    ]
    # `spend more per order`: the orders themselves are no groups
    return replace(draft, groups=groups, measures=measures)


def _is_extent(measure: DraftMeasure, rows: DatasetRows) -> bool:
    """Whether it is said how long, heavy or far each one is: `stay longer`."""
    of = measure.operand
    told = measure.each and measure.function is None and of is not None
    return told and of is not None and bool(unit_of(of, rows.vocabulary))


def of_each(measure: DraftMeasure, rows: DatasetRows) -> DraftMeasure:
    """A figure of the rows as that of a usual one: people earn their average."""
    operand = measure.operand
    if _is_extent(measure, rows):
        return replace(measure, function="average")
    if measure.function is None and isinstance(operand, FieldRef):
        if operand.dataset == rows.dataset.name and usual_function(operand, rows) == "sum":
            return replace(measure, function="average")
    elif measure.function is None and operand is not None:
        return replace(measure, function="average")
    return measure


def _versus(condition: object) -> bool:
    return isinstance(condition, ValuePart) and condition.versus


def _fields(draft: QuestionDraft) -> list[FieldRef]:
    """The fields of which several values are named."""
    named: dict[FieldRef, set[object]] = {}
    for each in draft.conditions:
        if isinstance(each, ValuePart) and each.holds:
            named.setdefault(each.field, set()).update(each.values)
    return [field for field, values in named.items() if len(values) > 1]
