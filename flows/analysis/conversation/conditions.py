"""What a remark changes of the rows of the last answer: fewer, others, or others beside them."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.conversation.context import Context, equal, labels_of
from flows.analysis.conversation.figures import ABOUT
from flows.analysis.conversation.merge import (
    is_timed,
    with_condition,
    without_timed,
)
from flows.analysis.linking.schema import schema_of
from flows.analysis.methods.demonyms import with_values
from flows.analysis.parser.edit import edit
from flows.analysis.parser.ranks import listed
from flows.semantics.query import (
    Compare,
    Comparison,
    Constant,
    Operator,
    Predicate,
    Query,
    Scope,
    conjunction,
    conjuncts,
)
from flows.semantics.request import Request
from flows.semantics.tree import parts

_ONLY: Final = re.compile(
    r"^\W*(?:(?:and|but|now|show me|show|keep|take|restrict (?:it|that|this) to|"
    r"limit (?:it|that) to|filter (?:it |that )?(?:for|to|by)?) )*(?:only|just)?\s*"
    r"(?:for |in |from |the ones |those )*(?:the )?",
    re.IGNORECASE,
)
_ASKS: Final = re.compile(r"^(?:what|which|who|whose|when|where|why|how)\b", re.IGNORECASE)
_ONES: Final = re.compile(r"\b(?:ones?|please|again|instead|only)\b\W*$", re.IGNORECASE)
_MORE_THAN: Final = re.compile(
    r"\b(?:with|that have|having|of)\s+(?P<more>more than|over|above|at least|fewer than|less than|"
    r"under|below|at most)\s+(?P<n>\d+)\s+(?P<noun>[a-z]+)\W*$",
    re.IGNORECASE,
)
_OPERATORS: Final[dict[str, Operator]] = {
    "more than": ">", "over": ">", "above": ">", "at least": ">=", "fewer than": "<",
    "less than": "<", "under": "<", "below": "<", "at most": "<=",
}  # fmt: skip
_COMPARES: Final = re.compile(
    r"^\W*(?:and |but |so )*(?:how (?:does|do) (?:that|this|it|those|they|these) compare|"
    r"compare (?:it|that|this|them|those)|compared)\s+(?:with|to|against)\s+(?P<what>.+?)\W*$",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"^(?:the )?(?:year before|(?:previous|prior|last|preceding) year)$", re.IGNORECASE
)
_DIFFERENCE: Final = re.compile(
    r"^\W*(?:and |so )*(?:what(?:'s| is| was) |how (?:big|large) (?:is|was) |show )?(?:me )?"
    r"the (?:difference|gap)(?: between (?:the two|them|those|both|these))?\W*$",
    re.IGNORECASE,
)


def narrowed(text: str, context: Context) -> Request | None:
    """`only cars with 4 cylinders`, `the Japanese ones`, `and 2009?`: conditions of a piece of text
    that is read by itself."""
    query = context.query
    if query is None:
        return None
    about = ABOUT.match(text)
    said = _ONES.sub("", _ONLY.sub("", text[about.end() :] if about else text)).strip(" ?.!,")
    if (many := _MORE_THAN.search(said)) is not None and query.by:
        count = context.query_of(f"number of {many['noun']}")
        if count is not None and len(count.metrics) == 1 and count.dataset == query.dataset:
            bound = Comparison(left=count.metrics[0], operator=_OPERATORS[many["more"].casefold()],
                               right=Constant(value=int(many["n"])))  # fmt: skip
            return query.model_copy(update={"having": conjunction([query.having, bound])})
    if _BEFORE.match(said) and (year := _year(query, context)) is not None:
        said = f"in {year - 1}"
    if not said or len(said.split()) > 8 or _ASKS.match(said):
        return None
    for each in dict.fromkeys((said, with_places(said, context))):
        changed = edit(query, f"only {each}", context.model)
        if isinstance(changed, Query) and changed.where != query.where:
            return changed.model_copy(update={"compare": None})
        dataset = context.model.dataset(query.dataset)
        noun = dataset.plural if dataset is not None else ""
        for phrased in (each, f"number of {noun} {each}", f"number of {noun} in {each}"):
            other = context.query_of(phrased, 0.4)
            if other is None or other.where is None or other.dataset != query.dataset:
                continue
            if other.rank is not None and phrased == each:
                continue
            made = query
            for test in conjuncts(other.where):
                made = with_condition(without_timed(made, test, context.model), test)
            return made
    return None


def with_places(text: str, context: Context) -> str:
    """The text with `Japanese` as the data calls it."""
    for table in context.analyst.tables:
        if (changed := with_values(text, schema_of(table))) != text:
            return changed
    return text


def compared(text: str, context: Context) -> Request | None:
    """`how does that compare with February?`, also of what came first."""
    said, query = _COMPARES.match(text), context.query
    if said is None or query is None:
        return None
    what = re.sub(r"\bin the same \w+\b|\bat the same time\b", "", said["what"]).strip()
    if query.rank is not None and query.rank.n == 1 and len(context.last.rows) == 1:
        query = listed(query)
        for label, at in labels_of(context.last, context):
            query = with_condition(query, equal(label, [context.last.rows[0][at]]))
        query = query.model_copy(update={"by": (), "show": (), "sort": (), "identity": ()})
    if _BEFORE.match(what) and (year := _year(query, context)) is not None:
        what = str(year - 1)
    for each in dict.fromkeys((what, with_places(what, context))):
        changed = edit(query, f"compared with {each}", context.model)
        if isinstance(changed, Query):
            return changed
    return None


def _year(query: Query, context: Context) -> int | None:
    for each in conjuncts(query.where):
        if is_timed(each, context.model):
            for part in parts(each):
                if isinstance(part, Constant) and str(part.value)[:4].isdecimal():
                    return int(str(part.value)[:4])
    return None


def between(text: str, context: Context) -> Request | None:
    """`what's the difference between the two?`: of the last two answers, which differ in one
    condition."""
    if not _DIFFERENCE.match(text) or len(context.before) < 2:
        return None
    one, two = context.before[-2].query, context.query
    if one is None or two is None or one.metrics != two.metrics or not two.metrics:
        return None
    other = [each for each in conjuncts(one.where) if each not in conjuncts(two.where)]
    mine = [each for each in conjuncts(two.where) if each not in conjuncts(one.where)]
    if len(other) != 1 or len(mine) != 1:
        return None
    rest = conjunction(each for each in conjuncts(two.where) if each not in mine)
    compare = Compare(a=Scope(name=_name(other[0]), where=other[0]),
                      b=Scope(name=_name(mine[0]), where=mine[0]))  # fmt: skip
    return two.model_copy(update={"where": rest, "compare": compare})


def _name(condition: Predicate) -> str:
    values = [str(each.value) for each in parts(condition) if isinstance(each, Constant)]
    return " ".join(values) or "other"
