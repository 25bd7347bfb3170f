"""A draft made a query: whose rows are taken, and what is thought of where nothing is said."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from flows.analysis.questions.absences import set_unlisted
from flows.analysis.questions.across import set_across
from flows.analysis.questions.bins import bins_of, counts_of, lists_ranges
from flows.analysis.questions.changes import (
    opposites,
    query_of_change,
    query_of_course,
    query_of_rest,
    query_of_scopes,
)
from flows.analysis.questions.choices import MOST, ascends, figures_of, is_open, is_vague
from flows.analysis.questions.conditions import conditions_of
from flows.analysis.questions.draft import IMPLIED, DraftMeasure, Entity, Impossible, QuestionDraft
from flows.analysis.questions.measures import is_guessed, is_part, metric_of
from flows.analysis.questions.parts import KnownPart, NounPart, PeriodsPart
from flows.analysis.questions.people import names_of
from flows.analysis.questions.persons import persons_of
from flows.analysis.questions.phrases.keys import identifier_of
from flows.analysis.questions.ranking import (
    bound_fields,
    tells_row,
)
from flows.analysis.questions.rows import DatasetRows
from flows.analysis.questions.several import carry, with_measure
from flows.analysis.questions.shares import query_of_share
from flows.analysis.questions.sides import set_sides
from flows.analysis.questions.superlative import UNUSED, as_figure, rank_entities, ranked_entity
from flows.analysis.questions.vocabulary import Vocabulary
from flows.semantics.check import check
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Expression,
    FieldRef,
    Missing,
    Not,
    Order,
    Period,
    Query,
    conjunction,
)

IDLE = 0.1
GUESS = 0.15  # that a figure adds up, which nobody says


@dataclass(frozen=True, slots=True)
class Completed:
    """A query that a draft may mean, and what had to be thought of for it."""

    query: Query
    cost: float
    choices: tuple[Query, ...] = ()


def complete(
    draft: QuestionDraft, vocabulary: Vocabulary, before: Query | None = None
) -> list[Completed]:
    """The queries that a draft may mean, the likeliest first; none where it says too little. They
    speak of what the query `before` found, where there is one."""
    if before is not None:
        draft = with_measure(draft, before)
    if is_vague(draft) or is_open(draft):
        return _choices(draft, vocabulary)
    found = []
    for dataset in vocabulary.model.datasets:
        rows = DatasetRows(dataset, vocabulary, draft.event)
        rows.unknown = frozenset(
            each.field
            for each in draft.conditions
            if isinstance(each, KnownPart) and not each.holds
        )
        try:
            query = _query_of(draft, rows)
            if before is not None:
                query = carry(query, before, rows)
        except Impossible:
            continue
        if draft.form is not None:
            if not query.metrics and (draft.form.scale != 1.0 or draft.form.unit):
                continue  # what is listed would not be in the unit that is asked for
            query = query.model_copy(update={"decimals": draft.form.decimals})
        if not check(query, vocabulary.model):
            found.append(Completed(query, draft.cost + rows.cost + _unused(draft, query)))
    return sorted(found, key=lambda each: each.cost)


def _choices(draft: QuestionDraft, vocabulary: Vocabulary) -> list[Completed]:
    """The queries for each figure that `best` may speak of, as one that has to be chosen."""
    found: dict[str, Completed] = {}
    for measure in figures_of(draft, vocabulary):
        by = draft.extreme
        if by is not None:
            turned = by.descending != ascends(measure, vocabulary)
            by = replace(by, descending=turned, vague=False, judged=False)
        made = complete(replace(draft, extreme=by, measures=[measure]), vocabulary)
        for each in made[:1]:
            if not measure.dataset or each.query.dataset == measure.dataset:
                found.setdefault(each.query.model_dump_json(), each)
        if len(found) == MOST:
            break
    choices = list(found.values())
    if not choices:
        return []
    return [replace(choices[0], choices=tuple(each.query for each in choices))]


def _query_of(draft: QuestionDraft, rows: DatasetRows) -> Query:
    draft = set_across(set_unlisted(draft, rows), rows)
    percent = draft.form is not None and draft.form.percent
    if draft.beside is not None and draft.share is None:
        return query_of_rest(draft, draft.beside, rows)
    if (scopes := opposites(draft)) is not None:
        return query_of_scopes(draft, scopes, rows)
    versus = any(
        isinstance(each, PeriodsPart) and each.join == "versus" for each in draft.conditions
    )
    if draft.change is not None or versus:
        return query_of_change(draft, rows)
    if draft.course is not None:
        return query_of_course(draft, rows)
    whole = (
        percent
        and draft.extreme is None
        and not any(_is_ratio(each, rows) for each in draft.measures)
    )
    if draft.share is not None or whole:
        return query_of_share(draft, rows)
    draft = set_sides(draft, rows)
    if draft.extreme is not None:
        return _first(draft, rows)
    if draft.repeats:
        return _repeats(draft, rows)
    if tells_row(draft, rows):
        own = [each.operand for each in draft.measures if isinstance(each.operand, FieldRef)]
        return _list(replace(draft, measures=[], shown=[*draft.shown, *own]), rows)
    if draft.measures or draft.banded:
        return _figures(draft, rows)
    if lists_ranges(draft, rows):
        return _figures(replace(draft, banded=True), rows)
    if draft.groups and draft.nouns and not draft.asked:
        # `tickets per site`
        rows.cost += 0.1
        return _figures(
            replace(draft, measures=[DraftMeasure("count", None, draft.nouns[0])]), rows
        )
    return _list(draft, rows)


def _repeats(draft: QuestionDraft, rows: DatasetRows) -> Query:
    """How many rows there are more than different ones, told by what identifies them."""
    if draft.nouns and rows.dataset.name not in draft.nouns:
        raise Impossible("other rows are asked for")
    key = identifier_of(rows.dataset)
    if key is None or draft.groups:
        raise Impossible("nothing tells its rows apart")
    if not draft.nouns and len(rows.model.datasets) > 1:
        rows.cost += IMPLIED
    of = FieldRef(dataset=rows.dataset.name, field=key.name)
    different = Aggregate(function="count distinct", of=of)
    extra = Arithmetic(operator="-", left=Aggregate(function="count", of=of), right=different)
    where = conditions_of(draft, rows, None).where
    return Query(dataset=rows.dataset.name, metrics=(extra,), where=where)


def _is_ratio(measure: DraftMeasure, rows: DatasetRows) -> bool:
    """Whether it is itself made of two figures, and so may be said in percent."""
    made = measure.per is not None or measure.test is not None
    return made or isinstance(measure.operand, Arithmetic) or is_part(measure, rows)


def _unused(draft: QuestionDraft, query: Query) -> float:
    """What it costs that fields or rows are named of which the query makes nothing."""
    text = query.model_copy(update={"identity": ()}).model_dump_json()
    left = [each for each in draft.shown if f'"field":"{each.field}"' not in text]
    idle = [each for each in set(draft.nouns) if f'"dataset":"{each}"' not in text]
    return UNUSED * len(left) + IDLE * len(idle)


def _figures(draft: QuestionDraft, rows: DatasetRows) -> Query:
    """Figures of all rows, or of each group."""
    entities = [*([] if draft.subject is None else [draft.subject]), *draft.groups]
    if all(each.function == "average" for each in draft.measures):
        # `average fee per visit` is that of all visits
        plain = not rows.dataset.label and len(names_of(rows.dataset)) < 2
        drop = [each for each in draft.groups if plain and each == NounPart(rows.dataset.name)]
        entities = [each for each in entities if each not in drop]
    groups, identity = rows.groups(entities)
    by = _with_attributes(groups, entities, draft, rows)
    if not rows.dataset.label and any(map(rows.is_row, entities)):
        rows.cost += 0.15  # `revenue per order` is rather that of one
    bins = bins_of(draft, rows)
    if bins is None and not draft.measures:
        raise Impossible("no figure is asked for")
    if draft.banded and bins is None and not by:
        rows.cost += 2 * IMPLIED
    if bins is not None:
        where = conditions_of(bins.rest, rows, None).where
        made = counts_of(bins, rows)
        return Query(dataset=rows.dataset.name, metrics=made, by=by, identity=identity, where=where)
    metrics = tuple(dict.fromkeys(metric_of(each, rows, draft.form) for each in draft.measures))
    rows.cost += 0.0 if draft.course else GUESS * any(is_guessed(m, rows) for m in draft.measures)
    held = conditions_of(draft, rows, metrics[0] if by else None)
    known = None if draft.spread is None else Not(of=Missing(of=rows.reach(draft.spread)))
    over_time = by and all(isinstance(each, Period) for each in by)
    # Which of them have such a figure is asked, not the figure.
    only_names = held.having is not None and draft.subject is not None and not draft.groups
    return Query(
        dataset=rows.dataset.name,
        metrics=metrics,
        by=by,
        identity=identity,
        where=conjunction([held.where, known]),
        show=by if only_names else (),
        having=held.having,
        sort=tuple(Order(by=each) for each in by) if over_time else (),
    )


def _with_attributes(
    by: tuple[Expression, ...], entities: list[Entity], draft: QuestionDraft, rows: DatasetRows
) -> tuple[Expression, ...]:
    """The groups with what else is asked of each: `the name and city of each customer`."""
    bound = bound_fields(draft)
    free = [each for each in draft.shown if each not in bound]
    homes = {each.dataset for each in entities if isinstance(each, FieldRef | NounPart)}
    own = [rows.reach(each) for each in free if each.dataset in homes]
    return tuple(dict.fromkeys([*own, *by]))


def _first(draft: QuestionDraft, rows: DatasetRows) -> Query:
    """The first of rows or groups in the order of a figure."""
    subject, groups = ranked_entity(draft, rows)
    if subject is None:
        return _figures(as_figure(draft, rows), rows)
    return rank_entities(draft, subject, groups, rows)


def _list(draft: QuestionDraft, rows: DatasetRows) -> Query:
    """Rows, by their name and the fields that are asked for."""
    subject = draft.subject
    if draft.denial is not None and isinstance(subject, str):
        by, _ = rows.groups([subject])
        where = conditions_of(draft, rows, None).where
        order = tuple(Order(by=each) for each in by)
        return Query(dataset=rows.dataset.name, by=by, where=where, sort=order)
    if draft.groups:
        raise Impossible("rows are told, not groups")
    bound = bound_fields(draft)
    shown = list(_shown(draft, rows, bound))
    if not shown or not (draft.conditions or draft.denial):
        raise Impossible("nothing is asked for")
    if all(each in bound for each in shown):
        raise Impossible("what is asked for is said already")
    told = {each.dataset for each in shown if isinstance(each, FieldRef)}
    if rows.dataset.name not in told:
        tested = {each.dataset for each in bound if not rows.vocabulary.refers(each)}
        idle = rows.dataset.name not in tested and all(
            rows.vocabulary.leads(one, other) for one in tested for other in told
        )
        rows.cost += 0.15 * (bool(bound) and idle)  # nothing is said of the rows themselves
    rows.cost += 0.05
    return Query(
        dataset=rows.dataset.name,
        show=tuple(dict.fromkeys(shown)),
        where=conditions_of(draft, rows, None).where,
        unique=not any(isinstance(each, FieldRef) and rows.is_row(each) for each in shown),
    )


def _shown(draft: QuestionDraft, rows: DatasetRows, bound: set[FieldRef]) -> Iterator[Expression]:
    """What is told of each row."""
    subject = draft.subject
    free = [each for each in draft.shown if each not in bound]
    if subject is None and draft.asked == "who":
        yield from persons_of(draft, rows, bound)
    elif subject is None and draft.asked == "when" and not free:
        yield rows.time()
    elif subject is None and not draft.shown and draft.nouns:
        subject = NounPart(draft.nouns[0])
        rows.cost += 0.1
    elif subject is None and not draft.shown and not draft.asked and draft.called is not None:
        if draft.called != rows.dataset.name:
            raise Impossible("other rows are called by the value")
        subject = NounPart(draft.called)  # `houses built before 1950`
        rows.cost += 0.12
    if isinstance(subject, NounPart):
        yield from rows.names_of(subject)
    elif isinstance(subject, FieldRef):
        yield rows.reach(subject)
    elif subject is not None:
        raise Impossible("no figure of the periods is asked for")
    for each in free:
        yield rows.reach(each)
