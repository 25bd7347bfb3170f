"""Figures: `how many`, `average salary`, `90th percentile of pay`, `how old`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from flows.analysis.language.phrasebook import (
    Phrases,
)
from flows.analysis.language.words import singular
from flows.analysis.questions.concepts import BUYERS, form_of, meanings_of_verb
from flows.analysis.questions.deeds import recorded
from flows.analysis.questions.parts import (
    AmountPart,
    FigurePart,
    FormPart,
    MeasuredPart,
    NamedPart,
    NounPart,
    PlacedPart,
)
from flows.analysis.questions.phrases.percentiles import percentile_at
from flows.analysis.questions.text import Text
from flows.analysis.questions.units import UNIT_NAMES, factor_between, unit_of
from flows.semantics.query import FieldRef, Function

_FUNCTIONS: Phrases[Function] = Phrases({
    "average": "average|mean|avg|on average|typically|average of|mean of|avg of|averaged",
    "median": "median|typical|median of",
    "sum": "total|sum|sum of|total of|altogether|in total|overall|combined|all together|in all"
    "|summed up|total amount of|sum total of|cumulated",
    "minimum": "minimum|min|minimum of|smallest value of|lowest value of",
    "maximum": "maximum|max|maximum of|largest value of|highest value of|peak",
    "deviation": "standard deviation|standard deviation of|std|std dev|stddev|spread of",
    "count distinct": "number of different|number of distinct|number of unique|count of distinct",
})  # fmt: skip

_COUNTS: Phrases[bool] = Phrases({
    True: "how many|number of|count of|how often|count|no of|total number of|amount of times"
    "|in how many|for how many|on how many|to how many|how many different|how many distinct",
    False: "how much|how much of|how much money|what amount of|amount of",
})  # fmt: skip

_CRITERIA: Phrases[str] = Phrases({
    "": "judged by|measured by|ranked by|going by|in terms of|judging by|as measured by",
})  # fmt: skip
_FIRSTS = frozenset(
    ["top", "bottom", "best", "worst", "biggest", "largest", "smallest", "leading", "strongest",
     "weakest", "main", "rank", "ranked", "sort", "sorted"]
)  # fmt: skip
_PARTICLES = frozenset(["away", "out", "up", "off", "together"])
_ANY_ONE = re.compile(r"\b(?:an?|any|one|some)\s+$", re.IGNORECASE)
_GROUPING = frozenset(["category", "text", "identifier", "time"])
# Rows that are not called by what they are.
_CASES: Phrases[bool] = Phrases({
    True: "in how many cases|how many cases|in how many instances|how many times"
    "|in how many of cases|how many rows|number of cases|number of times|how many records"
    "|how many entries|how many lines",
})  # fmt: skip


def read_amount(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how many`, `how much`, `number of`, `headcount`."""
    if text.word(at) == "headcount":
        for dataset, cost in text.vocabulary.noun(["employee"]):
            yield PlacedPart(AmountPart(True, NounPart(dataset)), at, at + 1, cost)
    if (cases := text.phrase(_CASES, at)) is not None:
        yield PlacedPart(AmountPart(True, NounPart("")), at, cases[1], 0.02)
    yield from _counted_rows(text, at)
    yield from _amount_of_units(text, at)
    if (found := text.phrase(_COUNTS, at)) is not None:
        counted = found[0]
        if text.sees(at, "how", "often"):
            for word in text.lowers[found[1] :]:
                for dataset in recorded(word, text)[:1]:
                    yield PlacedPart(AmountPart(True, NounPart(dataset)), at, found[1])
        different = text.word(found[1] - 1) in ("different", "distinct")
        yield PlacedPart(AmountPart(counted, different=different), at, found[1])


