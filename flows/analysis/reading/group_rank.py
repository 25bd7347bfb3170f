"""The first rows of each group, where a question asks for `the highest in each region`."""

from __future__ import annotations

import re

from flows.semantics.query import Query

_EACH = re.compile(r"\b(?:(?:in|for|within|of|at|by) (?:each|every)|per)\b", re.IGNORECASE)


def ranked_within(query: Query, question: str) -> Query:
    """The first of each group instead of the first of all, where a question asks for that: groups
    that are not shown are those in which `the highest in each region` is looked for."""
    hidden = tuple(each for each in query.by if query.show and each not in query.show)
    if query.rank is None or not hidden or not _EACH.search(question):
        return query
    rank = query.rank.model_copy(update={"within": hidden})
    return query.model_copy(update={"rank": rank, "show": (*hidden, *query.show)})
