"""Figures that business has names for: `conversion rate`, `cost per click`, `stock value`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.language.phrasebook import Phrases
from flows.analysis.questions.parts import Operand, PlacedPart, ProductPart, RatioPart
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

# The words of columns above and below the line, by what people call the ratio.
_RATIOS: Phrases[tuple[str, str, float]] = Phrases({
    ("clicks", "impressions views", 1.0): "click through rate|click - through rate|ctr|click rate"
    "|clickthrough rate|click-through rate",
    ("conversions orders purchases", "clicks sessions visits visitors", 1.0): "conversion rate|cvr",
    ("spend cost", "clicks", 1.0): "cpc|cost per click",
    ("spend cost", "conversions orders purchases", 1.0): "cpa|cost per acquisition|cost per action"
    "|cost per conversion|cost per order",
    ("spend cost", "leads", 1.0): "cpl|cost per lead",
    ("spend cost", "impressions", 1000.0): "cpm|cost per mille|cost per thousand impressions",
    ("revenue sales", "spend cost", 1.0): "roas|return on ad spend|return on advertising spend",
    ("opens opened", "sent delivered", 1.0): "open rate",
    ("returns returned", "sold sales orders", 1.0): "return rate",
    ("profit margin", "revenue sales", 1.0): "profit margin|margin rate",
})  # fmt: skip
_OVER: Phrases[str] = Phrases({"over": "divided by|over|/|relative to|in relation to"})
_TIMES: Phrases[str] = Phrases({"times": "times|x|\u00d7|*|multiplied by|multiplied with"})
_WORTH: Final = ("value", "worth")
_STOCK: Final = ("stock", "inventory")
_AMOUNTS: Final = frozenset(["quantity", "qty", "stock", "units", "pieces", "inventory", "hand",
                             "shares", "volume", "count", "nights", "hours", "seats"])  # fmt: skip
_PRICES: Final = frozenset(["price", "cost", "rate", "fee"])
_PRICED: Final = frozenset(["price", "prices", "proceeds"])


def read_known_ratio(text: Text, at: int) -> Iterator[PlacedPart]:
    """`CTR`, `cost per click`: where the data have both of its figures and not itself."""
    known = text.phrase(_RATIOS, at)
    if known is None:
        return
    (above, below, scale), end = known
    for top, cost in _measures(text, above.split()):
        for bottom, more in _measures(text, below.split()):
            if top != bottom and _home(top) == _home(bottom):
                yield PlacedPart(RatioPart(top, bottom, scale), at, end, 0.02 + cost + more)
                return


def _measures(text: Text, words: Sequence[str]) -> Iterator[tuple[Operand, float]]:
    for place, word in enumerate(words):
        for found in text.vocabulary.fields([word]):
            if found.role == "measure" and found.cost < 0.2:
                yield found.operand, found.cost + 0.02 * place


def _home(operand: Operand) -> str:
    return operand.dataset if isinstance(operand, FieldRef) else ""


def _is_near(text: Text, one: Operand, other: Operand) -> bool:
    """Whether two measures are of the same rows, or the one's rows lead to the other's."""
    homes = text.vocabulary.home(one), text.vocabulary.home(other)
    return homes[0] == homes[1] or text.vocabulary.leads(*homes)


def read_quotient(text: Text, at: int) -> Iterator[PlacedPart]:
    """`revenue divided by spend`, `ratio of stock to demand`."""
    of = text.sees(at, "ratio", "of") or text.sees(at, "ratio", "between")
    for end, top in text.names(at + 2 if of else at):
        if top.role != "measure" or top.cost > 0.35:
            continue
        sign = text.phrase(_OVER, end)
        if sign is None and of and text.word(end) in ("to", "and"):
            sign = "over", end + 1
        if sign is None or (not of and text.word(end) == "over"):
            continue
        for last, bottom in text.names(sign[1]):
            if bottom.role == "measure" and _is_near(text, top.operand, bottom.operand):
                part = RatioPart(top.operand, bottom.operand)
                yield PlacedPart(part, at, last, top.cost + bottom.cost)


def read_times(text: Text, at: int) -> Iterator[PlacedPart]:
    """`kWh times price`, `minutes x households`: the product of two measures, of one row or of the
    row that it leads to."""
    for end, one in text.names(at):
        sign = text.phrase(_TIMES, end)
        if sign is None or one.role != "measure" or not isinstance(one.operand, FieldRef):
            continue
        for last, other in text.names(sign[1]):
            if other.role != "measure" or not isinstance(other.operand, FieldRef):
                continue
            if other.operand == one.operand or "(" in text.raw(at, last):
                continue
            stated = text.is_bracketed(at, last)
            homes = one.operand.dataset, other.operand.dataset
            if text.vocabulary.leads(*homes) or text.vocabulary.leads(*reversed(homes)):
                part = ProductPart(one.operand, other.operand, stated)
                yield PlacedPart(part, at, last, one.cost + other.cost)


def read_price(text: Text, at: int) -> Iterator[PlacedPart]:
    """`average price per tonne`: what was paid divided by the amount, where no column has it."""
    if text.word(at) not in _PRICED or text.word(at + 1) != "per":
        return
    for end, below in text.names(at + 2):
        if below.role != "measure" or below.cost > 0.3 or not isinstance(below.operand, FieldRef):
            continue
        dataset = below.operand.dataset
        if _called(text, dataset, _PRICES):
            continue
        for found in text.vocabulary.fields(["revenue"]):
            if _home(found.operand) == dataset and found.role == "measure":
                part = RatioPart(found.operand, below.operand)
                yield PlacedPart(part, at, end, found.cost + below.cost)


def read_product(text: Text, at: int) -> Iterator[PlacedPart]:
    """`stock value`, `value of the inventory`: an amount times what one of it costs."""
    named = at + (text.word(at) in ("total", "overall", "whole"))
    if text.word(named) in _STOCK and text.word(named + 1) in _WORTH:
        for dataset in text.vocabulary.model.datasets:
            yield from _stock(text, at, named + 2, dataset.name)
    begin = at
    if text.word(at) in _WORTH and text.word(at + 1) == "of":
        begin = at + 2
    for end, found in text.names(begin):
        if found.role != "measure" or not isinstance(found.operand, FieldRef) or found.cost > 0.4:
            continue
        if begin == at and text.word(end) not in _WORTH:
            continue
        field = found.operand
        prices = _called(text, field.dataset, _PRICES)
        if field in _called(text, field.dataset, _AMOUNTS) and prices:
            last = end if begin > at else end + 1
            yield PlacedPart(
                ProductPart(field, prices[0]), at, last, found.cost / 2 + 0.05 * len(prices)
            )


def _stock(text: Text, at: int, end: int, dataset: str) -> Iterator[PlacedPart]:
    amounts, prices = _called(text, dataset, _AMOUNTS), _called(text, dataset, _PRICES)
    if amounts and prices:
        cost = 0.02 * (len(amounts) + len(prices) - 1)
        yield PlacedPart(ProductPart(amounts[0], prices[0]), at, end, cost)


def _called(text: Text, dataset: str, words: frozenset[str]) -> list[FieldRef]:
    """The measures of a dataset in whose names one of these words stands."""
    found = [
        each.operand
        for each in text.vocabulary.names
        if each.dataset == dataset and each.role == "measure" and words & set(each.words)
    ]
    return [each for each in dict.fromkeys(found) if isinstance(each, FieldRef)]