def _amount_of_units(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how many hours`: the sum of a measure that is told in such a unit."""
    if not text.sees(at, "how", "many") or text.word(at + 2) not in UNIT_NAMES:
        return
    found = [
        each
        for dataset in text.vocabulary.model.datasets
        for each in text.vocabulary.operands(dataset.name)
        if isinstance(each, FieldRef)
        and factor_between(unit_of(each, text.vocabulary), text.word(at + 2)) is not None
    ]
    for each in found:
        yield PlacedPart(FigurePart("sum", each), at, at + 2, 0.08 + 0.1 * (len(found) - 1))


def read_criterion(text: Text, at: int) -> Iterator[PlacedPart]:
    """`judged by tracks bought`, `measured by the number of orders`: by what figure it is told."""
    if text.word(at) == "by" and not _FIRSTS.isdisjoint(text.lowers[:at]):
        for end, each in text.names(at + 1):  # `top 3 machines by total downtime`
            if each.role == "measure":
                yield PlacedPart(NamedPart(each.operand), at, end, each.cost)
    if (found := text.phrase(_CRITERIA, at)) is None:
        return
    for end, dataset, cost in text.nouns(found[1]):
        yield PlacedPart(AmountPart(True, NounPart(dataset)), at, end, cost + 0.05)
        sold = meanings_of_verb(f"many-{text.word(end)}")
        for each, _ in text.vocabulary.measured(f"many-{text.word(end)}")[:2] if sold else ():
            yield PlacedPart(FigurePart("sum", each.operand), at, end + 1, cost + each.cost / 2)
    for end, each in text.names(found[1]):
        if each.role == "measure":
            yield PlacedPart(MeasuredPart(each.operand), at, end, each.cost + 0.03)
    if (counted := text.phrase(_COUNTS, found[1])) is not None:
        yield PlacedPart(AmountPart(counted[0]), at, counted[1], 0.03)


def read_any_one(text: Text, at: int) -> Iterator[PlacedPart]:
    """`in how many cases did a team ...`: what the rows are of says nothing new."""
    if _ANY_ONE.search(text.question[: text.tokens[at].start]) is None:
        return
    if any(text.phrase(_CASES, each) is not None for each in range(at)):
        for end, found in text.names(at):
            if found.role in ("category", "text", "identifier"):
                yield PlacedPart(FormPart(), at, end, found.cost + 0.02)


def _counted_rows(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how many team months`: rows that are called by two of their columns."""
    if not text.sees(at, "how", "many"):
        return
    for end, one in text.names(at + 2):
        for last, other in text.names(end):
            fields = [each.operand for each in (one, other) if each.role in _GROUPING]
            own = [each for each in fields if isinstance(each, FieldRef)]
            several = text.word(last - 1) != singular(text.word(last - 1))
            if len(set(own)) == 2 and own[0].dataset == own[1].dataset and several:
                made = AmountPart(True, NounPart(own[0].dataset))
                yield PlacedPart(made, at, last, one.cost + other.cost + 0.02)


def read_function(text: Text, at: int) -> Iterator[PlacedPart]:
    """`average salary`, `total of the invoices`, `90th percentile of pay`."""
    place = percentile_at(text, at)
    if place is not None:
        yield from _of_operand(text, at, place[1], "percentile", place[0])
        return
    if (found := text.phrase(_FUNCTIONS, at)) is not None:
        if found[0] == "sum":
            yield from _in_total(text, at, found[1])
        yield from _of_operand(text, at, found[1], found[0], None)


def _in_total(text: Text, at: int, begin: int) -> Iterator[PlacedPart]:
    """`total goals`: rows are counted where they are called in the plural."""
    for end, dataset, cost in text.nouns(begin):
        word = text.word(end - 1)
        if word != singular(word) and not any(f.cost < 0.1 for _, f in text.names(begin)):
            yield PlacedPart(AmountPart(True, NounPart(dataset)), at, end, cost + 0.1)


def _of_operand(
    text: Text, at: int, end: int, function: Function, level: float | None
) -> Iterator[PlacedPart]:
    yield PlacedPart(FigurePart(function, None, level), at, end, 0.05)
    begin = end + (text.word(end) in ("of", "in", "for"))
    for last, found in text.names(begin):
        if found.role == "measure" or (function in ("minimum", "maximum", "count distinct")):
            yield PlacedPart(FigurePart(function, found.operand, level), at, last, found.cost)


def read_measure(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how old`, `earn`, `how expensive`: a word that speaks of a measure."""
    word = text.word(at)
    if word == "how" and form_of(text.word(at + 1)) == 0:
        for found, _ in text.vocabulary.measured(text.word(at + 1))[:4]:
            yield PlacedPart(MeasuredPart(found.operand), at, at + 2, found.cost)
    if text.tokens[at].kind == "word" and not form_of(word) >= 0:
        # What we spend is a cost, what customers spend is not.
        whose = f"we-{word}" if text.word(at - 1) == "we" else ""
        if not whose and not BUYERS.isdisjoint(map(singular, text.lowers)):
            whose = f"they-{word}"
        if text.sees(0, "how", "many") and meanings_of_verb(f"many-{word}"):
            whose = f"many-{word}"
        spoken = whose if meanings_of_verb(whose) else word
        for found, _ in text.vocabulary.measured(spoken)[:4]:
            yield PlacedPart(MeasuredPart(found.operand), at, at + 1, found.cost)
            if text.word(at + 1) in _PARTICLES:  # `throw away`
                yield PlacedPart(MeasuredPart(found.operand), at, at + 2, found.cost)
