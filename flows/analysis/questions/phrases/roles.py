"""Rows by what they are to others: `support rep`, `home team Ajax`, `reports to Ann`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import NounPart, PlacedPart, RolePart
from flows.analysis.questions.roles import hierarchies, moves_of, roles_of
from flows.analysis.questions.text import Text

_UNDER: Phrases[str] = Phrases({
    "": "reports to|report to|reporting to|reported to|managed by|works for|work for|working for"
    "|working under|led by|supervised by|works under|work under|direct reports of|reports of"
    "|has as manager|have as manager",
})  # fmt: skip
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
    for end in range(min(at + 3, len(text)), at, -1):
        for each, cost in roles_of(text.lowers[at:end], model):
            yield PlacedPart(NounPart(each.to, (each.name,)), at, end, cost)
            tied = end + (text.word(end) in _TIES)
            yield PlacedPart(RolePart(each.name), at, tied, cost + 0.02)
    if text.word(at + 1) in ("from", "to", "at", "in"):
        for each in moves_of(text.word(at), model):
            yield PlacedPart(RolePart(each.name), at, at + 2, 0.05)
