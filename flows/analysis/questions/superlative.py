"""The first of rows or of groups in the order of a figure: `the busiest depot`."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.questions.conditions import conditions_of
from flows.analysis.questions.draft import IMPLIED, DraftMeasure, Entity, Impossible, QuestionDraft
from flows.analysis.questions.measures import home_of, metric_of
from flows.analysis.questions.parts import ExtremePart, NounPart
from flows.analysis.questions.persons import persons_of, unit_in
from flows.analysis.questions.ranking import (
    bound_fields,
    counted_rows,
    first_rows,
    judged_order,
    main_figure,
)
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.sides import of_each
from flows.semantics.query import Arithmetic, Expression, FieldRef, Function, Order, Query, Rank

UNUSED = 0.3  # what it costs that a field is named and nothing is made of it


def ranked_entity(draft: QuestionDraft, rows: DatasetRows) -> tuple[Entity | None, list[Entity]]:
    """What is ranked, and the groups within which it is; None where a figure alone is asked."""
    subject, groups = draft.subject, list(draft.groups)
    free = [each for each in draft.shown if each not in bound_fields(draft)]
    if subject is None and free and NounPart(free[0].dataset) not in groups:
        subject = free[0]
    each_one = draft.extreme is not None and draft.extreme.each
    if subject is None and (draft.asked == "who" or each_one):
        subject = _persons(draft, rows)
    if subject is None and groups and draft.measures:
        subject = groups.pop(0)
    if subject is None and draft.nouns and not groups:
        subject = NounPart(draft.nouns[0])
    return subject, groups


def as_figure(draft: QuestionDraft, rows: DatasetRows) -> QuestionDraft:
    """The draft that asks for an extreme value and for nothing that has it: `the highest salary in
    each department`. Raises Impossible where there is no one value."""
    extreme = draft.extreme
    if extreme is None or extreme.by is None or extreme.n > 1 or extreme.place:
        raise Impossible("nothing is said of which the first is asked")
    function: Function = "maximum" if extreme.descending else "minimum"
    rows.cost += 0.12 * bool(draft.nouns)  # rather which of the rows
    return replace(draft, extreme=None, measures=[DraftMeasure(function, extreme.by)])


def rank_entities(
    draft: QuestionDraft, subject: Entity, groups: list[Entity], rows: DatasetRows
) -> Query:
    """The first rows, or groups, in the order of a figure. Raises Impossible where they have no
    such order."""
    extreme = draft.extreme
    assert extreme is not None
    ranked = _ranked_figure(draft, extreme, subject, rows)
    is_row = rows.is_row(subject)
    if (
        ranked.function is None
        and isinstance(ranked.operand, FieldRef | Arithmetic)
        and home_of(ranked.operand) == rows.dataset.name
        and is_row
    ):
        judged = replace(draft, extreme=judged_order(extreme, ranked, rows))
        return first_rows(judged, subject, ranked.operand, groups, rows)
    _check_ranked(ranked, rows, is_row=is_row)
    unused = [each for each in draft.measures if each.operand not in (None, ranked.operand)]
    rows.cost += UNUSED * len(unused)  # `most outage minutes`
    return _rank_groups(draft, ranked, subject, groups, rows)


def _ranked_figure(
    draft: QuestionDraft, extreme: ExtremePart, subject: Entity, rows: DatasetRows
) -> DraftMeasure:
    """The figure by which something is the first: that of the extreme, one that is asked for, or
    what the question leaves to be thought of."""
    if extreme.by is not None:
        return DraftMeasure(None, extreme.by, each=extreme.each)
    if draft.measures:
        return draft.measures[0]
    rows.cost += IMPLIED
    named = any(not isinstance(subject, NounPart) or e != subject.dataset for e in draft.nouns)
    if named:  # `on which day do people order most`
        rows.cost -= IMPLIED - 0.12
    counted = DraftMeasure("count", None, counted_rows(subject, draft, rows))
    return main_figure(subject, draft, rows) or counted


def _check_ranked(ranked: DraftMeasure, rows: DatasetRows, *, is_row: bool) -> None:
    """Refuse a figure by which groups have no order."""
    if (
        ranked.function is None
        and ranked.operand
        and rows.vocabulary.role(ranked.operand) == "time"
    ):
        raise Impossible("there is no sum of times")
    if ranked.function == "count" and is_row and not ranked.per:
        raise Impossible("each of them is one row")


def _rank_groups(
    draft: QuestionDraft,
    ranked: DraftMeasure,
    subject: Entity,
    groups: list[Entity],
    rows: DatasetRows,
) -> Query:
    """Groups of rows in the order of a figure."""
    extreme = draft.extreme
    assert extreme is not None
    by, identity = rows.groups([*groups, subject])
    by = _with_own_fields(by, draft, subject, rows)
    if extreme.by is not None and not draft.measures:
        # `cheapest product`: rather by a price of its own
        rows.cost += 0.03 if isinstance(subject, NounPart) and subject.via else 0.08
    if ranked.each and rows.are_people():
        ranked = of_each(ranked, rows)
    extreme = judged_order(extreme, ranked, rows)
    metric = metric_of(ranked, rows, draft.form)
    held = conditions_of(draft, rows, metric)
    within = rows.groups(groups)[0] if groups else ()
    order = (Order(by=metric, descending=extreme.descending),)
    return Query(
        dataset=rows.dataset.name,
        metrics=(metric,),
        by=by,
        identity=identity,
        where=held.where,
        having=held.having,
        rank=Rank(by=order, n=extreme.n, skip=extreme.place, within=within),
    )


def _with_own_fields(
    by: tuple[Expression, ...], draft: QuestionDraft, subject: Entity, rows: DatasetRows
) -> tuple[Expression, ...]:
    """The groups with what else is asked of what is ranked: `who ..., and where does he live`."""
    if not isinstance(subject, NounPart) or subject.via:
        return by
    bound = bound_fields(draft)
    own = [each for each in draft.shown if each.dataset == subject.dataset and each not in bound]
    return tuple(dict.fromkeys([*by, *(rows.reach(each) for each in own)]))


def _persons(draft: QuestionDraft, rows: DatasetRows) -> Entity | None:
    """Whom `who` asks for in an order: the rows that are spoken of, or those that have a name."""
    if draft.nouns:
        return NounPart(draft.nouns[0])
    try:
        found = list(persons_of(draft, rows, bound_fields(draft)))
    except Impossible:
        return unit_in(rows)
    if found:
        return found[0] if len(found) == 1 else NounPart(found[0].dataset, found[0].via)
    if rows.are_people() and len(rows.dataset.key) == 1:
        return rows.name_of(rows.dataset)
    return None
