"""How long something takes: `how long until it is solved`, `how many days do customers stay`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.verbs import is_verb
from flows.analysis.questions.concepts import meanings_of
from flows.analysis.questions.parts import BoundPart, FormPart, MeasuredPart, PlacedPart
from flows.analysis.questions.phrases.numbers import comparison_at
from flows.analysis.questions.phrases.units import unit_at
from flows.analysis.questions.text import Text
from flows.analysis.questions.units import is_of_time
from flows.analysis.questions.vocabulary import NameMatch
from flows.semantics.query import Arithmetic, FieldRef

_LONG: Phrases[str] = Phrases({
    "": "how long|for how long|how much time|what time", "day": "how many days|number of days",
    "hour": "how many hours|number of hours", "minute": "how many minutes|number of minutes",
    "week": "how many weeks|number of weeks", "year": "how many years|number of years",
})  # fmt: skip
_TAKING = frozenset(
    ["take", "takes", "took", "need", "needs", "needed", "pass", "passes", "passed"]
)
_STAYING = frozenset(
    [
        "stay",
        "stays",
        "stayed",
        "remain",
        "remains",
        "remained",
        "last",
        "lasts",
        "lasted",
        "keep",
        "keeps",
        "kept",
        "stick",
        "sticks",
        "stuck",
    ]
)
_LASTING = frozenset(["last", "lasts", "lasted", "lasting", "took", "take", "takes", "taking"])
_OUT = frozenset(["out", "away", "open", "lent", "active", "rented", "borrowed", "kept", "used"])
_IS = frozenset(["is", "are", "was", "were", "stays", "stay", "stayed", "remains", "being"])
_BEFORE = frozenset(["to", "until", "before", "till"])
_FAR: Final = 9
_ENDS: Final = ("end", "ended", "left", "closed", "exit", "churned", "cancelled", "terminated",
                "discharged", "returned", "checkout", "back", "out", "finish",
                "completed")  # fmt: skip
_BETWEEN_TEXT = """
    on average they it he she we typically usually us with mean median a is are gets get
"""
_BETWEEN = frozenset(_BETWEEN_TEXT.split())


_SPANS = frozenset(
    ["days", "hours", "weeks", "months", "time", "duration", "gap", "delay", "interval"]
)


def _between_times(text: Text, at: int) -> Iterator[PlacedPart]:
    """`days from order to delivery`, `time between booking and arrival`."""
    if text.word(at) not in _SPANS or text.word(at + 1) not in ("from", "between"):
        return
    for middle, start in _times(text, at + 2):
        if text.word(middle) in ("to", "and", "until", "till"):
            for end, stop in _times(text, middle + 1):
                if start != stop and start.dataset == stop.dataset:
                    made = Arithmetic(operator="-", left=stop, right=start)
                    yield PlacedPart(MeasuredPart(made), at, end, 0.1)


def _times(text: Text, at: int) -> Iterator[tuple[int, FieldRef]]:
    """The times that words at a place name, or those of the rows that they call."""
    for end, found in text.names(at):
        if found.role == "time" and isinstance(found.operand, FieldRef):
            yield end, found.operand
    for end, dataset, _ in text.nouns(at):
        made = text.vocabulary.model.dataset(dataset)
        if made is not None and made.time:
            yield end, FieldRef(dataset=dataset, field=made.time)


def read_duration(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how long does it take to solve`: the time until something happens to a row."""
    yield from _between_times(text, at)
    asked = text.phrase(_LONG, at)
    if asked is None:
        return
    near = range(asked[1], min(asked[1] + _FAR, len(text)))
    taken = next((p for p in near if text.word(p) in _TAKING), 0)
    for place in range(taken + 1, min(taken + 6, len(text))) if taken else ():
        if text.word(place - 1) not in _BEFORE:
            continue
        for found in text.vocabulary.fields([text.word(place), "time"]):
            if isinstance(found.operand, Arithmetic) and not asked[0]:
                yield PlacedPart(MeasuredPart(found.operand), at, place + 1, found.cost)


def read_lasting(text: Text, at: int) -> Iterator[PlacedPart]:
    """`lasted over an hour`, `took more than 2 days`: the length of a row is compared."""
    if text.word(at) not in _LASTING:
        return
    begin = at + 1 + (text.word(at + 1) == "for")
    compared = comparison_at(text, begin)
    if compared is None or compared[1] == begin:
        return
    (operator, number), behind = compared
    end, unit = unit_at(text, behind)
    if not is_of_time(unit):
        return
    for found, up in text.vocabulary.measured("long")[:4]:
        if up and found.cost < 0.3:
            bound = BoundPart(operator, number, found.operand, unit)
            yield PlacedPart(bound, at, end, found.cost)


def read_stay(text: Text, at: int) -> Iterator[PlacedPart]:
    """`stay before they cancel`: the time of a row from its beginning to its end."""
    if text.word(at) not in _STAYING or not any(
        text.phrase(_LONG, p) is not None for p in range(at)
    ):
        return
    end = at + 1
    ended = end
    while text.word(ended) in _BETWEEN:
        ended += 1
    if text.word(ended) in _BEFORE:
        ended += 1
        while text.word(ended) in _BETWEEN:
            ended += 1
        ended += is_verb(text.word(ended)) or bool(meanings_of(text.word(ended)))
    else:
        ended = end
    for found in lives_of(text):
        yield PlacedPart(MeasuredPart(found.operand), at, end, found.cost + 0.05)
        between = {"median", "average", "mean"}.intersection(text.lowers[end:ended])
        if ended > end and not between:
            yield PlacedPart(MeasuredPart(found.operand), at, ended, found.cost + 0.05)


def read_being_out(text: Text, at: int) -> Iterator[PlacedPart]:
    """`days a book is out`, `time a case is open`: from the beginning of a row to its end."""
    if text.word(at) not in _SPANS:
        return
    for place in range(at + 1, min(at + 6, len(text))):
        word = text.word(place)
        if word in _OUT and text.word(place - 1) in _IS:
            begin = max((end for end, _, _ in text.nouns(at + 1)), default=at + 1)
            if begin == place - 1:
                for found in lives_of(text):
                    yield PlacedPart(MeasuredPart(found.operand), at, place + 1, found.cost + 0.05)


def read_until(text: Text, at: int) -> Iterator[PlacedPart]:
    """`on average before they cancel`, behind what says how long: the end is spoken of."""
    if text.word(at) != "before" or not any(each in _STAYING for each in text.lowers[:at]):
        return
    end = at + 1
    while text.word(end) in _BETWEEN:
        end += 1
    if is_verb(text.word(end)) or meanings_of(text.word(end)):
        yield PlacedPart(FormPart(), at, end + 1, 0.05)


def read_length(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how many days` of something that stays: the unit of the answer."""
    asked = text.phrase(_LONG, at)
    if asked is not None and any(each in _STAYING for each in text.lowers[asked[1] :]):
        yield PlacedPart(FormPart(unit=asked[0]), at, asked[1], 0.02)


def lives_of(text: Text) -> Iterator[NameMatch]:
    """The times from the beginning of a row to its end."""
    seen = set()
    for word in _ENDS:
        for found in text.vocabulary.fields([word, "time"]):
            if isinstance(found.operand, Arithmetic) and found.operand not in seen:
                seen.add(found.operand)
                yield found
