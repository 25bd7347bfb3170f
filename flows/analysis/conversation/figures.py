"""What a remark changes of the figures of the last answer: another one, another unit, a share."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.conversation.context import Context
from flows.analysis.conversation.merge import (
    is_timed,
    with_figure,
)
from flows.analysis.language.remarks import GROUPINGS
from flows.analysis.parser.ranks import figures_of
from flows.analysis.parser.tree import substitute
from flows.analysis.questions.units import UNIT_NAMES, factor_between, unit_of
from flows.semantics.kinds import columns_of
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Constant,
    Expression,
    FieldRef,
    Query,
    conjunction,
    conjuncts,
)
from flows.semantics.request import Request
from flows.semantics.tree import parts

SAID_BEFORE: Final = re.compile(
    r"^\W*(?:(?:no|ok|okay|now|sorry|well|so|then|please|actually|i mean(?:t)?|rather|"
    r"(?:and )?again(?: with| for| but)?|(?:do )?(?:it|that|the same)(?: again)? (?:with|for|but))"
    r"\b[\s,:]*)+",
    re.IGNORECASE,
)
ABOUT: Final = re.compile(
    r"^\W*(?:(?:and|but|now|ok) )*(?:what|how) about (?:the )?|^\W*(?:and|but) (?:for )?(?:the )?|"
    r"^\W*(?:use|take|show) |^\W*by (?:the )?",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(r"^\W*(?:and |now )?in (?P<unit>[a-z²]+)(?: please| instead)?\W*$",
                          re.IGNORECASE)  # fmt: skip
_SHARE: Final = re.compile(
    r"^\W*(?:and |so )*(?:what (?:share|percentage|percent|fraction|part|proportion)|as an? "
    r"(?:share|percentage|fraction|proportion)|in percent|how many percent)\b(?P<of>.*?)"
    r"(?:\bis (?:that|it|this)|\bare (?:those|they|these))?\W*$",
    re.IGNORECASE,
)
_OF_OTHERS: Final = re.compile(
    r"\b(?:of|in|the|that|this|those|these|all|them|it|each|total|whole|days?|rows?|year'?s?|"
    r"months?)\b|'s\b",
    re.IGNORECASE,
)
_WITH: Final = re.compile(
    r"^\W*(?:and |also |show (?:me )?(?:also )?|add )*(?:with |also )?(?:their|its|the)\s+"
    r"(?P<what>[\w ]+?)(?: too| as well| also)?\W*$",
    re.IGNORECASE,
)


def units(text: str, context: Context) -> Request | None:
    """`in kilograms`: the figures in another unit."""
    said, query = _UNIT.match(text), context.query
    if said is None or query is None or said["unit"].casefold() not in UNIT_NAMES:
        return None
    unit = said["unit"].casefold()
    for figure in figures_of(query):
        for field in parts(figure):
            factor = None
            if isinstance(field, FieldRef):
                factor = factor_between(unit_of(field, context.vocabulary), unit)
            if factor is not None and factor != 1.0 and query.metrics:
                operator, by = ("*", factor) if factor >= 1 else ("/", 1 / factor)
                by = round(by, 9)
                whole = Constant(value=int(by) if by == int(by) else by)
                new = Arithmetic(operator=operator, left=figure, right=whole)
                swap = tuple(new if each == figure else each for each in query.metrics)
                shown = tuple(new if each == figure else each for each in query.show)
                return query.model_copy(update={"metrics": swap, "show": shown})
    return None


def shares(text: str, context: Context) -> Request | None:
    """`what share is that?`: of the rows before the last condition, those for which it holds."""
    said, query = _SHARE.match(text), context.query
    if said is None or query is None or len(query.metrics) != 1:
        return None
    (figure,) = query.metrics
    whole = isinstance(figure, Aggregate) and figure.function == "count" and figure.of is None
    if not whole or query.transforms or (query.by and not said["of"].strip()):
        return None
    if _OF_OTHERS.sub("", said["of"]).strip() and not query.by:
        return None  # of them those for which something else holds
    tests = conjuncts(query.where)
    queries = [turn.query for turn in context.before[:-1] if turn.query is not None]
    earlier = [test for each in queries if each.dataset == query.dataset
               for test in conjuncts(each.where)]  # fmt: skip
    added = [each for each in tests if each not in earlier] or list(tests[-1:])
    if "all" in said["of"] or len(added) == len(tests):
        added = [e for e in tests if not is_timed(e, context.model)] or added
    condition = conjunction(added)
    if condition is None:
        return None
    share = Aggregate(function="share", where=condition)
    rest = conjunction(each for each in tests if each not in added)
    sort = tuple(each for each in query.sort if each.by != figure)
    return query.model_copy(update={"metrics": (share,), "show": (), "where": rest, "sort": sort})


def figured(text: str, context: Context) -> Request | None:
    """`what about the average flipper length?`, `by revenue`: another figure of the groups."""
    query = context.query
    if query is None:
        return None
    about = ABOUT.match(text)
    rest = re.sub(
        r"\b(?:(?:is|are) (?:that|those|these|they)\b|for (?:each|those|them|these)\b|"
        r"in (?:each(?: \w+)?|those)|by that|instead)\b",
        "", text[about.end() :] if about else text, flags=re.IGNORECASE,
    ).strip(" ?.!,")  # fmt: skip
    marked = about is not None or len(rest) < len(text.strip(" ?.!,"))
    if not marked or not rest:
        return None
    if about is not None and GROUPINGS.match(rest.casefold().split(), 0):
        return None
    other = context.query_of(rest)
    if other is None:
        return None
    figure = _as_figure(other, query, context)
    return None if figure is None else with_figure(query, figure)


def change_figure(text: str, context: Context) -> Request | None:
    """`by fuel economy`, `the most miles per gallon`: the first rows by another field."""
    query, said = context.query, ABOUT.sub("", SAID_BEFORE.sub("", text)).strip(" ?.!,")
    if query is None or query.rank is None or not query.rank.by or not said:
        return None
    other = context.query_of(said)
    if other is None or (other.where is not None and not other.show):
        return None
    new = {part for each in (*other.metrics, *other.show) for part in parts(each)
           if isinstance(part, FieldRef) and is_measure(part, context)}  # fmt: skip
    old = [part for part in parts(query.rank.by[0].by) if isinstance(part, FieldRef)]
    if len(new) != 1 or len(old) != 1 or other.by:
        return None
    changed = substitute(query, old[0], new.pop())
    return changed if context.fits(changed) else None


def _as_figure(other: Query, query: Query, context: Context) -> Query | None:
    """A query that tells one figure; a measure that is listed is told as the last figure was."""
    if other.metrics and not other.by:
        return other if other.rank is None else None
    shown = [
        each for each in other.show if isinstance(each, FieldRef) and is_measure(each, context)
    ]
    old = figures_of(query)
    if len(shown) != 1 or other.by or len(old) != 1:
        return None
    how = old[0].function if isinstance(old[0], Aggregate) else "sum"
    if how in ("count", "count distinct", "share"):
        how = "average"
    return other.model_copy(update={"metrics": (Aggregate(function=how, of=shown[0]),), "show": ()})


def is_measure(of: Expression, context: Context) -> bool:
    field = context.field(of) if isinstance(of, FieldRef) else None
    return field is not None and field.role == "measure"


def shown(text: str, context: Context) -> Request | None:
    """`with their origin`: another column of the rows."""
    said, query = _WITH.match(text), context.query
    if said is None or query is None or query.metrics:
        return None
    names = context.vocabulary.fields(said["what"].casefold().split())
    own = [e.operand for e in names if isinstance(e.operand, FieldRef) and e.cost < 0.3]
    if not own or own[0] in columns_of(query, context.model):
        return None
    shown = columns_of(query, context.model)
    by = (*query.by, own[0]) if query.by else ()
    return query.model_copy(update={"show": (*shown, own[0]), "by": by})
