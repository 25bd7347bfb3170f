"""The first of rows in an order: which way it goes, whose rows count, what is told of them."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.questions.choices import ascends
from flows.analysis.questions.conditions import conditions_of
from flows.analysis.questions.draft import IMPLIED, DraftMeasure, Entity, QuestionDraft
from flows.analysis.questions.parts import ExtremePart, NounPart, ValuePart
from flows.analysis.questions.people import names_of
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.units import CURRENCIES
from flows.semantics.query import (
    Arithmetic,
    FieldRef,
    MetricRef,
    Missing,
    Not,
    Order,
    Query,
    Rank,
    conjunction,
)


def bound_fields(draft: QuestionDraft) -> set[FieldRef]:
    """The fields of which a value is named."""
    said = (*draft.conditions, *draft.denied)
    return {each.field for each in said if isinstance(each, ValuePart)}


def tells_row(draft: QuestionDraft, rows: DatasetRows) -> bool:
    """Whether fields of one row are asked for, measures among them: `plan and grade of P322`."""
    one = any(
        isinstance(each, ValuePart) and each.holds and len(each.values) == 1
        and rows.is_row(each.field)
        for each in draft.conditions
    )  # fmt: skip
    own = all(
        each.function is None and each.per is None and isinstance(each.operand, FieldRef)
        and each.operand.dataset == rows.dataset.name
        for each in draft.measures
    )  # fmt: skip
    return one and own and bool(draft.measures and draft.shown) and not draft.groups


def counted_rows(subject: Entity, draft: QuestionDraft, rows: DatasetRows) -> str:
    """Whose rows are counted where `busiest` or `most common` stands alone: those that are spoken
    of besides what is ranked."""
    ranked = subject.dataset if isinstance(subject, NounPart) else ""
    others = [each for each in draft.nouns if each != ranked]
    if others:
        return others[0]
    if ranked and ranked != rows.dataset.name:
        near = [e for e in rows.model.relationships if e.to == ranked and not e.single]
        if len({each.dataset for each in near}) == 1 and near[0].dataset == rows.dataset.name:
            rows.cost -= IMPLIED - 0.1  # nothing else refers to them
        return rows.dataset.name
    return draft.nouns[0] if draft.nouns else rows.dataset.name


def main_figure(subject: Entity, draft: QuestionDraft, rows: DatasetRows) -> DraftMeasure | None:
    """The figure by which something is the biggest of which no figure is said: the one sum of the
    rows that refer to it, or the one of money; None where there is no such, or rows are named."""
    named = subject.dataset if isinstance(subject, NounPart) else ""
    extreme = draft.extreme
    if extreme is None or not extreme.sized or any(each != named for each in draft.nouns):
        return None
    if not named or named == rows.dataset.name:
        return None
    own = [
        each for each in rows.model.metrics
        if each.dataset == rows.dataset.name and each.additive == "all"
    ]  # fmt: skip
    money = [each for each in own if each.unit in CURRENCIES]
    found = money if len(money) == 1 else own
    if len(found) != 1:
        return None
    rows.cost -= 0.05
    if rows.dataset.find(found[0].name) is not None:
        return DraftMeasure(None, FieldRef(dataset=rows.dataset.name, field=found[0].name))
    return DraftMeasure(None, MetricRef(metric=found[0].name))


def judged_order(extreme: ExtremePart, measure: DraftMeasure, rows: DatasetRows) -> ExtremePart:
    """The order in which the worst of a figure comes first, of which more may be the worse."""
    if not extreme.judged or not ascends(measure, rows.vocabulary):
        return extreme
    return replace(extreme, descending=not extreme.descending, judged=False)


def first_rows(
    draft: QuestionDraft,
    subject: Entity,
    by: FieldRef | Arithmetic,
    groups: list[Entity],
    rows: DatasetRows,
) -> Query:
    """The first rows in the order of a field of their own."""
    extreme = draft.extreme
    assert extreme is not None
    field = rows.value(by)
    names = [subject] if isinstance(subject, FieldRef) else _names_of(rows)
    within, _ = rows.groups(groups)
    others = [rows.reach(each) for each in draft.shown if each not in names]
    if draft.asked == "when" and not any(rows.vocabulary.role(e) == "time" for e in draft.shown):
        others.insert(0, rows.time())
    order = (Order(by=field, descending=extreme.descending),)
    where = conditions_of(draft, rows, None).where
    return Query(
        dataset=rows.dataset.name,
        show=tuple(dict.fromkeys([*within, *names, *others, field])),
        where=conjunction([where, Not(of=Missing(of=field))]),
        rank=Rank(by=order, n=extreme.n, skip=extreme.place, within=within),
    )


def _names_of(rows: DatasetRows) -> list[FieldRef]:
    """The fields by which people call a row of the dataset itself."""
    own = NounPart(rows.dataset.name)
    return list(rows.names_of(own)) if names_of(rows.dataset) else [rows.name_of(rows.dataset)]
