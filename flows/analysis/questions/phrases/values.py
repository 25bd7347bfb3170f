"""Values of the data: `Sales`, `IT or HR`, `not Retail`, `chairs`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import (
    Phrases,
)
from flows.analysis.language.verbs import is_verb
from flows.analysis.language.vocabulary import OTHER_NAMES
from flows.analysis.questions.parts import (
    ContainingPart,
    GroupingPart,
    PlacedPart,
    ValuePart,
)
from flows.analysis.questions.text import Text
from flows.semantics.query import (
    FieldRef,
)

_NOT: Phrases[str] = Phrases({
    "not": "not|except|except for|excluding|other than|without|outside|outside of|apart from"
    "|but not|not in|besides|not counting|leaving out|ignoring|non|not from",
})  # fmt: skip

_LINKS: Phrases[str] = Phrases({
    "and": "and|,|or|& |as well as|plus|, and|, or|and also|and in|and from|and for|or in"
    "|or from|or in the",
    "versus": "vs|versus|vs .|against|compared to|compared with|than|rather than"
    "|compare to|than in|than from|compared to those in",
})  # fmt: skip

_OTHERS: Phrases[str] = Phrases({
    "": "|".join(
        f"{link} {rest}"
        for link in ("and", "against", "vs", "versus", "or", "compared with", "compared to", "than")
        for rest in ("others", "other ones", "rest", "all others", "not", "all other ones")
    ),
})  # fmt: skip
_GOING = {
    **dict.fromkeys(("go", "goes", "went", "gone", "moved", "shipped"), ("out", "in")),
    **dict.fromkeys(("come", "comes", "came", "received"), ("in",)),
}
# Behind a value they only say that it is one of people, where the data have no such rows.
_PEOPLE = frozenset(
    [
        "customers",
        "clients",
        "people",
        "users",
        "buyers",
        "shoppers",
        "ones",
        "travellers",
        "travelers",
        "guests",
        "visitors",
        "passengers",
        "workers",
        "employees",
        "staff",
        "persons",
        "individuals",
        "folks",
        "participants",
        "members",
    ]
)


def read_others(text: Text, at: int) -> Iterator[PlacedPart]:
    """`irrigated fields and the others`: both sides of a column of yes and no."""
    for end, found in text.names(at):
        operand = found.operand
        if not isinstance(operand, FieldRef) or text.vocabulary.states.yes(operand) is None:
            continue
        last = next((each for each, _, _ in text.nouns(end)), end)
        if found.cost < 0.2 and (rest := text.phrase(_OTHERS, last)) is not None:
            yield PlacedPart(GroupingPart(operand), at, rest[1], found.cost + 0.02)


def read_value(text: Text, at: int) -> Iterator[PlacedPart]:
    """Values that stand in the data, one or several: `Sales`, `IT or HR`, `not Retail`."""
    if text.word(at) in _GOING and text.word(at + 1) in _GOING[text.word(at)]:
        where = text.tokens[at + 1]
        for field, value, cost in text.vocabulary.values.ways(where.lower):
            yield PlacedPart(ValuePart(field, (value,)), at, at + 2, cost)
    negated = text.phrase(_NOT, at)
    start = negated[1] if negated else at
    for end, field, value, cost in values_at(text, start):
        values: tuple[str, ...] = (value,)
        if text.word(start) in OTHER_NAMES and end == start + 1:
            # `US` for what is written `USA` and `United States`
            values = tuple(v for e, f, v, _ in values_at(text, start) if (e, f) == (end, field))
        versus, last = False, end
        held = negated is None
        token = text.tokens[start]
        if end == start + 1 and token.kind == "word":
            alike = text.vocabulary.values.beginning(field, value)
            if alike:
                every = ValuePart(field, (*values, *alike), held, begun=True)
                yield PlacedPart(every, at, end, cost)
                cost += 0.05
        yield PlacedPart(ValuePart(field, values, held), at, last, cost)
        while (link := text.phrase(_LINKS, last)) is not None:
            more = [
                (e, v) for e, f, v, _ in values_at(text, link[1]) if f == field and v not in values
            ]
            if not more:
                break
            last, following = max(more)
            values = (*values, following)
            versus = versus or link[0] == "versus"
            yield PlacedPart(ValuePart(field, values, held, versus), at, last, cost)
        for behind, found in text.names(last):
            if behind == last + 1 and found.operand == field:  # `double rooms`, `north region`
                yield PlacedPart(ValuePart(field, values, held, versus), at, behind, cost + 0.03)
        if text.word(last) in _PEOPLE and not any(text.nouns(last)):
            yield PlacedPart(ValuePart(field, values, held, versus), at, last + 1, cost + 0.05)


def values_at(text: Text, at: int) -> Iterator[tuple[int, FieldRef, str, float]]:
    """The values that stand at a place, each with the place behind it, its field and its cost."""
    for end in range(min(at + 6, len(text)), at, -1):
        span = text.tokens[at:end]
        if span[0].kind == "mark" or span[-1].kind == "mark":
            continue
        values = text.vocabulary.values
        found = values.find(text.raw(at, end), span) or values.find(text.said(at, end), span)
        if not found and end == at + 1 and at > 0:
            found = values.plain(span[0].lower)
            known = [each.cost for _, each in text.names(at)] + [c for *_, c in text.nouns(at)]
            if not found and min(known, default=1.0) > 0.2:
                found = values.forms_of(span[0].lower)
            if not found and not values.find(span[0].text, span):
                found = values.misspelled(span[0].lower)[:2]
        for field, value, cost in found[:4]:
            yield end, field, value, cost


def read_containing(text: Text, at: int) -> Iterator[PlacedPart]:
    """A word of values that have several: `chairs` of `Glass Chair`."""
    token = text.tokens[at]
    if token.kind not in ("word", "quoted") or is_verb(token.lower):
        return
    for field, word, cost in text.vocabulary.values.containing(token.lower)[:2]:
        if token.text[:1].isupper() and at > 0 and text.vocabulary.values.begins(field, word):
            cost /= 3  # `Contoso` of `Contoso Ltd` and `Contoso Labs`
        yield PlacedPart(ContainingPart(field, word), at, at + 1, cost)
