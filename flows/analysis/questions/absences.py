"""Rows that are not there: those that belong to no row, and those that a key names and no one
listed."""

from __future__ import annotations

from dataclasses import replace

from flows.analysis.questions.draft import DraftMeasure, Entity, Impossible, QuestionDraft
from flows.analysis.questions.parts import DenialPart, NounPart
from flows.analysis.questions.rows import DatasetRows
from flows.semantics.model import Relationship
from flows.semantics.path import BACK, Path
from flows.semantics.query import FieldRef

_KINDS = 2  # so many roles at most may all be denied


def absent_ways(denial: DenialPart, rows: DatasetRows) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """The nearest dataset of which rows belong to a row, with the ways that lead to them: one, or
    one for each role. With no dataset named any that refers to it; empty where there is none."""
    found: dict[str, tuple[Path, ...]] = {}
    for each in denial.datasets or [one.name for one in rows.model.datasets]:
        ways = rows.vocabulary.ways(rows.dataset.name, each)
        if denial.via and denial.via[0].startswith(BACK) and each == rows.dataset.name:
            return each, (denial.via,)
        linked = rows.vocabulary.linked(rows.dataset.name, each)
        if linked is not None and not denial.via:
            found[each] = (linked, ())  # the way has to be named
            continue
        if denial.via:
            ways = tuple(way for way in ways if tuple(e.name for e in way) == denial.via)
        if not ways or not ways[0] or any(way[0].forward for way in ways):
            continue
        if not denial.datasets and len(ways[0]) > 1:
            continue
        if len(ways) == 1 or (len(ways) <= _KINDS and len(ways[0]) == 1):
            found[each] = ways
    if not found:
        return "", ()
    near = min(found, key=lambda each: len(found[each][0]))
    ways = tuple(each for each in found[near] if each)
    if len(found[near]) == 1 and not denial.via:
        return near, ((),)
    return near, tuple(tuple(step.name for step in way) for way in ways)


def set_unlisted(draft: QuestionDraft, rows: DatasetRows) -> QuestionDraft:
    """The draft in which the keys themselves stand for rows that nobody listed: the codes of
    airports that are `not in the airport list`."""
    denial = draft.denial
    if denial is None or not denial.listed or not denial.datasets:
        return draft
    links = [
        each
        for each in rows.model.relationships
        if each.dataset == rows.dataset.name
        and each.to in denial.datasets
        and each.to != each.dataset
        and len(each.fields) == 1
    ]
    if not links:
        return draft
    link = _meant(draft, links)
    key = FieldRef(dataset=link.dataset, field=link.fields[0])
    subject = draft.subject
    return replace(
        draft,
        subject=key if subject is not None and _is_of(subject, link) else subject,
        measures=[_counted(each, link, key) for each in draft.measures],
        conditions=[*draft.conditions, *draft.denied],
        denied=[],
        denial=replace(denial, via=(link.name,)),
    )


def _counted(measure: DraftMeasure, link: Relationship, key: FieldRef) -> DraftMeasure:
    if measure.operand is None and measure.dataset == link.to:
        return replace(measure, function="count distinct", operand=key, dataset="")
    return measure


def _meant(draft: QuestionDraft, links: list[Relationship]) -> Relationship:
    """The key that is spoken of, of several that refer to the same rows."""
    denial = draft.denial
    assert denial is not None
    counted = [each.operand for each in draft.measures if isinstance(each.operand, FieldRef)]
    said: list[Entity] = [*counted, *([] if draft.subject is None else [draft.subject])]
    for each in links:
        if denial.via == (each.name,) or len(links) == 1:
            return each
        if any(isinstance(one, FieldRef) and (one.field,) == each.fields for one in said):
            return each
        if any(isinstance(one, NounPart) and one.via == (each.name,) for one in said):
            return each
    raise Impossible("several keys refer to such rows")


def _is_of(entity: Entity, link: Relationship) -> bool:
    return isinstance(entity, NounPart | FieldRef) and entity.dataset == link.to
