"""The first of an order: `top 3`, `the 5 highest`, `most expensive`, `second highest`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flows.analysis.language.lexicon import (
    ORDINALS,
)
from flows.analysis.language.phrasebook import (
    Phrases,
)
from flows.analysis.questions.concepts import form_of
from flows.analysis.questions.deeds import recorded
from flows.analysis.questions.parts import (
    ExtremePart,
    NounPart,
    PlacedPart,
)
from flows.analysis.questions.text import Text
from flows.analysis.questions.units import UNIT_NAMES, measures_in
from flows.semantics.query import FieldRef

_SIZES: Phrases[bool] = Phrases({
    True: "highest|largest|biggest|greatest|most|best|top|maximum|max|number one|strongest|leading"
    "|peak|favourite|favorite|most popular|most common|most frequent|busiest|most often|strongest"
    "|main",
    False: "lowest|smallest|least|fewest|worst|bottom|minimum|weakest|least popular|rarest"
    "|least common|quietest|least often|poorest performing",
})  # fmt: skip

_LAST: Phrases[bool] = Phrases({
    True: "last|latest|most recently", False: "first|earliest|longest ago",
})  # fmt: skip
_COUNTING = frozenset(["busiest", "quietest", "popular", "common", "frequent", "often", "rarest"])

_JUDGING = frozenset(["best", "worst", "strongest", "weakest"])
_SIZED = frozenset(["biggest", "largest", "greatest", "smallest"])
_SERVING = frozenset(["serving", "standing", "tenured", "employed", "service"])
_VAGUE = frozenset(["best", "worst", "top", "bottom", "leading", "main", "strongest",
                    "weakest", "favourite", "favorite", "performing"])  # fmt: skip


def read_extreme(text: Text, at: int) -> Iterator[PlacedPart]:
    """`top 3`, `the 5 highest`, `most expensive`, `oldest`, `second highest`."""
    if text.word(at - 1) == "at" and text.word(at) in ("least", "most"):
        return
    n, place, begin = 1, 0, at
    if (count := _count_at(text, at)) is not None:
        n, begin = count, at + 1
    elif text.word(at) in ORDINALS and text.word(at) != "first":
        place, begin = ORDINALS[text.word(at)] - 1, at + 1
    yield from _of_adjectives(text, at, begin, n, place)
    yield from _of_times(text, at)
    yield from _of_deeds(text, at, begin, n, place)
    sized = text.phrase(_SIZES, begin)
    if sized is None:
        yield from _of_manner(text, at, begin, n, place)
        return
    descending, end = sized
    if begin == at and (count := _count_at(text, end)) is not None:
        n, end = count, end + 1
    elif text.number(end) is not None:
        return  # `top 10 %`
    if text.word(end - 1) in _COUNTING:
        yield PlacedPart(ExtremePart(descending, n, None, None, place), at, end, 0.05)
        return
    said = text.word(sized[1] - 1)
    yield from _of_size(
        text, begin, end,
        PlacedPart(
            ExtremePart(
                descending, n, None, None, place, said in _VAGUE, judged=said in _JUDGING,
                sized=text.word(end - 1) in _SIZED or text.word(end - 2) in _SIZED,
            ),
            at, end, 0.08,
        ),
    )  # fmt: skip


def _of_adjectives(text: Text, at: int, begin: int, n: int, place: int) -> Iterator[PlacedPart]:
    """`most expensive`, `oldest`, `longest serving`: by the field that an adjective measures."""
    word = text.word(begin)
    if form_of(word) == 2 or (word in ("most", "least") and form_of(text.word(begin + 1)) == 0):
        long = form_of(word) != 2
        adjective = text.word(begin + 1) if long else word
        for found, up in text.vocabulary.measured(adjective)[:4]:
            more = up == (word != "least")
            last = begin + 1 + long
            part = ExtremePart(more, n, found.operand, None, place)
            yield PlacedPart(part, at, last, found.cost)
            for end, named in text.names(last):  # `the longest bill` of what has a bill length
                if named.operand == found.operand:
                    yield PlacedPart(part, at, end, min(found.cost, named.cost))
            if begin == at and (count := _count_at(text, last)) is not None:
                yield PlacedPart(ExtremePart(more, count, found.operand), at, last + 1, found.cost)
    if word in ("longest", "shortest") and text.word(begin + 1) in _SERVING:
        for found, up in text.vocabulary.measured("senior")[:4]:
            part = ExtremePart(up == (word == "longest"), n, found.operand, None, place)
            yield PlacedPart(part, at, begin + 2, found.cost)


def _of_size(text: Text, begin: int, end: int, alone: PlacedPart) -> Iterator[PlacedPart]:
    """A word for a size that begins at a place and ends before another: `alone`, and with what
    follows it, which is a field, a unit or the rows that are counted."""
    part, at = alone.part, alone.start
    assert isinstance(part, ExtremePart)
    plain = ExtremePart(part.descending, part.n, None, None, part.place)
    counting = text.word(begin) in ("most", "least", "fewest")
    nouns = list(text.nouns(end))
    yield replace(alone, cost=0.3) if counting and nouns else alone
    if form_of(text.word(end)) <= 0:
        for found, _ in text.vocabulary.measured(text.word(end))[:4]:
            one = replace(plain, by=found.operand, each=True)
            yield PlacedPart(one, at, end + 1, found.cost)
    for last, found in text.names(end + (text.word(end) in ("in", "by"))):
        is_open = text.vocabulary.states.is_open(text.word(end))  # `the most open tickets`
        if found.role == "measure" or (found.role == "time" and not nouns and not is_open):
            one = replace(plain, by=found.operand, judged=part.judged)
            yield PlacedPart(one, at, last, found.cost)
    yield from _of_open(text, at, end, plain)
    if counting and text.word(end) in UNIT_NAMES:
        for measure, _ in measures_in(text.word(end), text.vocabulary):
            yield PlacedPart(replace(plain, by=measure), at, end + 1, 0.06)
    for link in text.vocabulary.model.relationships:
        if link.back and link.dataset == link.to and text.word(end) == link.back:
            many = NounPart(link.dataset, (link.name,))  # `who has the most reports`
            yield PlacedPart(replace(plain, counted=many), at, end + 1, 0.0)
    for last, dataset, cost in nouns if counting else ():
        yield PlacedPart(replace(plain, counted=NounPart(dataset)), at, last, cost)


def _of_open(text: Text, at: int, begin: int, part: ExtremePart) -> Iterator[PlacedPart]:
    """`most books still out`: by the number of rows of such things that are not over."""
    if text.word(begin - 1) not in ("most", "least", "fewest"):
        return
    for end, found in text.names(begin):
        behind = text.lowers[end : end + 3]
        is_open = any(text.vocabulary.states.is_open(each) for each in behind)
        if is_open and isinstance(found.operand, FieldRef) and found.role != "measure":
            rows = NounPart(found.operand.dataset)
            yield PlacedPart(replace(part, counted=rows), at, end, found.cost + 0.08)


def _of_times(text: Text, at: int) -> Iterator[PlacedPart]:
    """`opened last`, `joined most recently`: the first in the order of a time."""
    for end, found in text.names(at):
        order = text.phrase(_LAST, end)
        if found.role == "time" and order is not None and found.cost < 0.3:
            yield PlacedPart(
                ExtremePart(order[0], 1, found.operand), at, order[1], found.cost + 0.02
            )


def _of_deeds(text: Text, at: int, begin: int, n: int, place: int) -> Iterator[PlacedPart]:
    """`most borrowed`, `lent most often`: by the number of rows that record the deed."""
    word, end = text.word(begin), begin
    if word in ("most", "least"):
        end = begin + 1 + (text.word(begin + 1) in ("often", "frequently"))
        for dataset in recorded(text.word(end), text)[:1]:
            part = ExtremePart(word == "most", n, None, NounPart(dataset), place, each=True)
            yield PlacedPart(part, at, end + 1, 0.05)
    elif text.word(at + 1) in ("most", "least") and text.word(at + 2) in ("often", "frequently"):
        for dataset in recorded(text.word(at), text)[:1]:
            part = ExtremePart(text.word(at + 1) == "most", counted=NounPart(dataset))
            yield PlacedPart(part, at, at + 3, 0.04)


def _count_at(text: Text, at: int) -> int | None:
    """How many are asked for; None where no such number stands."""
    count = text.number(at)
    share = "%" in text.word(at) or text.word(at + 1) in ("%", "percent")
    fits = isinstance(count, int) and not share and 0 < count <= 1000
    return count if fits and isinstance(count, int) else None


def _of_manner(text: Text, at: int, begin: int, n: int, place: int) -> Iterator[PlacedPart]:
    """`best-paid`, `top-selling`: the two words in one."""
    first, hyphen, second = text.word(begin).partition("-")
    if not hyphen or first not in ("best", "top", "highest", "worst", "lowest", "least", "most"):
        return
    for found, _ in text.vocabulary.measured(second)[:4]:
        more = first not in ("worst", "lowest", "least")
        yield PlacedPart(
            ExtremePart(more, n, found.operand, None, place, each=True), at, begin + 1, found.cost
        )
