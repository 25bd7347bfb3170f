"""How a contest of two sides ended, by two figures of one row: `ended in a draw`, `home wins`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import split_identifier
from flows.analysis.questions.parts import AgainstPart, PlacedPart
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef, Operator

_RESULTS: Phrases[Operator] = Phrases({
    "=": "ended in a draw|end in a draw|ended in draws|ended level|ended drawn|finished level"
    "|finished in a draw|were drawn|was drawn|were draws|was a draw|drawn|draws|in a tie|were tied"
    "|ended in a tie|ended tied|ended all square|had no winner|without a winner|ended as a draw",
    ">": "home wins|home win|home victories|won by the home team|won by the home side"
    "|won by the hosts|won by home team|home team won|home side won|hosts won",
    "<": "away wins|away win|away victories|won by the away team|won by the away side"
    "|won by the visitors|won by the guests|won by away team|away team won|away side won",
})  # fmt: skip
_SIDES: Final = (("home", "away"), ("home", "visitor"), ("home", "guest"), ("host", "guest"),
                 ("host", "visitor"))  # fmt: skip
_SCORES: Final = frozenset(["goal", "goals", "score", "points", "runs", "result", "ft", "sets", ""])


def read_result(text: Text, at: int) -> Iterator[PlacedPart]:
    """`ended in a draw`: the figures of both sides are the same."""
    if (found := text.phrase(_RESULTS, at)) is None:
        return
    pairs = list(_pairs(text))
    for home, away in pairs:
        cost = 0.04 if len(pairs) == 1 else 0.2
        yield PlacedPart(AgainstPart(found[0], away, home), at, found[1], cost)


def _pairs(text: Text) -> Iterator[tuple[FieldRef, FieldRef]]:
    """The figures of two sides in one row: `goals_home` and `goals_away`."""
    for dataset in text.vocabulary.model.datasets:
        named = {
            tuple(split_identifier(each.name)): each.name for each in dataset.fields
            if each.role == "measure" or each.type in ("integer", "real")
        }  # fmt: skip
        for words, name in named.items():
            for home, away in _SIDES:
                other = named.get(tuple(away if each == home else each for each in words))
                rest = [each for each in words if each != home]
                if home in words and other is not None and _SCORES.issuperset(rest):
                    yield (
                        FieldRef(dataset=dataset.name, field=name),
                        FieldRef(dataset=dataset.name, field=other),
                    )
