"""Which of two readings of a question is taken, and how sure the one that is taken is.

A question is read as a whole and phrase by phrase. How likely each of the two readings is right is
a logistic regression over what is known of both, fitted by `benchmarks/preference.py` on questions
of several origins.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from flows.analysis.analyst.agreement import agree
from flows.analysis.questions.parts import MeasuredPart, NamedPart
from flows.analysis.questions.reader import QuestionReading
from flows.semantics.query import FieldRef, Period, Query
from flows.semantics.request import REQUEST, Request

# Below this a question that is read phrase by phrase is rather refused.
PHRASES_FROM: Final = 0.6
# Below this a reading phrase by phrase says nothing, neither for itself nor of the other one.
_LEAST: Final = 0.5
# From here on a reading stands unless the other one is known to miss what it reads.
SURE: Final = 0.7
# From here on a text that was read as one question is not looked at as several.
WHOLE: Final = 0.85
# How much is left of the confidence in one of several questions, which only one reader hears.
ALONE: Final = 0.7
# From here on a reading phrase by phrase leaves nothing open.
_CLEAR: Final = 0.8
# From here on a reading as a whole is no guess.
_FIRM: Final = 0.8
# How likely a reading phrase by phrase has to be right where the other reading asks back.
_LIKELIER_THAN_TO_ASK: Final = 0.5
_MOST: Final = 0.98
# Studies of how single rows follow each other in time.
_OF_ROWS: Final = frozenset(["growth", "running_total", "moving_average", "change"])

# Periods that come again and again.
_CYCLIC: Final = frozenset(
    ["quarter of year", "month of year", "day of month", "weekday", "hour of day"]
)

_BIAS: Final = {"phrases": 1.208, "whole": -5.325}
# For each sign its weight for the reading phrase by phrase and for that as a whole.
_WEIGHTS: Final[Mapping[str, tuple[float, float]]] = {
    "answers": (-1.525, 1.563),
    "confidence": (1.120, 7.093),
    "leaves words out": (0.910, -1.947),
    "phrases": (2.869, 0.514),
    "cost": (-3.336, -0.217),
    "skipped": (1.023, -0.584),
    "share skipped": (-3.769, -0.230),
    "length": (-3.444, 2.501),
    "compares": (0.129, -0.617),
    "names the first": (-0.863, -1.040),
    "divides": (0.976, -0.862),
    "holds more": (-4.968, -6.037),
    "has rivals": (-0.126, -0.309),
    "converts": (3.051, -3.545),
    "agree": (0.327, -0.933),
    "phrases alone": (-1.856, -1.556),
}


class Confidences(NamedTuple):
    """How likely each of two readings is right: phrase by phrase, and as a whole."""

    phrases: float
    whole: float


def weigh(made: Mapping[str, Any], asked: QuestionReading) -> Confidences:
    """How likely a proposal and a question that is read phrase by phrase are right, from 0 to 1; a
    proposal that answers without a query is as likely as it says."""
    signs = signs_of(made, asked)
    phrases, whole = (
        _BIAS[name] + sum(_WEIGHTS[sign][place] * value for sign, value in signs.items())
        for place, name in enumerate(("phrases", "whole"))
    )
    if made["clarify"] is not None and prefers_phrases(made, asked):
        return Confidences(max(_chance(phrases), _LIKELIER_THAN_TO_ASK), 0.0)
    if made["sql"] is None:
        known = float(made["confidence"]) if answers(made) else 0.0
        return Confidences(_chance(phrases), known)
    return Confidences(_chance(phrases), _chance(whole))


def prefers_phrases(
    made: Mapping[str, Any], asked: QuestionReading, answer_above: float = 0.0
) -> bool:
    """Whether the reading phrase by phrase is taken instead of a proposal; one that is less likely
    right than `answer_above` is not."""
    if asked.confidence < _LEAST:
        return False  # it says next to nothing
    if made["clarify"] is not None:
        rivals = [each for each in asked.rivals if not agree(each, asked.query)]
        return not rivals and asked.confidence >= _CLEAR
    if made["code"] is not None or made["text"] is not None:
        of_rows = made["request"] is not None and made["request"].get("method") in _OF_ROWS
        return asked.confidence >= (SURE if of_rows else float(made["confidence"]))
    chances = weigh(made, asked)
    likelier = chances.phrases >= chances.whole or _reaches_further(made, asked)
    return likelier and chances.phrases >= answer_above


def _reaches_further(made: Mapping[str, Any], asked: QuestionReading) -> bool:
    """Whether a sound reading phrase by phrase makes something of a question that the other one is
    known to miss, or leaves nothing open where that one guesses."""
    if asked.confidence < SURE or is_beyond_reading(_request(made)):
        return False
    query = asked.query
    if query.metrics and (_only_lists_groups(made) or _divides_periods(made, query)):
        return True
    if query.metrics and lists_figures(_request(made)) and _is_fragment(asked):
        return True
    if asked.divides or asked.is_converted or asked.exceeds(made["sql"]):
        return True
    if asked.groups_more(made["sql"]):
        return True
    if query.transforms or query.compare is not None:
        return asked.confidence >= float(made["confidence"])
    if asked.confidence < _CLEAR:
        return False
    return asked.compares or _left_out(made) > 0 or float(made["confidence"]) < _FIRM


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


def signs_of(made: Mapping[str, Any], asked: QuestionReading) -> dict[str, float]:
    """What speaks for and against two readings, from 0 to 1 each."""
    queries = made["sql"] is not None
    request = _request(made)
    heard = queries and asked.confidence >= PHRASES_FROM
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
    }


def answers(made: Mapping[str, Any]) -> bool:
    """Whether a proposal neither refuses nor asks back."""
    return made["cannot"] is None and made["clarify"] is None


def is_sure(made: Mapping[str, Any]) -> bool:
    """Whether a proposal answers, and is probably right."""
    return answers(made) and float(made["confidence"]) >= SURE


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


def _chance(score: float) -> float:
    return round(min(_MOST, 1 / (1 + math.exp(-score))), 4)


def _left_out(made: Mapping[str, Any]) -> int:
    return sum(each["reading"] == "not used" for each in made["words"] or ())


def _request(made: Mapping[str, Any]) -> Request | None:
    return None if made["request"] is None else REQUEST.validate_python(made["request"])
