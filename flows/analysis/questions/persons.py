"""Whom `who` asks for: the rows themselves, a field of theirs, or those to which they lead."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.words import split_identifier
from flows.analysis.questions.draft import IMPLIED, Impossible, QuestionDraft
from flows.analysis.questions.parts import NounPart
from flows.analysis.questions.people import does, is_of_people, names_of, persons_in
from flows.analysis.questions.rows import DatasetRows
from flows.semantics.path import leads_to_many
from flows.semantics.query import FieldRef

_UNITS = frozenset(
    [
        "department",
        "dept",
        "team",
        "branch",
        "store",
        "shop",
        "office",
        "division",
        "unit",
        "site",
        "plant",
        "region",
        "company",
        "agency",
        "club",
        "school",
        "clinic",
        "hospital",
        "ward",
        "hotel",
        "house",
        "crew",
        "squad",
        "group",
        "carrier",
        "supplier",
        "vendor",
    ]
)


def persons_of(
    draft: QuestionDraft, rows: DatasetRows, bound: set[FieldRef]
) -> tuple[FieldRef, ...]:
    """The fields that name the persons; raises Impossible where the rows know of none who do what
    is said, or where these are the ones that are named in the question."""
    found = next((each for each in _candidates(draft, rows) if not set(each) <= bound), None)
    if found is None:
        raise Impossible("its rows know no such persons")
    return found


def _candidates(draft: QuestionDraft, rows: DatasetRows) -> Iterator[tuple[FieldRef, ...]]:
    own = rows.dataset
    wanted = draft.persons
    if draft.nouns and not wanted:
        yield rows.names_of(NounPart(draft.nouns[0]))
        return
    for each in persons_in(own, wanted):
        words = split_identifier(each.name)
        if (wanted and (does(words, wanted) or words[-1] == "by")) or (
            not wanted and each.name not in names_of(own)
        ):
            yield (FieldRef(dataset=own.name, field=each.name),)
    for link in rows.model.relationships:
        if link.dataset == own.name and link.role and does(tuple(link.role.split()), wanted):
            yield rows.names_of(NounPart(link.to, (link.name,)))
    for dataset in rows.model.datasets:
        if is_of_people(dataset) and dataset.name != own.name and names_of(dataset):
            called = (dataset.noun, *dataset.words)
            if wanted and not any(does(tuple(each.split()), wanted) for each in called):
                continue
            ways = [w for w in rows.vocabulary.ways(own.name, dataset.name) if not leads_to_many(w)]
            if len(ways) == 1:
                yield rows.names_of(NounPart(dataset.name))
    if not wanted or is_of_people(own):
        if wanted:
            rows.cost += IMPLIED
        names = names_of(own)
        if names and (is_of_people(own) or own.label):
            yield tuple(FieldRef(dataset=own.name, field=each) for each in names)


def unit_in(rows: DatasetRows) -> FieldRef:
    """What acts like a person where the rows know of none: a team, a branch."""
    for field in rows.dataset.fields:
        if field.role in ("category", "text", "identifier") and _UNITS & set(
            split_identifier(field.name)
        ):
            rows.cost += 0.1
            return FieldRef(dataset=rows.dataset.name, field=field.name)
    raise Impossible("its rows know no persons")
