"""Measures made of two: `per customer`, `A minus B`, `A over or under B`, `population-weighted`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import singular
from flows.analysis.questions.concepts import limited_by
from flows.analysis.questions.parts import (
    DifferencePart,
    FormPart,
    NounPart,
    PerPart,
    PlacedPart,
    WeightPart,
)
from flows.analysis.questions.phrases.units import unit_at
from flows.analysis.questions.text import Text
from flows.analysis.questions.units import measures_in
from flows.analysis.questions.vocabulary import NameMatch
from flows.semantics.query import FieldRef

_PER: Phrases[str] = Phrases({"per": "per|for each|for every|by each|to each|each"})
_PART_OF: Phrases[str] = Phrases({
    "": "as percentage of|as a percentage of|as percent of|as % of|as share of|as a share of"
    "|in percent of|in % of|as proportion of|as a proportion of|as part of|as fraction of",
})  # fmt: skip
_MEANS = frozenset(["average", "avg", "mean", "typically", "averaged"])
_MIDDLES = frozenset(["average", "avg", "mean", "median", "typical"])
_PERIODS = frozenset(["month", "year", "week"])
_ALL_OF = frozenset(["registered", "existing", "listed", "known", "available", "installed"])
_HEADS = frozenset(["head", "capita", "person", "inhabitant"])
_BY_A: Final = re.compile(r"\b(?:an?|each|every|one|per)\s+$", re.IGNORECASE)
_BETWEEN: Phrases[str] = Phrases({
    "difference": "difference between|gap between|spread between|variance of|difference of"
    "|variance between|deviation of",
})  # fmt: skip
_LESS: Phrases[str] = Phrases({
    "less": "minus|less|net of|against|from|to|and|over or under|under or over|above or below"
    "|below or above|over|under|versus|vs|compared to|compared with",
})  # fmt: skip
_RELATIVE = frozenset(["over or under", "under or over", "above or below", "below or above"])
_OWN = frozenset(["its", "their", "the", "his", "her", "our"])


def read_per(text: Text, at: int) -> Iterator[PlacedPart]:
    """`per customer`, `per unit`, `per head`, `does an agent handle on average`: what a figure is
    divided by."""
    if (part := text.phrase(_PART_OF, at)) is not None:
        for end, found in text.names(part[1] + (text.word(part[1]) in _OWN)):
            if found.role == "measure":
                yield PlacedPart(PerPart(found.operand, percent=True), at, end, found.cost)
    marked = text.phrase(_PER, at)
    if marked is None:
        yield from _per_one(text, at)
        return
    for end, dataset, cost in text.nouns(marked[1]):
        yield PlacedPart(PerPart(NounPart(dataset)), at, end, cost + 0.02)
    if text.word(at) != "per":
        return
    begin = marked[1]
    hundred = text.number(begin)
    if isinstance(hundred, int) and hundred > 1:  # `faults per 100 machines`
        for end, dataset, cost in text.nouns(begin + 1):
            many = PerPart(NounPart(dataset, all_of=True), scale=hundred)
            yield PlacedPart(many, at, end, cost + 0.02)
        for end, found in text.names(begin + 1):
            if found.role == "measure":
                yield PlacedPart(PerPart(found.operand, scale=hundred), at, end, found.cost)
    qualified = list(text.nouns(begin + 1)) and not list(text.nouns(begin))
    if qualified and not _MIDDLES.isdisjoint(text.lowers):
        # `median price per paid order`: of the rows themselves.
        yield PlacedPart(FormPart(), at, begin, 0.1)
    if text.word(begin) in _ALL_OF:
        for end, dataset, cost in text.nouns(begin + 1):
            yield PlacedPart(PerPart(NounPart(dataset, all_of=True)), at, end, cost + 0.02)
    if text.word(begin) in _HEADS:
        for found in text.vocabulary.fields(["employee"]) + text.vocabulary.fields(["population"]):
            if found.role == "measure":
                yield PlacedPart(PerPart(found.operand), at, begin + 1, found.cost)
    if text.word(begin + 1) == "of":  # `per year of service`
        words = [text.word(begin), text.word(begin + 2)]
        named = text.vocabulary.fields(words) or text.vocabulary.fields(words[1:])
        for found in named[:2]:
            if found.role == "measure" and words[0].rstrip("s") in (*_PERIODS, "day", "hour"):
                yield PlacedPart(PerPart(found.operand), at, begin + 3, found.cost)
    end, unit = unit_at(text, begin)
    for measure, cost in measures_in(unit, text.vocabulary):
        yield PlacedPart(PerPart(measure), at, end, cost)
    for end, found in text.names(begin):
        if found.role == "measure":
            yield PlacedPart(PerPart(found.operand), at, end, found.cost)
            if text.word(end) in ("and", "per") and text.word(end + 1) in _PERIODS:
                made = PerPart(found.operand, text.word(end + 1))
                yield PlacedPart(made, at, end + 2, found.cost)


def _per_one(text: Text, at: int) -> Iterator[PlacedPart]:
    """Any one of some rows of which an average is asked: `an agent`, `every customer`."""
    if is_any_one(text, at):
        for end, dataset, cost in text.nouns(at):
            yield PlacedPart(PerPart(NounPart(dataset)), at, end, cost + 0.01)


def is_any_one(text: Text, at: int) -> bool:
    """Whether `an average` is asked of any of the rows that are called at a place."""
    word = text.word(at)
    if _MEANS.isdisjoint(text.lowers) or not word or word != singular(word):
        return False
    return _BY_A.search(text.question[: text.tokens[at].start]) is not None


def read_difference(text: Text, at: int) -> Iterator[PlacedPart]:
    """`actual minus budget`, `difference between price and cost`, `over or under its budget`."""
    named = text.phrase(_BETWEEN, at)
    begin = named[1] if named else at
    for end, left in text.names(begin):
        if left.role != "measure" or left.cost > 0.4:
            continue
        sign = text.phrase(_LESS, end)
        if sign is None or (named is None and text.word(end) not in ("minus", "less", "net")):
            continue
        yield from _differences(text, at, sign[1], left)
    relative = text.phrase(_LESS, at)
    if relative is not None and " ".join(text.lowers[at : relative[1]]) in _RELATIVE:
        begin = relative[1] + (text.word(relative[1]) in _OWN)
        for end, right in text.names(begin):
            if right.role == "measure":
                for left in actual_of(text, right):
                    cost = right.cost + left.cost
                    made = DifferencePart(left.operand, right.operand, relative=True)
                    yield PlacedPart(made, at, end, cost)


def _differences(text: Text, at: int, begin: int, left: NameMatch) -> Iterator[PlacedPart]:
    for end, right in text.names(begin + (text.word(begin) in _OWN)):
        if right.role == "measure" and right.operand != left.operand:
            cost = left.cost + right.cost
            yield PlacedPart(DifferencePart(left.operand, right.operand), at, end, cost)


def actual_of(text: Text, right: NameMatch) -> Iterator[NameMatch]:
    """What is compared with a plan where the question does not say it: the actual figure."""
    limited = limited_by(_words_of(text, right))
    for found in [each for word in limited for each in text.vocabulary.fields([word])]:
        one, other = found.operand, right.operand
        if not isinstance(one, FieldRef) or not isinstance(other, FieldRef):
            continue
        if one.dataset == other.dataset and one != other and found.role == "measure":
            yield found
            return


def _words_of(text: Text, of: NameMatch) -> tuple[str, ...]:
    return next((each.words for each in text.vocabulary.names if each.operand == of.operand), ())


def read_weight(text: Text, at: int) -> Iterator[PlacedPart]:
    """`population-weighted`, `weighted by population`."""
    if text.sees(at, "weighted", "by"):
        for end, found in text.names(at + 2):
            if found.role == "measure":
                yield PlacedPart(WeightPart(found.operand), at, end, found.cost)
        return
    for end, found in text.names(at):
        behind = end + (text.word(end) == "-")
        if text.word(behind) == "weighted" and found.role == "measure":
            last = behind + 1 + (text.word(behind + 1) in ("average", "mean"))
            yield PlacedPart(WeightPart(found.operand), at, last, found.cost)
