"""Set phrases for what sells and who pays most: `best seller`, `flying off the shelves`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.language.words import singular
from flows.analysis.questions.parts import ExtremePart, NounPart, PlacedPart
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

# Each: words of the measure, the likeliest first; then words for what is ranked by it.
_MEANINGS: Final = {
    "sold": ("quantity units qty pieces sold copies revenue sales", "product article item sku"),
    "spender": ("revenue sales spend amount total", "customer client buyer account guest member"),
    "earner": ("salary wage pay income earnings", "employee worker staff person"),
    "seller": ("revenue sales amount total quantity", "salesperson seller rep agent employee"),
}
_IDIOMS: Phrases[str] = Phrases({
    "sold": "flying off the shelves|flying off shelves|fly off shelves|selling like hot cakes"
    "|selling like hotcakes|best seller|best sellers|bestseller|bestsellers|top seller|top sellers"
    "|best selling|selling best|sells best|sell best|hot seller|selling most|most sold|moving fast"
    "|moves fastest|sells most|sell most|selling well",
    "-sold": "shelf warmer|shelf warmers|slow mover|slow movers|gathering dust|slow seller"
    "|slow sellers|worst seller|worst sellers|sitting on shelves|selling worst|sells worst"
    "|nobody buys|not selling|least sold|sells least",
    "spender": "biggest spender|biggest spenders|top spender|top spenders|spends most"
    "|big spender|big spenders|largest spender|highest spender|highest spenders",
    "earner": "top earner|top earners|highest earner|highest earners|biggest earner"
    "|biggest earners|best earner|best earners",
    "seller": "best salesperson|top salesperson|best rep|top rep",
})  # fmt: skip
_TOPS = frozenset(["top", "biggest", "best", "highest", "largest"])
_DOERS: Final = {"spenders": "spender", "earners": "earner", "sellers": "sold", "buyers": "spender"}
_WORST: Final = 0.45


def read_idiom(text: Text, at: int) -> Iterator[PlacedPart]:
    """`our biggest spender`: who or what is the first, and by which figure."""
    n, begin = 1, at
    if isinstance(count := text.number(at), int) and 0 < count <= 1000:
        n, begin = count, at + 1
    found = text.phrase(_IDIOMS, begin)
    if found is None and text.word(begin) in _TOPS and text.word(begin + 2) in _DOERS:
        found = _DOERS[text.word(begin + 2)], begin + 3
        n = count if isinstance(count := text.number(begin + 1), int) and 0 < count <= 1000 else 0
    if found is None or not n:
        return
    measures, things = (each.split() for each in _MEANINGS[found[0].lstrip("-")])
    more = not found[0].startswith("-")
    named = [(NounPart(dataset), cost) for _, dataset, cost in text.nouns(found[1])]
    for thing, cost in named or _called(text, things):
        for rank, word in enumerate(measures):
            for each in text.vocabulary.fields([word])[:2]:
                if each.role == "measure" and each.cost < _WORST:
                    paid = cost + each.cost / 2 + 0.04 * rank
                    yield PlacedPart(
                        ExtremePart(more, n, each.operand, of=thing), at, found[1], paid
                    )


def _called(text: Text, words: list[str]) -> Iterator[tuple[NounPart | FieldRef, float]]:
    """The rows or the field that one of these words calls."""
    for rank, word in enumerate(words):
        for dataset, cost in text.vocabulary.noun([singular(word)]):
            if cost < _WORST:
                yield NounPart(dataset), cost + 0.02 * rank
        for each in text.vocabulary.fields([word]):
            fits = each.role in ("category", "text", "identifier") and each.cost < _WORST
            if fits and isinstance(each.operand, FieldRef):
                yield each.operand, each.cost + 0.02 * rank + 0.02
