"""The first of the last answer by what it shows: `in which year was it highest?`, `the driest`."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.conversation.context import Context
from flows.analysis.conversation.turn import ConversationTurn
from flows.analysis.language.remarks import EXTREMES
from flows.analysis.language.words import singular, split_identifier
from flows.analysis.parser.ranks import figures_of
from flows.analysis.questions.concepts import form_of, scale_of
from flows.semantics.query import (
    Expression,
    FieldRef,
    MetricRef,
    Order,
    Period,
    Query,
    Rank,
    Transform,
)
from flows.semantics.tree import parts

_WHICH: Final = re.compile(
    r"^\W*(?:and |but |so )?(?:in |on |for |at )?(?:which|what|who)\b(?P<noun>.*?)\b(?:is|was|are|"
    r"were|has|had|have|did|does|do|shows?|saw|got)\b\s*(?:it|they|that|this|there)?\s*"
    r"(?:the\s+)?(?P<end>[\w-]+(?: [\w-]+)?)(?P<rest>[^?]*)\??\W*$",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"^\W*(?:and |but |what about |how about |now )?(?:which (?:one )?(?:is|was) )?the\s+"
    r"(?:(?P<n>\d+|one|two|three|four|five|ten)\s+)?(?P<end>[\w-]+)(?P<noun>(?: \w+){0,2}?)"
    r"(?P<only>(?: only| one| ones)*)\s*\??$",
    re.IGNORECASE,
)
# The end of a series.
_PEAK: Final = re.compile(
    r"^\W*(?:and |but |so |now )*(?:(?:what|when|where|which) (?:is|was|were) )?(?:its |their |"
    r"the )?(?:(?P<up>peak|maximum|high(?:est)? point|record|best (?:month|year|day|week|quarter))|"
    r"minimum|low(?:est)? point|trough|worst (?:month|year|day|week|quarter))(?: value)?\W*$",
    re.IGNORECASE,
)
# Of two, one is the higher.
_COMPARED: Final = {"higher": True, "larger": True, "bigger": True, "greater": True, "more": True,
                    "lower": False, "smaller": False, "fewer": False, "less": False}  # fmt: skip
_COUNTS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_OF_THEM: Final = frozenset(["of", "those", "these", "them", "one", "ones", "that", "the", "all"])


def ranked_of(text: str, context: Context) -> Query | None:
    """The last query with its first rows by the figure that it shows; None where the words do not
    ask for them."""
    query = context.query
    if query is None:
        return None
    if (peak := _PEAK.match(text)) is not None and query.by and len(figures_of(query)) == 1:
        return _first(query, figures_of(query)[0], bool(peak["up"]), query, 1)
    if (asked := _WHICH.match(text)) is not None and _names(asked["noun"], query, context):
        found = _figure(asked["end"].casefold(), asked["rest"].casefold(), query, context)
        return None if found is None else _first(query, *found, 1)
    if (asked := _BARE.match(text)) is not None and _names(asked["noun"], query, context):
        found = _figure(asked["end"].casefold(), "", query, context)
        n = asked["n"] or ""
        count = _COUNTS.get(n.casefold()) or int(n or 1)
        return None if found is None else _first(query, *found, count)
    return None


def _names(said: str, query: Query, context: Context) -> bool:
    """Whether words name the groups of a query, or are a pronoun for them."""
    words = {singular(each) for each in said.casefold().split()} - _OF_THEM
    return words <= names_of(query, context)


def names_of(query: Query, context: Context) -> frozenset[str]:
    """The words that call the groups of a query, or its rows."""
    found: set[str] = set()
    for each in query.by:
        if isinstance(each, Period):
            found |= set(each.grain.split())
        if (field := context.field(each)) is not None:
            found |= {singular(word) for word in split_identifier(field.name)}
            found |= {singular(word) for one in field.words for word in split_identifier(one)}
    dataset = context.model.dataset(query.dataset)
    labels = {each.field for each in query.by if isinstance(each, FieldRef)}
    if dataset is not None and (not query.by or dataset.label in labels):
        found |= {*dataset.noun.split(), *dataset.words}
    for other in context.model.datasets:
        if any(isinstance(e, FieldRef) and e.dataset == other.name and e.field == other.label
               for e in query.by):  # fmt: skip
            found |= {*other.noun.split(), *other.words}
    return frozenset(found)


def _figure(
    end: str, rest: str, query: Query, context: Context
) -> tuple[Expression, bool, Query] | None:
    """The figure of the query that a superlative speaks of, and whether more of it comes first."""
    figures = figures_of(query)
    shares = [each for each in query.transforms if each.operation == "share"]
    first, _, second = end.partition(" ")
    up = _COMPARED.get(first, EXTREMES.read(first))
    said = {singular(word) for word in f"{second} {rest}".split()} - _OF_THEM
    if up is not None:
        named = [each for each in figures if said <= _words(each)]
        if named or (shares and said <= {"share", "percentage", "part"} and figures):
            return (named or list(figures))[0], up, query
        return None
    if form_of(first) != 2 or said:
        return None
    known = context.vocabulary.measured(first)
    for each in figures:
        used = {part for part in parts(each) if isinstance(part, FieldRef)}
        for match, more in known:
            if match.operand in used:
                return each, more, query
    if len(figures) == 1 and not known and (scales := scale_of(first)):
        return figures[0], scales[0][1], query
    return None


def _words(figure: Expression) -> set[str]:
    """The words of the names that a figure is made of."""
    found: set[str] = set()
    for part in parts(figure):
        if isinstance(part, FieldRef):
            found |= {singular(word) for word in split_identifier(part.field)}
            found |= set(part.field.casefold().split("_"))
        name = getattr(part, "metric", None) or getattr(part, "function", None)
        found |= {singular(word) for word in split_identifier(name or "")}
    return found


def _first(query: Query, figure: Expression, up: bool, _: Query, n: int) -> Query:
    kept = tuple(each for each in query.transforms if isinstance(each, Transform))
    rank = Rank(by=(Order(by=figure, descending=up),), n=n)
    return query.model_copy(update={"rank": rank, "sort": (), "transforms": kept})


def names_of_figure(query: Query) -> tuple[str, ...]:
    """The words that the first figure of a query is called by."""
    for figure in figures_of(query):
        for part in parts(figure):
            if isinstance(part, FieldRef):
                return tuple(split_identifier(part.field))
            if isinstance(part, MetricRef):
                return tuple(split_identifier(part.metric))
    return ("number", "of", "rows")


def place_of_end(turn: ConversationTurn, up: bool) -> int | None:
    """The row of a result with the highest or the lowest figure."""
    query = turn.query
    assert query is not None
    figures = figures_of(query)
    if len(figures) != 1 or len(turn.rows) < 2:
        return None
    at = len(turn.columns) - 1 - len(query.transforms)
    values = [(row[at], place) for place, row in enumerate(turn.rows)
              if isinstance(row[at], int | float)]  # fmt: skip
    if not values:
        return None
    return (max if up else min)(values, key=lambda each: each[0])[1]  # type: ignore[arg-type, return-value]
