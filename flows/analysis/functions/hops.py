"""Arguments that earlier results fill: the customer of an order, for a function of customers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.fit import IDENTIFYING
from flows.analysis.functions.forms import shape
from flows.analysis.functions.records import Scalar, data_of, fields_of, lists_of
from flows.analysis.functions.schema import FunctionArgument
from flows.analysis.functions.terms import identifier_terms, related, term_set

# Arguments that say only that they take a key of whatever the function is about.
_GENERIC: Final = term_set("""
    id key keys code identifier ref reference name number no initials surname title symbol
    slug handle login email full first last short
""")
# Words of a field's name that say nothing of its thing: `cleaned_by`, `seen_at`.
_SMALL: Final = term_set("by of at in on for to from the")
_NAMES: Final = term_set("name surname title symbol")
_FORMED: Final = 0.25
_CAPITALS: Final = re.compile(r"[A-Z]{2,5}")
_EMAIL: Final = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_MARK: Final = re.compile(r"\d|(?<=\w)[._@/#-](?=\w)")
_LONG_NUMBER: Final = re.compile(r"(?<![\w-])\d{3,}(?![\w-])")
_MOST: Final = 10


@dataclass(frozen=True, slots=True)
class HopSource:
    """A value of a result that may fill an argument, and how surely, from 0 to 1."""

    value: Scalar
    score: float
    call: int


def values_for(
    argument: FunctionArgument, about: Sequence[str], results: Sequence[CallResult]
) -> tuple[HopSource, ...]:
    """The values of results that fit an argument best: all those of one key of one result, at most
    ten. `about` are the terms of the function's name."""
    best: tuple[HopSource, ...] = ()
    for result in results:
        if result.kind != "ok":
            continue
        for found in _groups(argument, about, result):
            if not best or found[0].score > best[0].score:
                best = found
    return best


def _groups(
    argument: FunctionArgument, about: Sequence[str], result: CallResult
) -> Iterator[tuple[HopSource, ...]]:
    data = data_of(result)
    for each in fields_of(data):
        score = link_score(argument, about, each.terms, each.around, each.value)
        if score > 0.5:
            yield (HopSource(each.value, score, result.number),)
    for records in lists_of(data):
        around = identifier_terms(records.name) if records.name else ()
        for key in records.keys:
            values = list(dict.fromkeys(row[key] for row in records.rows if key in row))
            parts = tuple(term for part in key.split("/") for term in identifier_terms(part))
            if not values or len(values) > _MOST:
                continue
            score = min(link_score(argument, about, parts, around, each) for each in values)
            if score > 0.5:
                yield tuple(HopSource(each, score, result.number) for each in values)


def link_score(
    argument: FunctionArgument,
    about: Sequence[str],
    key: Sequence[str],
    around: Sequence[str] = (),
    value: Any = None,
) -> float:
    """How surely a field of a result is what an argument takes, from 0 to about 1.2; above 0.5 it
    may be given. `about` are the terms of the function's name, `key` those of the field's, `around`
    those of the names around it; without a value only the names count."""
    if value is not None and not _is_allowed(argument, value):
        return 0.0
    formed = has_form(argument, value)
    if formed is False:
        return 0.0
    form = _FORMED if formed else 0.0
    telling = bool(form) and isinstance(value, str)  # many numbers have as many figures
    wanted = list(argument.terms)
    whole = [*around, *key]
    if set(wanted) <= _GENERIC and _names_thing(about, key, around):
        return 0.75 + form  # `id` of `get_customer`, from `customer_id` or `customer`
    if not any(_has(key, each) for each in wanted) and not telling:
        return 0.6 if _is_described(argument, key) else 0.0
    firm = [each for each in key if each not in _GENERIC and each not in _SMALL]
    if wanted == list(key):
        base = 0.9 if not set(wanted) <= _GENERIC else 0.4
    elif all(_has(whole, each) for each in wanted):
        base = 0.8 if not set(wanted) <= _GENERIC else 0.3
    elif firm and firm == [each for each in wanted if each not in _GENERIC]:
        base = 0.8  # `account_id`, from `account`
    elif set(key) <= set(wanted) and set(key) & IDENTIFYING and len(key) == 1:
        base = 0.45
    else:
        base = 0.35 if telling else 0.0
    return base + form


def _names_thing(about: Sequence[str], key: Sequence[str], around: Sequence[str]) -> bool:
    """Whether a field is called as what a function is about, and not as something of that."""
    firm = [each for each in key if each not in _GENERIC and each not in _SMALL]
    things = [each for each in about if each not in _GENERIC]
    if firm:
        return all(_has(things, each) for each in firm)
    return any(_has(around, each) for each in things)


def _is_described(argument: FunctionArgument, key: Sequence[str]) -> bool:
    """Whether the description of an argument names a field: `the name of the mill`, for `mill`."""
    firm = [each for each in key if each not in _GENERIC]
    said = set(argument.described)
    names = bool(said & (_GENERIC | IDENTIFYING | _NAMES)) and not argument.options
    return names and bool(firm) and all(each in said for each in firm)


def _has(terms: Sequence[str], wanted: str) -> bool:
    return any(related(each, wanted) for each in terms)


def has_form(argument: FunctionArgument, value: Any) -> bool | None:
    """Whether a value has the form of the identifiers that an argument gives for instance: KT-2012
    of KT-2011, SL of KB, 7706 of 7701; None where the form tells nothing."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        lengths = {len(each) for each in _LONG_NUMBER.findall(argument.description)}
        return True if len(str(value)) in lengths else None
    if not isinstance(value, str):
        return None
    if _CAPITALS.fullmatch(value):
        alike = any(_CAPITALS.fullmatch(e) and len(e) == len(value) for e in argument.examples)
        return True if alike else None
    if _EMAIL.fullmatch(value):
        return True if {"email", "mail"} & {*argument.terms, *argument.described} else None
    marked = [each for each in argument.examples if _MARK.search(each)]
    if not marked:
        return None
    if shape(value) in {shape(each) for each in marked}:
        return True
    pattern = shape(value, letters=False)
    if not any(char.isdigit() for char in value):  # m.keane, old-mill
        known = {shape(each, letters=False) for each in marked}
        return True if _MARK.search(value) and pattern in known else None
    same = pattern in {shape(each, letters=False) for each in marked}
    return None if same else False


def may_take(argument: FunctionArgument, value: Any) -> bool:
    """Whether an argument may take a value at all, by its type, its options and its form."""
    return _is_allowed(argument, value) and has_form(argument, value) is not False


def _is_allowed(argument: FunctionArgument, value: Any) -> bool:
    """Whether an argument takes a value, by its type and by the values that it names."""
    return _has_type(argument, value) and (not argument.options or value in argument.options)


def _has_type(argument: FunctionArgument, value: Any) -> bool:
    wanted = argument.value_type
    if isinstance(value, bool):
        return wanted == "boolean"
    if isinstance(value, str):
        return wanted == "string" and bool(value)
    if wanted == "integer":
        return isinstance(value, int)
    return wanted == "number" and isinstance(value, int | float)
