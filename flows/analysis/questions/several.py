"""Several questions in one text, of which a later one may speak of what an earlier one found."""

from __future__ import annotations

import re

from flows.analysis.questions.draft import DraftMeasure, Impossible, QuestionDraft
from flows.analysis.questions.rows import DatasetRows
from flows.semantics.query import Among, Comparison, FieldRef, Predicate, Query, conjunction

_BORDER = re.compile(
    r"(?:\s*[,;?.]?\s*\b(?:and\s+)?(?:also|then|next|finally|additionally|in addition)\b,?\s+"
    r"|\s*[,;?]\s*and\s+|\s+and\s+|\s*[,;?]\s+)"
    r"(?=(?:who|whom|whose|which|what|what['\u2019]s|whats|how many|how much|where|when)\b)",
    re.IGNORECASE,
)
_HOW_MUCH = re.compile(
    r"(?:how (?:many|much)|what)(?: \w+){0,2} (?:is|was|are|were|does|did) (?:that|it|this|those)"
    r"(?: (?:make|come to|amount to|altogether|in total))?|(?:by )?how (?:many|much)",
    re.IGNORECASE,
)
_SECOND = re.compile(r"\?\s*\w")
_ASKING = re.compile(r"(?:who|whom|whose|which|what|whats|how|where|when)\b", re.IGNORECASE)
_REFERRING = re.compile(
    r"\b(?:there|her|hers|his|him|their|theirs|they|them|she|he|its|it|those|these|that"
    r" (?:one|region|group))\b",
    re.IGNORECASE,
)


def split_questions(text: str) -> list[str]:
    """The questions of a text, each with its own question word; one where there is no second."""
    found = [each.strip() for each in _BORDER.split(text) if each.strip()]
    return found if _ASKING.match(text.strip()) else [text]  # else `who` begins a clause


def are_sentences(text: str) -> bool:
    """Whether a text has a question after the end of another."""
    return _SECOND.search(text) is not None


def refers_back(question: str) -> bool:
    """Whether a question speaks of what was asked before: `there`, `her`."""
    return _REFERRING.search(question) is not None


def asks_how_much(question: str) -> bool:
    """Whether a question asks for no more than the figure of what was asked before: `how many
    pieces is that`."""
    return _HOW_MUCH.fullmatch(question.strip(" ?.!")) is not None


def figure_of_first(before: Query, rows: DatasetRows) -> Query | None:
    """The figure of the first group that a query found; None where it ranks no groups by one."""
    where = _found(before, rows)
    if where is None or not before.metrics:
        return None
    kept = conjunction([before.where, where])
    return Query(dataset=before.dataset, metrics=before.metrics[:1], where=kept)


def with_measure(draft: QuestionDraft, before: Query) -> QuestionDraft:
    """A draft that does not say by what it ranks: by the figure that was asked before."""
    if draft.measures or draft.extreme is None or draft.extreme.by is not None:
        return draft
    if not draft.extreme.vague or not before.metrics:
        return draft
    same = DraftMeasure(None, None, before.dataset, expression=before.metrics[0])
    draft.measures.append(same)
    return draft


def carry(query: Query, before: Query, rows: DatasetRows) -> Query:
    """The query for what an earlier one found, or for its rows."""
    where = _found(before, rows) or _rows_of(before, rows)
    if where is None or _is_rather(query.where, where):
        return query
    return query.model_copy(update={"where": conjunction([query.where, where])})


def _is_rather(here: Predicate | None, before: Predicate) -> bool:
    """Whether a question has another value of the one field that an earlier one tested."""
    return (
        isinstance(here, Comparison)
        and isinstance(before, Comparison)
        and here.left == before.left
        and here.operator == before.operator == "="
    )


def _found(before: Query, rows: DatasetRows) -> Predicate | None:
    """That a row belongs to the first group that a query found; None where it found no one."""
    rank = before.rank
    if rank is None or rank.n > 1 or rank.within or not (before.by or before.show):
        return None
    key = (before.identity or before.by or before.show)[0]
    if not isinstance(key, FieldRef):
        return None
    by = before.by if key in before.by or not before.by else (*before.by, key)
    one = before.model_copy(update={"show": (key,), "by": by})
    return Among(of=rows.reach(key.model_copy(update={"via": ()})), query=one)


def _rows_of(before: Query, rows: DatasetRows) -> Predicate | None:
    if before.where is not None and before.dataset != rows.dataset.name:
        raise Impossible("the question before is of other rows")
    return before.where
