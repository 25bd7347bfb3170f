"""Which of two readings of a question is taken, and how sure the one that is taken is.

A question is read as a whole and phrase by phrase. How likely each of the two readings is right is
told by boosted trees over what is known of both (`signs.py`), which `benchmarks/preference.py` fits
on questions of several origins and keeps in `preference.json`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from flows.analysis.analyst.agreement import agree, same_groups
from flows.analysis.analyst.signs import signs_of, turns_order
from flows.analysis.analyst.trees import BoostedTrees, read_trees
from flows.analysis.questions.reader import QuestionReading
from flows.semantics.query import Query

# Below this a question that is read phrase by phrase is rather refused.
PHRASES_FROM: Final = 0.6
# From here on a reading stands unless the other one is known to miss what it reads.
SURE: Final = 0.7
# From here on a text that was read as one question is not looked at as several.
WHOLE: Final = 0.85
# How much is left of the confidence in one of several questions, which only one reader hears.
ALONE: Final = 0.7
_SLOPE, _SHIFT = 1.25, -1.6
# No reading is surer than that, however many readers have it.
_MOST_CERTAIN: Final = 0.97
# A reading phrase by phrase that is less likely right is never taken instead of another one.
_LEAST: Final = 0.4
# Nor is one that is less sure of itself: it says next to nothing.
_LEAST_READ: Final = 0.33
# How likely a reading phrase by phrase has to be right where the other reading asks back.
_LIKELIER_THAN_TO_ASK: Final = 0.5
# How sure a reading phrase by phrase has to be of itself to be taken instead of a study.
_RATHER_THAN_STUDY: Final = 0.9
# Studies of how single rows follow each other in time.
_OF_ROWS: Final = frozenset(["growth", "running_total", "moving_average", "change"])


@cache
def _judges() -> Mapping[str, BoostedTrees]:
    """What tells the chance of each of the two readings."""
    return read_trees(Path(__file__).with_suffix(".json"))


class Confidences(NamedTuple):
    """How likely each of two readings is right: phrase by phrase, and as a whole."""

    phrases: float
    whole: float


def weigh(made: Mapping[str, Any], asked: QuestionReading) -> Confidences:
    """How likely a proposal and a question that is read phrase by phrase are right, from 0 to 1; a
    proposal that answers without a query is as likely as it says."""
    signs, judges = signs_of(made, asked), _judges()
    phrases = judges["phrases"].chance(signs)
    if misses_open(made, asked):
        phrases = max(phrases, asked.confidence)
    if made["sql"] is None:
        return Confidences(phrases, float(made["confidence"]) if answers(made) else 0.0)
    whole = judges["whole"].chance(signs)
    if turns_order(made, asked):
        phrases, whole = max(phrases, whole), min(phrases, whole)
    return Confidences(phrases, whole)


def confidences(made: Mapping[str, Any], asked: QuestionReading) -> Confidences:
    """How sure each of the two readings is told to be. Where they are of the same groups, and only
    show other columns of them, either answers the question, and the chance is that of both."""
    chances = weigh(made, asked)
    request = made["request"]
    if made["sql"] is None or request is None or request["kind"] != "query":
        return Confidences(*map(told, chances))
    if not same_groups(Query.model_validate(request), asked.query):
        return Confidences(*map(told, chances))
    both = told(min(sum(chances), _MOST_CERTAIN))
    return Confidences(both, both)


def told(chance: float) -> float:
    """How sure an answer is told to be, by the chance of its reading.

    On data that no rule was made by, readings are right less often than on those that the trees
    were fitted on: how much less was measured on five data sets, and checked on others.
    """
    if not 0 < chance < 1:
        return chance
    odds = _SLOPE * math.log(chance / (1 - chance)) + _SHIFT
    return round(1 / (1 + math.exp(-odds)), 4)


def misses_open(made: Mapping[str, Any], asked: QuestionReading) -> bool:
    """Whether a reading as a whole is one of all rows where those are meant that are not over."""
    is_read = made["sql"] is not None and asked.confidence >= PHRASES_FROM
    return is_read and asked.lacks_end(made["sql"])


def prefers_phrases(
    made: Mapping[str, Any], asked: QuestionReading, answer_above: float = 0.0
) -> bool:
    """Whether the reading phrase by phrase is taken instead of a proposal: the likelier of both is,
    unless it is less likely right than `answer_above`, or than it takes not to ask back."""
    if asked.confidence < _LEAST_READ:
        return False  # it leaves out or thinks of too much
    chances = weigh(made, asked)
    if made["clarify"] is not None:
        rivals = [each for each in asked.rivals if not agree(each, asked.query)]
        return not rivals and chances.phrases >= max(answer_above, _LIKELIER_THAN_TO_ASK)
    if made["code"] is not None or made["text"] is not None:
        of_rows = made["request"] is not None and made["request"].get("method") in _OF_ROWS
        return asked.confidence >= (SURE if of_rows else _RATHER_THAN_STUDY)
    if misses_open(made, asked):
        return True
    return chances.phrases >= max(answer_above, chances.whole, _LEAST)


def answers(made: Mapping[str, Any]) -> bool:
    """Whether a proposal neither refuses nor asks back."""
    return made["cannot"] is None and made["clarify"] is None


def is_sure(made: Mapping[str, Any]) -> bool:
    """Whether a proposal answers, and is probably right."""
    return answers(made) and float(made["confidence"]) >= SURE
