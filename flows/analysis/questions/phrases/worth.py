"""What one sale comes to: `order value`, `basket size`, `AOV`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from flows.analysis.questions.parts import FigurePart, FormPart, NamedPart, Operand, PlacedPart
from flows.analysis.questions.text import Text
from flows.analysis.questions.vocabulary import Vocabulary

_WORTH = frozenset(["value", "values", "size", "sizes", "worth", "amount", "amounts", "totals"])
_BASKETS = frozenset(["basket", "cart", "bill", "receipt", "ticket", "check", "deal"])
_GUESTS = frozenset(["people", "persons", "guests", "spectators", "visitors", "passengers", "fans"])
_FITTING = frozenset(
    ["fit", "fits", "hold", "holds", "seat", "seats", "accommodate", "accommodates"]
)
_SALES: Final = ("order", "sale", "invoice", "transaction", "purchase", "receipt")
_FIGURES: Final = ("revenue", "amount", "total", "sales", "value")
_WORST: Final = 0.3


def read_worth(text: Text, at: int) -> Iterator[PlacedPart]:
    """`average order value`, `basket size`, `AOV`: the figure of money of a row."""
    if text.word(at) == "aov":
        for dataset, cost in _sales(text.vocabulary):
            for operand, paid in _money_of(dataset, text.vocabulary):
                yield PlacedPart(FigurePart("average", operand), at, at + 1, cost + paid)
    for end, dataset, cost in _rows(text, at):
        for operand, paid in _money_of(dataset, text.vocabulary):
            yield PlacedPart(NamedPart(operand), at, end, cost + paid)


def read_capacity(text: Text, at: int) -> Iterator[PlacedPart]:
    """`how many people fit into it`: how much room there is, and not how many there are."""
    if not text.sees(at, "how", "many") or text.word(at + 2) not in _GUESTS:
        return
    place = next((each for each in range(at + 3, len(text)) if text.word(each) in _FITTING), None)
    for word in ("capacity", "seat", "place") if place is not None else ():
        for found in text.vocabulary.fields([word]):
            if found.role == "measure" and found.cost < _WORST:
                yield PlacedPart(NamedPart(found.operand), at, at + 3, found.cost + 0.05)


def read_fitting(text: Text, at: int) -> Iterator[PlacedPart]:
    """The verb of `how many people fit into it`."""
    if text.word(at) in _FITTING and text.sees(0, "how", "many") and text.word(2) in _GUESTS:
        end = at + 1 + (text.word(at + 1) in ("in", "into", "inside", "at"))
        yield PlacedPart(FormPart(), at, end, 0.03)


def _rows(text: Text, at: int) -> Iterator[tuple[int, str, float]]:
    """The rows whose worth is named at a place, with the place behind it."""
    for end, dataset, cost in text.nouns(at):
        if text.word(end) in _WORTH:
            yield end + 1, dataset, cost
    if text.word(at) in _BASKETS and text.word(at + 1) in _WORTH:
        for dataset, cost in _sales(text.vocabulary):
            yield at + 2, dataset, cost + 0.1


def _sales(vocabulary: Vocabulary) -> Iterator[tuple[str, float]]:
    for word in _SALES:
        yield from vocabulary.noun([word])


def _money_of(dataset: str, vocabulary: Vocabulary) -> Iterator[tuple[Operand, float]]:
    """The figures of money that the rows of a dataset have, the likeliest first."""
    for rank, word in enumerate(_FIGURES):
        for found in vocabulary.fields([word]):
            usual = found.role == "measure" and found.cost < _WORST
            if usual and vocabulary.home(found.operand) == dataset:
                yield found.operand, found.cost + 0.04 * rank + 0.03
