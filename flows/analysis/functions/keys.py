"""Which key of a result a question names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.meanings import KIN, likeness, meanings
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.records import Scalar
from flows.analysis.functions.terms import identifier_terms, term, term_set
from flows.analysis.language.vocabulary import UNITS
from flows.analysis.questions.concepts import scale_of

_UNITS: Final = frozenset(term(each) for each in UNITS) | {"day", "hour", "minut"}
# Endings of keys that a question may leave out: the name of a customer is the customer.
_LOOSE: Final = term_set("""
    id name code number value amount date at level key total count no on current text title utc
""")
_IDENTIFIERS: Final = term_set("id number code no reference ref key")
# Keys that name a record, the best first.
_NAMES: Final = ("name", "title", "label", "full_name", "fullname", "display_name", "subject")
SURE: Final = 0.6
# What the unit in a key is worth, and the words of a description for it.
_UNIT_NAMED: Final = 0.62
_NOTED_FIRST, _NOTED, _MOST_NOTED = 0.55, 0.1, 0.8
# What stands before a word that only says of what kind a value is.
_LINKS: Final = (("of",), ("for",), ("in",), ("on",), ("at",), ("by",), ("with",), ("from",))
# Superlatives of time.
TIMES: Final = (
    "latest", "newest", "earliest", "oldest", "recent", "later", "newer", "earlier", "older",
)  # fmt: skip
# Keys that say since when something is.
_BEGINNINGS: Final = term_set("since start started begin began joined opened founded built from")
# Units of time, in which keys say how long something is.
_SPANS: Final = identifier_terms("night day week month hour minute second")
# Keys that say a price, beside the words of the scale of `cheap`.
_PRICED: Final = identifier_terms("rate tariff rent total value")


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """A key and how surely the question names it, from 0 to about 1.3; `hinted` says that it is of
    the kind that the question word asks for."""

    key: str
    score: float
    word: int = 0
    hinted: bool = False


def match_key(key: str, around: Sequence[str], wanted: QuestionIntent) -> KeyMatch:
    """How surely a question names a key; `around` are the terms of the names around it."""
    parts = identifier_terms(key.rsplit("/", 1)[-1])
    outer = (*around, *(each for name in key.split("/")[:-1] for each in identifier_terms(name)))
    telling = [each for each in parts if each not in _UNITS] or list(parts)
    firm = [each for each in telling if each not in _LOOSE]
    likes: dict[str, float] = {}
    place = len(wanted.words)
    numbered, labels = _numbered(wanted.text), _labels(wanted.text)
    for index, word in enumerate(wanted.words):
        if word in labels:
            continue  # `of visit V-24/0304` says of what something is asked
        for each in telling:
            like = likeness(word, each)
            if word in numbered and like < KIN and each not in _IDENTIFIERS:
                continue  # an invoice number is not the amount of the invoice
            if like > likes.get(each, 0.0):
                likes[each] = like
                place = min(place, index)
    own = sum(likes.values()) / len(telling)
    own = max(own, _in_unit(parts, telling, wanted), _noted(key, wanted))
    if firm and len(firm) < len(telling):  # `customer_name` for "customer": nearly the same
        loose = 0.85 * sum(likes.get(each, 0.0) for each in firm) / len(firm)
        own = max(own, loose)
    named = (*(_measured(parts) if wanted.unit else telling), *wanted.notes.of(key))
    hinted = any(each in map(term, wanted.hints) for each in named)
    score = own + (0.3 if hinted else 0.0)
    if score and any(likeness(word, each) for word in wanted.words for each in outer):
        score += 0.15
    if score:
        score += 0.06 * (1.0 - place / max(1, len(wanted.words)))
    return KeyMatch(key, score, place, hinted)


def _in_unit(parts: Sequence[str], telling: Sequence[str], wanted: QuestionIntent) -> float:
    """How surely a question names the unit in a key: the minutes of `minutes_lost`."""
    units = [each for each in parts if each not in telling]
    named = any(likeness(word, each) >= KIN for word in wanted.words for each in units)
    return _UNIT_NAMED if named else 0.0


def _noted(key: str, wanted: QuestionIntent) -> float:
    """How surely a question names a key by the words that its function describes it with."""
    noted = wanted.notes.of(key)
    found = sum(any(likeness(word, each) >= KIN for word in wanted.words) for each in noted)
    return min(_MOST_NOTED, _NOTED * found + _NOTED_FIRST) if found else 0.0


def _measured(parts: Sequence[str]) -> Sequence[str]:
    """The terms of a key without the unit that it is per: a price per metre is no length."""
    return parts[: parts.index("per")] if "per" in parts else parts


@lru_cache(maxsize=256)
def _numbered(text: str) -> frozenset[str]:
    """The things whose number, id or code a question asks for."""
    found = re.findall(r"\b([a-z]+)(?:'s)? (?:number|id|code)\b", text.casefold())
    return frozenset([*found, "number"]) if found else frozenset()


@lru_cache(maxsize=256)
def _labels(text: str) -> frozenset[str]:
    """The words that say what the values of a question are: `for order KT-1`, `of client 7703`."""
    return frozenset(
        each.before[0] for each in mentions_of(text)
        if each.kind in ("code", "number") and not each.unit and not each.measure
        and tuple(e for e in each.before[1:3] if e != "the")[:1] in _LINKS
    )  # fmt: skip


def best_key(keys: Sequence[str], around: Sequence[str], wanted: QuestionIntent) -> KeyMatch | None:
    """The key that a question names most surely; None where it names none."""
    found = [match_key(each, around, wanted) for each in keys]
    found = [each for each in found if each.score > 0.25]
    return max(found, key=lambda each: each.score, default=None)


def hinted_key(keys: Sequence[str], wanted: QuestionIntent) -> str | None:
    """The key of the kind that the question word asks for: the one that comes first in the order of
    the hints."""
    hints = [part for each in wanted.hints for part in identifier_terms(each)]
    places = {
        key: min((hints.index(each) for each in identifier_terms(key) if each in hints), default=-1)
        for key in keys
        if match_key(key, (), wanted).hinted
    }
    whole = " per " not in f" {wanted.text.casefold()} "
    found = [key for key, place in places.items() if place >= 0]
    return min(
        found,
        key=lambda key: (whole and "per" in identifier_terms(key), places[key]),
        default=None,
    )


def name_key(keys: Sequence[str]) -> str | None:
    """The key that names a record: its name or title, else its id."""
    last = {each.rsplit("/", 1)[-1].casefold(): each for each in reversed(keys)}
    if found := next((last[each] for each in _NAMES if each in last), None):
        return found
    named = [
        each
        for each in keys
        if identifier_terms(each)[-1:] in (("nam",), ("name",), ("titl",), ("title",))
    ]
    ids = [
        each
        for each in keys
        if identifier_terms(each)[-1:]
        in (("id",), ("cod",), ("code",), ("key",), ("sku",), ("numb",))
    ]
    if "@key" in keys:
        ids.insert(0, "@key")
    return next(iter([*named, *ids]), keys[0] if len(keys) == 1 else None)


def ranked_key(keys: Sequence[str], wanted: QuestionIntent) -> str | None:
    """The numeric or dated key that a superlative speaks of."""
    meant = [term(name) for name, _ in scale_of(wanted.ranking)]
    meant += [each for each in meanings(wanted.ranking) if each not in meant]
    if "pric" in meant:
        meant += _PRICED
    if wanted.ranking in TIMES:
        meant += ["dat", "date", "tim", "time", "at", "creat"]
    if term("duration") in meant:
        meant += _SPANS
    for each in meant:
        if found := next((key for key in keys if each in _own_terms(key)), None):
            return found
    found_key = best_key(keys, (), wanted)
    return None if found_key is None else found_key.key


def is_least_wanted(key: str, wanted: QuestionIntent) -> bool:
    """Whether a superlative asks for the least of a key: the oldest house is that of the earliest
    year, and the oldest person that of the highest age."""
    parts, scale = _own_terms(key), scale_of(wanted.ranking)
    if any(name == "duration" for name, _ in scale) and _BEGINNINGS.intersection(parts):
        return not wanted.ascending  # who is there the longest came first
    found = [rising for name, rising in scale if term(name) in parts]
    return not found[0] if found else wanted.ascending


def _own_terms(key: str) -> tuple[str, ...]:
    """The terms of a key without those of the objects around it."""
    return identifier_terms(key.rsplit("/", 1)[-1])


def is_number(value: Scalar | None) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
