"""Which of two readings of a question is taken, and how sure the one that is taken is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from flows.analysis.analyst.agreement import agree
from flows.analysis.questions.reader import QuestionReading
from flows.semantics.query import Query
from flows.semantics.request import REQUEST, Request

# Below this a question that is read phrase by phrase is rather refused.
PHRASES_FROM: Final = 0.6
# From here on a reading stands unless the other one is known to miss what it reads.
SURE: Final = 0.7
# From here on nothing of a question is left open: what is surer than that is taken.
_CLEAR: Final = 0.88
# From here on a text that was read as one question is not looked at as several.
WHOLE: Final = 0.85
# How much of the doubt in a reading the other one adds that says something else, and how much of
# its confidence is left to one that nothing supports. Both were chosen on questions of two origins.
_DISSENT: Final = 0.2
_HEARD: Final = 0.8  # a reading less sure says nothing of the other one
ALONE: Final = 0.7
_MOST: Final = 0.98
# From here on a question that is read phrase by phrase is taken before a less certain reading.
_CERTAIN: Final = 0.85
# Studies of how single rows follow each other in time.
_OF_ROWS: Final = frozenset(["growth", "running_total", "moving_average", "change"])


class Confidences(NamedTuple):
    """How likely each of two readings is right; None where the other one is no answer."""

    phrases: float
    other: float | None


def weigh(made: Mapping[str, Any], asked: QuestionReading) -> Confidences:
    """How sure a proposal and a question that is read phrase by phrase make each other: two
    readers that agree are seldom wrong, and of two that do not one is."""
    answered = made["cannot"] is None and made["clarify"] is None
    if not answered:
        return Confidences(round(ALONE * asked.confidence, 4), None)
    known = float(made["confidence"])
    request = _request(made)
    heard = asked.confidence >= PHRASES_FROM  # one that leaves much out agrees with anything
    if heard and isinstance(request, Query) and agree(request, asked.query):
        both = round(min(_MOST, 1 - (1 - known) * (1 - asked.confidence)), 4)
        return Confidences(both, both)
    if made["sql"] is None:
        return Confidences(round(ALONE * asked.confidence, 4), known)
    dissent = _DISSENT if asked.confidence >= _HEARD else 0.0
    return Confidences(
        round(ALONE * asked.confidence, 4), round(known * (1 - dissent * asked.confidence), 4)
    )


def prefers_phrases(made: Mapping[str, Any], asked: QuestionReading) -> bool:
    """Whether the reading phrase by phrase is taken instead of a proposal."""
    if made["clarify"] is not None and asked.rivals:
        return False  # both have several readings
    known = 0.0 if made["cannot"] or made["clarify"] else float(made["confidence"])
    more = asked.compares or (asked.names_first and not is_ranked(made))
    more = more or asked.divides or asked.exceeds(made["sql"])
    if more and asked.confidence >= SURE and not is_beyond_reading(_request(made)):
        return True
    # The older reader misses what is computed along periods or of a total, and units.
    of_rows = made["request"] is not None and made["request"].get("method") in _OF_ROWS
    further = asked.query.transforms or asked.query.compare or asked.is_converted
    sure = known >= SURE and not (made["sql"] is None and made["text"] is None)
    within = not is_beyond_reading(_request(made))
    clear = asked.confidence >= _CERTAIN and asked.confidence > known
    if asked.confidence >= SURE and _leaves_out(made, asked) and within:
        return True
    if sure and (of_rows or not (further or (clear and within))):
        return False
    return asked.confidence >= max(SURE if of_rows else known, PHRASES_FROM)


def _leaves_out(made: Mapping[str, Any], asked: QuestionReading) -> bool:
    """Whether a proposal makes nothing of a word that the other reading understands."""
    left = {each.lower for each in asked.skipped}
    return any(
        each["reading"] == "not used" and each["text"].casefold() not in left
        for each in made["words"] or ()
    )


def is_sure(made: Mapping[str, Any]) -> bool:
    """Whether a proposal answers, and is probably right."""
    answered = made["cannot"] is None and made["clarify"] is None
    return answered and float(made["confidence"]) >= SURE


def is_ranked(made: Mapping[str, Any]) -> bool:
    """Whether a proposal takes the first of an order."""
    return bool(made["request"] and made["request"].get("rank"))


def is_beyond_reading(query: Request | None) -> bool:
    """Whether a query asks for what the reader of free words has no rules for, and would miss."""
    if not isinstance(query, Query):
        return False
    rank = query.rank
    return query.compare is not None or (rank is not None and (rank.ties or bool(rank.within)))


def _request(made: Mapping[str, Any]) -> Request | None:
    return None if made["request"] is None else REQUEST.validate_python(made["request"])
