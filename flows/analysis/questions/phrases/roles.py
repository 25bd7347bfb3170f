"""Rows by what they are to others: `support rep`, `home team Ajax`, `reports to Ann`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.concepts import form_of
from flows.analysis.questions.parts import AgainstPart, KnownPart, NounPart, PlacedPart, RolePart
from flows.analysis.questions.phrases.values import values_at
from flows.analysis.questions.roles import (
    deeds_of,
    hierarchies,
    is_modifier,
    moves_of,
    roles_of,
)
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef, Operator

_UNDER: Phrases[str] = Phrases({
    "": "reports to|report to|reporting to|reported to|managed by|works for|work for|working for"
    "|working under|led by|supervised by|works under|work under|direct reports of|reports of"
    "|has as manager|have as manager",
})  # fmt: skip
_OWN = frozenset(["their", "his", "her", "its", "own"])
_SIDES: dict[str, Operator] = {
    "more": ">", "higher": ">", "larger": ">", "bigger": ">", "greater": ">", "less": "<",
    "lower": "<", "smaller": "<",
}  # fmt: skip
_TIES = frozenset(["from", "to", "at", "in", "by", "is", "was", "as"])


def read_role(text: Text, at: int) -> Iterator[PlacedPart]:
    model = text.vocabulary.model
    if not any(each.role for each in model.relationships):
        return
    under = text.phrase(_UNDER, at)
    if under is not None:
        for each in hierarchies(model):
            if under[1] < len(text):
                yield PlacedPart(RolePart(each.name), at, under[1])
            elif text.word(at) == "report":
                yield PlacedPart(NounPart(each.to, (each.name,)), at, under[1], 0.02)
    yield from _adverbs(text, at)
    if text.word(at) in ("no", "without"):  # `who has no boss`
        begin = at + 1 + (text.word(at + 1) == "any")
        for each, cost in roles_of(text.lowers[begin : begin + 1] or [""], model):
            field = FieldRef(dataset=each.dataset, field=each.fields[0])
            if each.dataset == each.to:
                yield PlacedPart(KnownPart(field, False), at, begin + 1, cost)
    for each in deeds_of(text.word(at), model):
        # `sent by`: the persons whose values follow, or stand before
        if not _is_spoken_of(each.to, text, at):
            continue
        yield PlacedPart(RolePart(each.name), at, at + 1 + (text.word(at + 1) == "by"), 0.04)
    for end in range(min(at + 3, len(text)), at, -1):
        for each, cost in roles_of(text.lowers[at:end], model):
            yield PlacedPart(NounPart(each.to, (each.name,)), at, end, cost)
            tied = end + (text.word(end) in _TIES)
            yield PlacedPart(RolePart(each.name), at, tied, cost + 0.02)
    if text.word(at + 1) in ("from", "to", "at", "in", "by"):
        for each in moves_of(text.word(at), model):
            yield PlacedPart(RolePart(each.name), at, at + 2, 0.05)


def read_above(text: Text, at: int) -> Iterator[PlacedPart]:
    """`earn more than their manager`, `older than their boss`: a figure of a row, and that of the
    row that it refers to."""
    than = next((place for place in range(at + 1, at + 4) if text.word(place) == "than"), None)
    if than is None or text.word(than + 1) not in _OWN:
        return
    more = _SIDES.get(text.word(than - 1)) or _SIDES.get(text.word(at))
    figures = [(each, up) for each, up in text.vocabulary.measured(text.word(at))]
    if text.word(at) in _SIDES:
        figures = [(each, True) for end, each in text.names(at + 1) if end == than]
    elif than == at + 1 and form_of(text.word(at)) == 1:
        more = ">"
    if more is None:
        return
    for end in range(than + 3, min(than + 4, len(text)) + 1):
        for link, cost in roles_of(text.lowers[than + 2 : end], text.vocabulary.model):
            for found, up in figures:
                own = found.operand
                if isinstance(own, FieldRef) and own.dataset == link.dataset == link.to:
                    other = own.model_copy(update={"via": (link.name,)})
                    operator: Operator = ">" if (more == ">") == up else "<"
                    part = AgainstPart(operator, other, own)
                    yield PlacedPart(part, at, end, cost + found.cost / 2)


def _is_spoken_of(dataset: str, text: Text, at: int) -> bool:
    """Whether rows or values of a dataset are named besides the word at a place."""
    for place in range(len(text)):
        if place != at and any(name == dataset for _, name, _ in text.nouns(place)):
            return True
        if any(
            field.dataset == dataset for _, field, _, cost in values_at(text, place) if cost < 0.1
        ):
            return True
    return False


def _adverbs(text: Text, at: int) -> Iterator[PlacedPart]:
    """`at home`, `away`, `home games`, `as destination`: which of the roles it is."""
    begin = at + (text.word(at) in ("at", "as"))
    if text.word(begin) in _TIES:
        return
    for each in text.vocabulary.model.relationships:
        if not each.role or not is_modifier([text.word(begin)], each, text.vocabulary.model):
            continue
        rows = any(dataset == each.dataset for _, dataset, _ in text.nouns(begin + 1))
        yield PlacedPart(RolePart(each.name), at, begin + 1, 0.02 if rows or begin > at else 0.1)
