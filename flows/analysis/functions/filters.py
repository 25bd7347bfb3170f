"""The rows of a list that a question speaks of, by the values and limits that it names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.functions.asking import QuestionIntent, QuestionLimit
from flows.analysis.functions.keys import is_number, match_key
from flows.analysis.functions.mentions import ValueMention, mentions_of
from flows.analysis.functions.records import Records, Scalar
from flows.analysis.functions.terms import identifier_terms, term, term_set

_NOT: Final = re.compile(
    r"\b(?:no|not|without|isn'?t|aren'?t|except|excluding|other than|non)\b[\s-]*(?:\w+\s)?$",
    re.IGNORECASE,
)
_UNCOMPARED: Final = frozenset(["phrase", "list", "number", "date", "time"])
_LEAST_YEAR, _MOST_YEAR = 1900, 2200
_YEARLY: Final = term_set("year built since founded joined born opened made registered started")
_DATE: Final = re.compile(r"\d{4}-\d{2}(?:-\d{2})?")


@dataclass(frozen=True, slots=True)
class Filtered:
    """The rows that are left, by their places; `used` are the terms of the question that chose
    them, `keys` the keys that they were chosen by. `unmet` is a value or limit of the question
    that no key could be compared with."""

    rows: tuple[int, ...]
    used: frozenset[str] = frozenset()
    keys: tuple[str, ...] = ()
    unmet: tuple[str, ...] = ()


def filter_rows(records: Records, wanted: QuestionIntent, arguments: Mapping[str, Any]) -> Filtered:
    """The rows that fit the values and limits of a question. What the call was given as arguments
    was chosen by the function."""
    given = {plain_value(each) for value in arguments.values() for each in _each(value)}
    rows = list(range(len(records.rows)))
    used: set[str] = set()
    keys: list[str] = []
    unmet: list[str] = []
    for mention in mentions_of(wanted.text):
        if mention.kind == "number" and plain_value(mention.value) not in given:
            key = _numbered_key(records, mention)
            if key is not None:  # ticket 1045
                rows = [row for row in rows if records.rows[row].get(key) == mention.value]
                keys.append(key)
        if mention.kind in _UNCOMPARED or plain_value(mention.value) in given:
            continue
        if any(mention.overlaps(each.start, each.end) for each in wanted.periods):
            continue
        if mention.before[:1] and mention.before[0][0].isdigit() and len(mention.text) <= 3:
            continue  # the unit of a number: 300 EUR
        key = _key_with(records, plain_value(mention.value))
        if key is None:
            unmet.append(mention.text)
            continue
        kept = [
            row
            for row in rows
            if plain_value(records.rows[row].get(key)) == plain_value(mention.value)
        ]
        rows, used = kept, used | set(identifier_terms(mention.text))
        keys.append(key)
    for period in wanted.periods:
        if period.is_in([str(each) for each in scalars_of(arguments)]):
            continue
        key = _dated_key(records, wanted)
        if key is None:
            unmet.append(wanted.text[period.start : period.end])
            continue
        rows = [row for row in rows if period.holds(str(records.rows[row].get(key)))]
        keys.append(key)
    for limit in wanted.limits:
        if plain_value(limit.mention.value) in given:
            continue
        key = _limited_key(records, limit, wanted)
        if key is None:
            unmet.append(limit.mention.text)
            continue
        rows = [row for row in rows if _within(records.rows[row].get(key), limit)]
        keys.append(key)
    for key, value, words in _named_values(records, wanted, given):
        no = _negated(wanted.text, words)
        rows = [
            row
            for row in rows
            if (plain_value(records.rows[row].get(key)) == plain_value(value)) != no
        ]
        used |= set(words)
        keys.append(key)
    return Filtered(tuple(rows), frozenset(used), tuple(keys), tuple(unmet))


def _dated_key(records: Records, wanted: QuestionIntent) -> str | None:
    """The key of a day, a month or a year that the question speaks of: the only one, or the one
    that it names best."""
    dated = [
        key for key in records.keys
        if key and all(_is_time(row.get(key), key) for row in records.rows)
    ]  # fmt: skip
    scored = sorted(((match_key(each, (), wanted).score, each) for each in dated), reverse=True)
    if scored and scored[0][0] > 0.3:
        return scored[0][1]
    return dated[0] if len(dated) == 1 else None


def _is_time(value: Scalar | None, key: str) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return _LEAST_YEAR <= value <= _MOST_YEAR and bool(set(identifier_terms(key)) & _YEARLY)
    return _is_date(value)


def meets_limits(
    row: Mapping[str, Scalar], wanted: QuestionIntent, arguments: Mapping[str, Any]
) -> bool:
    """Whether a single record fits the limits of a question that the call was not given."""
    given = {plain_value(each) for value in arguments.values() for each in _each(value)}
    records = Records("", "", (row,))
    for limit in wanted.limits:
        if plain_value(limit.mention.value) in given:
            continue
        key = _limited_key(records, limit, wanted)
        if key is None or not _within(row.get(key), limit):
            return False
    return True


def _numbered_key(records: Records, mention: ValueMention) -> str | None:
    """The key that the word before a number names, where a row has this number under it."""
    label = term(mention.before[0]) if mention.before else ""
    return next(
        (key for key in records.keys
         if identifier_terms(key)[:1] == (label,)
         and any(row.get(key) == mention.value for row in records.rows)), None,
    )  # fmt: skip


def _key_with(records: Records, value: str) -> str | None:
    """The key under which some row has a value."""
    for key in records.keys:
        if any(plain_value(row.get(key)) == value for row in records.rows):
            return key
    return None


def _limited_key(records: Records, limit: QuestionLimit, wanted: QuestionIntent) -> str | None:
    """The key that a limit is on: one of its type, which the words around it name best."""
    dated = limit.mention.kind == "date"
    fitting = [
        key for key in records.keys
        if any(_is_date(row.get(key)) if dated else is_number(row.get(key)) for row in records.rows)
        and (dated or identifier_terms(key)[-1:] != ("id",))
    ]  # fmt: skip
    near = QuestionIntent(
        wanted.text, "value",
        (*limit.mention.before[:5], *limit.mention.after[:2]), wanted.hints,
    )  # fmt: skip
    scored = sorted(((match_key(each, (), near).score, each) for each in fitting), reverse=True)
    if scored and scored[0][0] > 0.3:
        return scored[0][1]
    return fitting[0] if len(fitting) == 1 else None


def _named_values(
    records: Records, wanted: QuestionIntent, given: set[str]
) -> list[tuple[str, Scalar, tuple[str, ...]]]:
    """Values of the rows that the question says in words: `delayed`, `in transit`."""
    said = [term(each) for each in wanted.words]
    found: list[tuple[str, Scalar, tuple[str, ...]]] = []
    for key in records.keys:
        values = {row[key] for row in records.rows if isinstance(row.get(key), str)}
        if len(values) > max(12, len(records.rows) // 2):
            continue
        for value in sorted(values, key=lambda each: (-len(str(each)), str(each))):
            words = identifier_terms(str(value))
            if len(words) > 4 or plain_value(value) in given or not words:
                continue
            if all(each in said for each in words) and not set(words) <= set(identifier_terms(key)):
                found.append((key, value, words))
                break
    return found


def _negated(text: str, words: Sequence[str]) -> bool:
    for match in re.finditer(r"[^\W_]+", text):
        if term(match.group()) == words[0]:
            return _NOT.search(text[: match.start()]) is not None
    return False


def _within(value: Scalar | None, limit: QuestionLimit) -> bool:
    wanted = limit.mention.value
    if is_number(value) and isinstance(wanted, int | float):
        one: Any = value
        other: Any = wanted
    elif isinstance(value, str) and isinstance(wanted, str):
        one, other = value[: len(wanted)], wanted
    else:
        return False
    if limit.comparator == ">":
        return bool(one > other)
    if limit.comparator == ">=":
        return bool(one >= other)
    return bool(one < other if limit.comparator == "<" else one <= other)


def _is_date(value: Scalar | None) -> bool:
    return isinstance(value, str) and _DATE.match(value) is not None


def plain_value(value: Any) -> str:
    """A value as it is compared: folded, without marks between its parts."""
    if isinstance(value, float) and value == int(value):
        value = int(value)
    return re.sub(r"[\s_.,'-]+", " ", str(value)).strip().casefold()


def _each(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else (value,)


def scalars_of(value: Any) -> list[Any]:
    """All values in a JSON value, without the null ones."""
    if isinstance(value, Mapping):
        return [each for inner in value.values() for each in scalars_of(inner)]
    if isinstance(value, list | tuple):
        return [each for inner in value for each in scalars_of(inner)]
    return [] if value is None else [value]
