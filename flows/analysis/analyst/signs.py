"""What is known of two readings of a question that speaks for and against each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flows.analysis.analyst.agreement import agree
from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.questions.parts import ExtremePart, MeasuredPart, NamedPart
from flows.analysis.questions.reader import QuestionReading
from flows.semantics.query import Aggregate, FieldRef, Period, Query
from flows.semantics.request import REQUEST, Request
from flows.semantics.tree import parts

# From here on the reading phrase by phrase counts where it says the same as the other one.
_HEARD: Final = 0.6
# Periods that come again and again.
_CYCLIC: Final = frozenset(
    ["quarter of year", "month of year", "day of month", "weekday", "hour of day"]
)


def signs_of(made: Mapping[str, Any], asked: QuestionReading) -> dict[str, float]:
    """What speaks for and against two readings, from 0 to 1 each."""
    queries = made["sql"] is not None
    request = _request(made)
    heard = queries and asked.confidence >= _HEARD
    same = heard and isinstance(request, Query) and agree(request, asked.query)
    words = len(asked.tokens)
    return {
        "answers": queries,
        "confidence": float(made["confidence"]) if queries else 0.0,
        "leaves words out": min(3, _left_out(made)) / 3,
        "phrases": asked.confidence,
        "cost": min(3.0, asked.cost) / 3,
        "skipped": min(6, len(asked.skipped)) / 6,
        "share skipped": len(asked.skipped) / max(1, words),
        "length": min(30, words) / 30,
        "compares": asked.compares,
        "names the first": asked.names_first,
        "divides": asked.divides,
        "holds more": asked.exceeds(made["sql"]),
        "has rivals": bool(asked.rivals),
        "converts": asked.is_converted,
        "agree": same,
        "phrases alone": 0.0 if same else asked.confidence,
        "dearest part": min(1.0, max((each.cost for each in asked.way.parts), default=0.0)),
        "thought of": min(2.0, max(0.0, asked.cost - asked.way.cost)) / 2,
        "content skipped": min(4, _content(asked)) / 4,
        "parts": min(8, len(asked.way.parts)) / 8,
        "numbers left": min(2, _numbers_left(asked, asked.query.model_dump_json())) / 2,
        "numbers left by the other": min(2, _numbers_left(asked, str(made["sql"]))) / 2
        if queries
        else 0.0,
        "groups more": asked.groups_more(made["sql"]),
        "asks back": made["clarify"] is not None,
        "lists groups": _only_lists_groups(made),
        "divides periods": _divides_periods(made, asked.query),
        "lists figures of a fragment": lists_figures(request) and _is_fragment(asked),
        "lists for figures": _lists_for_figures(request, asked.query),
        "averages for sums": _averages_for_sums(request, asked.query),
        "along time": bool(asked.query.transforms) or asked.query.compare is not None,
        "beyond phrases": is_beyond_reading(request),
        "ranked by both": is_ranked(made) and asked.query.rank is not None,
        "ranked by one": is_ranked(made) != (asked.query.rank is not None),
        "joins less": queries and _datasets(request) < _datasets(asked.query),
        "joins more": queries and _datasets(request) > _datasets(asked.query),
    }


def _content(asked: QuestionReading) -> int:
    """How many words of content a reading phrase by phrase leaves out."""
    return sum(each.kind == "word" and each.lower not in FUNCTION_WORDS for each in asked.skipped)


def _numbers_left(asked: QuestionReading, text: str) -> int:
    """How many numbers of a question stand nowhere in a query."""
    said = {each.text.replace(",", "") for each in asked.tokens if each.kind == "number"}
    return sum(each not in text for each in said)


def _lists_for_figures(request: Request | None, query: Query) -> bool:
    """Whether a reading as a whole lists what is there, where the other one tells a figure of it:
    `stoppages by reason`."""
    return isinstance(request, Query) and not request.metrics and bool(query.metrics)


def _averages_for_sums(request: Request | None, query: Query) -> bool:
    """Whether a reading as a whole takes the average of what the other one adds up."""
    if not isinstance(request, Query):
        return False
    functions = [
        {each.function for metric in one.metrics for each in parts(metric)
         if isinstance(each, Aggregate)}
        for one in (request, query)
    ]  # fmt: skip
    return "average" in functions[0] and "sum" in functions[1]


def _datasets(request: Request | None) -> int:
    """Of how many datasets a query names fields."""
    if not isinstance(request, Query):
        return 0
    return len({each.dataset for each in parts(request) if isinstance(each, FieldRef)})


def _divides_periods(made: Mapping[str, Any], query: Query) -> bool:
    """Whether a proposal groups by year too where each month of the year, or weekday, is meant."""
    other = _request(made)
    cyclic = any(isinstance(each, Period) and each.grain in _CYCLIC for each in query.by)
    return cyclic and isinstance(other, Query) and len(other.by) > len(query.by)


def _only_lists_groups(made: Mapping[str, Any]) -> bool:
    """Whether a proposal tells which periods or groups there are, and no figure of them: `visits
    per month` asks how many."""
    query = _request(made)
    if not isinstance(query, Query) or query.metrics or query.rank is not None:
        return False
    if query.by and query.having is None:
        return True
    return bool(query.show) and all(isinstance(each, Period) for each in query.show)


def _is_fragment(asked: QuestionReading) -> bool:
    """Whether a question only names a measure, of which then one figure is meant: `amount in Q1`
    of which `what are the amounts` would be a list."""
    first = asked.way.parts[0] if asked.way.parts else None
    named = first is not None and isinstance(first.part, NamedPart | MeasuredPart)
    return named and first is not None and first.start == 0


def turns_order(made: Mapping[str, Any], asked: QuestionReading) -> bool:
    """Whether a reading as a whole takes the least of a figure for the worst, where more is worse:
    the worst delay is the longest."""
    judged = any(isinstance(e.part, ExtremePart) and e.part.judged for e in asked.way.parts)
    other, rank = _request(made), asked.query.rank
    if not judged or rank is None or not isinstance(other, Query) or other.rank is None:
        return False
    return other.rank.by[0].descending != rank.by[0].descending


def is_ranked(made: Mapping[str, Any]) -> bool:
    """Whether a proposal takes the first of an order."""
    return bool(made["request"] and made["request"].get("rank"))


def is_beyond_reading(query: Request | None) -> bool:
    """Whether a query asks for what the reader of free words has no rules for, and would miss."""
    if not isinstance(query, Query):
        return False
    rank = query.rank
    return query.compare is not None or (rank is not None and (rank.ties or bool(rank.within)))


def lists_figures(request: Request | None) -> bool:
    """Whether a query only lists numbers of rows, and not even whose they are."""
    if not isinstance(request, Query) or request.by or request.metrics or request.rank:
        return False
    return bool(request.show) and all(isinstance(each, FieldRef) for each in request.show)


def _left_out(made: Mapping[str, Any]) -> int:
    return sum(each["reading"] == "not used" for each in made["words"] or ())


def _request(made: Mapping[str, Any]) -> Request | None:
    return None if made["request"] is None else REQUEST.validate_python(made["request"])
