"""Figures of the figures of groups: `average number of orders per customer`, `the highest total
revenue of a customer`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from flows.analysis.analyst.left_out import left_out
from flows.analysis.analyst.refusal import refuse
from flows.analysis.questions.scopes import is_additive
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Expression,
    FieldRef,
    Order,
    Period,
    Query,
    Rank,
)
from flows.semantics.request import REQUEST

_OUTER: Final = {
    "average": "average", "mean": "average", "median": "median", "typical": "median",
    "highest": "maximum", "largest": "maximum", "biggest": "maximum", "maximum": "maximum",
    "lowest": "minimum", "smallest": "minimum", "minimum": "minimum",
}  # fmt: skip
_ASKED: Final = re.compile(
    r"^\W*(?:(?:what(?: is|'s| was)|show|give|find|calculate|compute|tell)(?: me)? )?(?:the )?"
    rf"(?P<outer>{'|'.join(_OUTER)}) (?:(?:value )?of (?:the |all )?)?"
    r"(?P<inner>(?:total|sum of|number of|count of)s? .+?) "
    r"(?P<link>per|for each|by each|of each|of a single|of a|of an|of one|for a|for one) "
    r"(?P<group>[^,;]+?)\W*$",
    re.IGNORECASE,
)
_EACH: Final = re.compile(r"\b(?:per|each|every|by|which|than|and|or)\b", re.IGNORECASE)


def propose_group_figure(
    question: str,
    propose: Callable[[str], dict[str, Any]],
    propose_for: Callable[[Query], dict[str, Any]],
    model: SemanticModel,
) -> dict[str, Any] | None:
    """The proposal for a figure of the figures of groups, which `propose` reads; None where it
    does not, or leaves something out."""
    asked = group_figure(question)
    made = None if asked is None else propose(asked.question)
    if asked is None or made is None or not made["sql"] or left_out(asked.question, made):
        return None
    inner = REQUEST.validate_python(made["request"])
    if not isinstance(inner, Query) or len(inner.by) != 1 or len(inner.metrics) != 1:
        return None
    if not asked.summed and not _counts(inner.metrics[0]):
        return None  # `average number of pages`: a measure of each row
    query = folded(inner, asked.function, model)
    if query is None:
        return refuse(f"the {asked.function} of the figures of groups cannot be computed yet.")
    return {**propose_for(query), "confidence": made["confidence"]}


class GroupFigure(NamedTuple):
    """A function of the figures of groups, and the question that asks for those, which are totals
    where they are `summed`."""

    function: str
    question: str
    summed: bool


def group_figure(question: str) -> GroupFigure | None:
    """What a question asks of the figures of groups; None for any other question."""
    found = _ASKED.match(question)
    if found is None or _EACH.search(found["inner"]) or _EACH.search(found["group"]):
        return None
    inner = f"{found['inner']} per {found['group']}"
    summed = found["inner"].casefold().startswith(("total", "sum"))
    return GroupFigure(_OUTER[found["outer"].casefold()], inner, summed)


def folded(query: Query, function: str, model: SemanticModel) -> Query | None:
    """A query of a figure of each group as that of one figure of them; None where no query says
    it. The average of parts that add up is their sum by the number of groups."""
    if len(query.metrics) != 1 or len(query.by) != 1 or query != _plain(query):
        return None
    figure, group = query.metrics[0], query.by[0]
    if function in ("maximum", "minimum"):
        order = Order(by=figure, descending=function == "maximum")
        return query.model_copy(update={"rank": Rank(by=(order,), n=1)})
    if function != "average" or not isinstance(group, FieldRef | Period):
        return None
    if not is_additive(figure, model):
        return None
    groups = Aggregate(function="count distinct", of=group)
    mean = Arithmetic(operator="/", left=figure, right=groups)
    return Query(dataset=query.dataset, metrics=(mean,), where=query.where)


def _counts(figure: Expression) -> bool:
    return isinstance(figure, Aggregate) and figure.function in ("count", "count distinct")


def _plain(query: Query) -> Query:
    """The same query with nothing but a figure of each group."""
    return Query(
        dataset=query.dataset, metrics=query.metrics, by=query.by, where=query.where,
        identity=query.identity, sort=query.sort,
    )  # fmt: skip
