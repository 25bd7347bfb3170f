"""A remark about the last answer: what it changes of the request that was asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from flows.analysis.conversation.conditions import between, compared, narrowed
from flows.analysis.conversation.context import Context, equal, labels_of
from flows.analysis.conversation.figures import (
    SAID_BEFORE,
    figured,
    is_measure,
    shares,
    shown,
    units,
)
from flows.analysis.conversation.merge import (
    inner,
    is_timed,
    subject,
    with_condition,
    without_timed,
)
from flows.analysis.conversation.superlative import ranked_of
from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.phrasebook import MONTHS
from flows.analysis.parser.edit import edit
from flows.analysis.parser.exact import phrase
from flows.analysis.parser.ranks import figures_of, listed
from flows.semantics.query import (
    Constant,
    FieldRef,
    Predicate,
    Query,
    conjunction,
    conjuncts,
)
from flows.semantics.request import Analysis, Chart, Request, Unparsed
from flows.semantics.tree import parts

_SHOWN: Final = re.compile(
    r"^\W*(?:(?:can|could) you |please |now )*(?:plot|draw|chart|graph|visuali[sz]e|show)(?: me)? "
    r"(?:it|that|this|them|those|these)(?: please| now)?"
    r"(?: (?:as|in|on|with) (?:an? )?(?P<kind>[\w ]+?))?\W*$",
    re.IGNORECASE,
)
_AS_CHART: Final = re.compile(
    r"^\W*(?:(?:and|now|please) )*(?:as|in|with|make|draw|show)(?: it| that| them)?(?: (?:as|in))?"
    r"(?: an?| the)? ?(?:chart|graph|plot|diagram|picture|figure)(?: please)?\W*$",
    re.IGNORECASE,
)
_DRILL: Final = re.compile(
    r"\b(?:break|split|drill|divide)\b(?P<what>.*?)\b(?:down|up|further)?\s*(?:further )?"
    r"\b(?:by|into|per)\b",
    re.IGNORECASE,
)
_ROUND: Final = re.compile(
    r"^\W*(?:(?:please|and|now) )*round(?:ed)?(?: (?:that|it|them|this|those))?"
    r"(?: (?:off|up|please|to (?:the nearest |an? )?(?:whole numbers?|integers?|full numbers?)))?"
    r"\W*$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+")
_LONGEST_NAME: Final = 3
# What it may cost to believe that words name a field, and by how much less than any other.
_NAMED: Final = 0.3
_NEAR: Final = 0.05
_YEAR: Final = re.compile(r"[12]\d{3}")
_MONTH: Final = re.compile(rf"\b(?:{MONTHS.pattern()})\b(?!\s+(?:of )?\d{{4}})", re.IGNORECASE)
Change = Callable[[str, Context], Request | None]


# `sort it from low to high`: the order alone says it.
_SORTED: Final = re.compile(
    r"^\W*(?:(?:and|now|please|but)\s+)*(?:sort(?:ed)?|order(?:ed)?|arranged?|rank(?:ed)?)"
    r"(?:\s+(?:it|them|that|this|those|these))?\s+(?=from\b|in\b|asc|desc|(?:high|low|larg|small))",
    re.IGNORECASE,
)


def change(text: str, context: Context) -> Request | None:
    """The last request as the remark changes it; None where it is no such remark."""
    for said in dict.fromkeys((text, SAID_BEFORE.sub("", text), _SORTED.sub("", text))):
        for way in _WAYS:
            changed = way(in_its_year(said, context), context)
            if changed is not None and changed != context.last.request and context.fits(changed):
                return changed
    return None


def in_its_year(text: str, context: Context) -> str:
    """The text with the year behind a month that is named alone, where all is of one year."""
    years = {
        str(constant.value)[:4]
        for turn in context.before[-2:]
        if turn.query is not None
        for each in conjuncts(turn.query.where)
        if is_timed(each, context.model)
        for constant in parts(each)
        if isinstance(constant, Constant)
    }
    if len(years) != 1 or not _YEAR.fullmatch(next(iter(years))):
        return text
    return _MONTH.sub(lambda found: f"{found.group()} {next(iter(years))}", text, count=1)


def _drawn(text: str, context: Context) -> Request | None:
    """`plot that`, `as a chart`."""
    drawn = _SHOWN.match(text) and not text.casefold().lstrip().startswith("show")
    if not drawn and not _AS_CHART.match(text):
        return None
    asked = context.last.request
    if isinstance(asked, Query | Analysis):
        return Chart(of=asked)
    return None


def _rounded(text: str, context: Context) -> Request | None:
    """`round that`: to whole numbers."""
    query = context.query
    if query is None or not _ROUND.match(text):
        return None
    return query.model_copy(update={"decimals": 0})


def _spelled(text: str, context: Context) -> str:
    """The text with the names of fields as the data has them: `duration` for `duration_min`."""
    words, query = _WORD.findall(text), context.query
    for size in range(min(_LONGEST_NAME, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            said = words[start : start + size]
            if size == 1 and said[0].casefold() in FUNCTION_WORDS:
                continue
            found = context.vocabulary.fields([each.casefold() for each in said])
            near = [each for each in found if each.cost <= found[0].cost + _NEAR]
            of = near[0].operand if len(near) == 1 and near[0].cost <= _NAMED else None
            if isinstance(of, FieldRef) and query is not None and of.dataset == query.dataset:
                name = phrase(of, of.dataset, context.model)
                plain = r"\W+".join(map(re.escape, said))
                found_at = re.search(rf"\b{plain}\b", text)
                if found_at is not None:
                    return f"{text[: found_at.start()]}{name}{text[found_at.end() :]}"
    return text


def _edited(text: str, context: Context) -> Request | None:
    """What the language of remarks says, with the names as the data has them."""
    found = _changed(text, context)
    if found is None and (spelled := _spelled(text, context)) != text:
        found = _changed(spelled, context)
    return found


def _changed(text: str, context: Context) -> Request | None:
    """The last request as an exact remark changes it."""
    asked = context.last.request
    if asked is None:
        return None
    changed = edit(asked, text, context.model)
    if context.query is not None and context.query.compare is not None:
        changed = edit(without_other_side(context.query), text, context.model)
    if isinstance(changed, Unparsed):
        return None
    query = changed if isinstance(changed, Query) else None
    before = context.query
    if query is not None and before is not None:
        if before.rank is not None and before.rank.n == 1 and len(query.by) > len(before.by):
            return None  # the groups of what came first: see `_drilled`
        if any(is_measure(each, context) for each in query.by if each not in before.by):
            return None
        if query.metrics and not query.by and query.rank is not None:
            return None
    return changed


def without_other_side(query: Query) -> Query:
    """What was asked before it was compared."""
    assert query.compare is not None
    where = conjunction([*conjuncts(query.where), query.compare.a.where])
    return query.model_copy(update={"where": where, "compare": None})


def _drilled(text: str, context: Context) -> Request | None:
    """`break it down by product`: the parts of what came first, or of what is named."""
    query, said = context.query, _DRILL.search(text)
    if query is None or said is None:
        return None
    other = context.query_of(f"{_metric_words(context)} by {text[said.end() :]}")
    named = said["what"].strip(" ,")
    named = re.sub(r"\b(?:it|that|this|them|down|further|up)\b", "", named).strip()
    condition: list[Predicate] = []
    if named:
        part = context.query_of(f"{_metric_words(context)} in {named}")
        if part is None or part.where is None:
            return None
        condition = list(conjuncts(part.where))
    elif query.rank is not None and query.rank.n == 1 and len(context.last.rows) == 1:
        condition = [equal(label, [context.last.rows[0][at]])
                     for label, at in labels_of(context.last, context)]  # fmt: skip
    else:
        return None
    if other is None or not other.by:
        return None
    base = listed(query)
    groups = [each for each in base.by if not any(subject(c) == inner(each) for c in condition)]
    new = tuple(each for each in other.by if each not in groups)
    made = base.model_copy(update={"by": (*groups, *new), "show": (), "identity": (), "sort": ()})
    for each in condition:
        made = with_condition(without_timed(made, each, context.model), each)
    return made


def _metric_words(context: Context) -> str:
    """The figure of the last query in words, for reading a group with it."""
    query = context.query
    assert query is not None
    figures = figures_of(query)
    return phrase(figures[0], query.dataset, context.model) if figures else "number of rows"


_WAYS: tuple[Change, ...] = (
    _drawn, _rounded, units, shares, compared, between, _drilled, ranked_of, _edited, shown,
    figured, narrowed,
)  # fmt: skip
