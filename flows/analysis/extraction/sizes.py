"""Numbers that a sentence gives by what measures them: `a carton is 60 cm long`, `it weighs 2 kg`,
`assembly takes an hour`, `each carton holds 12 pieces`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from flows.analysis.extraction.amounts import amount_in
from flows.analysis.extraction.cells import FieldReading
from flows.analysis.extraction.fields import NamedField
from flows.analysis.extraction.labels import label_terms, names_of
from flows.analysis.extraction.values import is_measured, is_value
from flows.analysis.functions.terms import term
from flows.analysis.language.vocabulary import MEASURING, SCALES

NUMBER_PLACE: Final = re.compile(
    r"(?<![\w.,])[+\u2212-]?\d|\b[a-z]+(?:-[a-z]+)?(?= )", re.IGNORECASE
)
_WORD: Final = re.compile(r"\s*([a-z]+)\b", re.IGNORECASE)
_VERB: Final = re.compile(
    r"([a-z]+)(?:\s+(?:about|around|approximately|only|up to|some))?\s*$", re.IGNORECASE
)
_HOLDERS: Final = re.compile(r"\b(?:each|every|per|a|an|one|the)\s+([^\W\d_]+)", re.IGNORECASE)
_LASTING: Final = dict.fromkeys(("take", "takes", "took", "taking"), ("time", "duration"))
_BEFORE: Final = re.compile(r"\s*(?:(?:the|a|an)\s+)?$", re.IGNORECASE)


def measured(sentence: str, fields: Sequence[NamedField]) -> Iterator[FieldReading]:
    """The values of number fields by an adjective behind them or a verb before them."""
    for each in NUMBER_PLACE.finditer(sentence):
        amount = amount_in(sentence[each.start() :])
        if not amount:
            continue
        before = sentence[: each.start()]
        rest = sentence[each.start() + len(amount) :]
        words: Sequence[str] = ()
        if adjective := _WORD.match(rest):
            words = [name for name, more in SCALES.get(adjective[1].casefold(), ()) if more]
        if not words and (verb := _VERB.search(before)):
            low = verb[1].casefold()
            words = MEASURING.get(low, _LASTING.get(low, ()))
        if words:
            yield from _of_subject(fields, words, amount, before)


def contained(sentence: str, fields: Sequence[NamedField]) -> Iterator[FieldReading]:
    """How many of one are in another, for a field such as `pieces per carton`."""
    holders = {term(each[1]) for each in _HOLDERS.finditer(sentence)}
    for field in fields:
        for name in names_of(field):
            inner, per, outer = name.partition(" per ")
            if not per or not label_terms(outer) <= holders:
                continue
            counted = r"\s+".join(map(re.escape, inner.split()))
            for each in re.finditer(rf"\b{counted}\b", sentence, re.IGNORECASE):
                amount = amount_before(sentence[: each.start()])
                if amount and is_value(amount, field):
                    yield FieldReading(field, amount)


def amount_before(text: str, between: re.Pattern[str] = _BEFORE) -> str:
    """The amount that a text ends with, with what may stand `between` it and the end."""
    start = max(0, len(text) - 90)
    for each in reversed(list(NUMBER_PLACE.finditer(text, start))):
        amount = amount_in(text[each.start() :])
        if not amount:
            continue
        rest = text[text.index(amount, each.start()) + len(amount) :]
        if between.fullmatch(rest) is None:
            return ""
        return _longest(text, each.start(), amount, between)
    return ""


def _longest(text: str, at: int, amount: str, between: re.Pattern[str]) -> str:
    """The whole of a number in words: `two hundred and ten` and not `ten`."""
    for each in reversed(list(NUMBER_PLACE.finditer(text, max(0, at - 60), at))):
        longer = amount_in(text[each.start() :])
        if len(longer) <= len(amount) or not longer.endswith(amount):
            continue
        if between.fullmatch(text[text.index(longer, each.start()) + len(longer) :]):
            amount = longer
    return amount


def _of_subject(
    fields: Sequence[NamedField], words: Sequence[str], amount: str, before: str
) -> Iterator[FieldReading]:
    """The field of what is spoken of before a number: of `carton length` a carton."""
    around = label_terms(before)
    for field in fields:
        for name in names_of(field):
            terms = label_terms(name)
            own = terms & {term(each) for each in words}
            is_meant = len(own) == 1 and terms != own and terms - own <= around
            if is_meant and is_measured(amount, field) and is_value(amount, field):
                yield FieldReading(field, amount)
                break
