"""What a list of records says to a question: counts, sums, the largest, the rows that fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from math import fsum
from typing import Final

from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.analysis.functions.filters import Filtered, filter_rows, plain_value
from flows.analysis.functions.keys import (
    SURE,
    TIMES,
    best_key,
    hinted_key,
    is_least_wanted,
    is_number,
    name_key,
    ranked_key,
)
from flows.analysis.functions.meanings import likeness
from flows.analysis.functions.records import (
    Records,
    Scalar,
)
from flows.analysis.functions.terms import identifier_terms
from flows.analysis.functions.told import ResultAnswer, shown
from flows.analysis.functions.wording import is_dated, is_negative, order_of, spoken, values_of
from flows.analysis.questions.concepts import scale_of

# What is left of the score of a value that is not of the kind that was asked for.
_OTHER_KIND: Final = 0.45
_MOST_LISTED: Final = 20
_MOST_PLACES: Final = 2_000
_QUANTITIES: Final = frozenset(
    identifier_terms("quantity count on_hand unit stock available piece inventory level")
)
_AMOUNTS: Final = frozenset(identifier_terms("total amount value revenue price cost"))
_MONEY: Final = frozenset(["price", "cost", "fee", "amount", "revenue", "income", "value", "total"])
_ASKS: Final = re.compile(
    r"\b(?:what|which|who|whom|whose|where|when|how|why|names?|list|show|give|tell|find)\b",
    re.IGNORECASE,
)
_IDS: Final = frozenset(identifier_terms("id code key sku"))


def tell_list(wanted: QuestionIntent, result: CallResult, records: Records) -> ResultAnswer | None:
    """What a list says to a question; None where it says nothing that was asked."""
    filtered = filter_rows(records, wanted, result.arguments)
    if not filtered.rows:
        return None
    told = _tell_rows(wanted, result, records, filtered)
    return None if told is None else replace(told, chosen=filtered.used)


def _tell_rows(
    wanted: QuestionIntent, result: CallResult, records: Records, filtered: Filtered
) -> ResultAnswer | None:
    """What the rows that are left say to a question."""
    named = any(
        likeness(word, each)
        for word in wanted.words
        for each in identifier_terms(records.name or "_")
    )
    sure = (0.78 if named else 0.7) - 0.25 * bool(filtered.unmet)
    if wanted.operation in ("count", "sum", "average") and not result.whole:
        return None  # what is cut is not counted
    if wanted.is_money and wanted.operation == "value" and len(filtered.rows) > 1:
        summed = replace(wanted, operation="sum")  # how much money is in all of them
        if result.whole and (told := _aggregate(summed, result, records, filtered, sure - 0.1)):
            return told
    if wanted.operation == "whether":
        return _exists(result, records, filtered, wanted)
    if wanted.operation == "count":
        return _count(wanted, result, records, filtered, sure)
    if wanted.operation in ("sum", "average"):
        return _aggregate(wanted, result, records, filtered, sure)
    if wanted.operation == "difference" and len(filtered.rows) == 2:
        return _difference(wanted, result, records, filtered, sure)
    if wanted.operation in ("maximum", "minimum") and wanted.ranking:
        return _extreme(wanted, result, records, filtered, sure)
    return _listed(wanted, result, records, filtered, sure)


def _exists(
    result: CallResult, records: Records, filtered: Filtered, wanted: QuestionIntent
) -> ResultAnswer | None:
    """Whether there are rows that fit what the question names: `are any of them delayed?`"""
    if not filtered.keys:
        return None
    number, yes = len(filtered.rows), not is_negative(wanted)
    cited = _computed(result, records, filtered, "", "count", number)
    return ResultAnswer(f"{'Yes' if yes else 'No'} ({number})", (cited,), 0.65, (number,))


def _computed(
    result: CallResult,
    records: Records,
    filtered: Filtered,
    key: str,
    operation: str,
    value: float,
) -> ResultCitation:
    """The citation of a value that was worked out from the rows that are left."""
    over: tuple[str, ...] = ()
    some = len(filtered.rows) < len(records.rows) or "/" in key
    if (some and len(records.rows) <= _MOST_PLACES) or type(records) is not Records:
        over = tuple(f"{result.number}:{records.path_of(row, key)}" for row in filtered.rows)
    return ResultCitation(
        call=result.number, path=records.path, value=shown(value), operation=operation, over=over
    )


def _numeric(records: Records, rows: Sequence[int]) -> list[str]:
    return [
        key for key in records.keys
        if key and identifier_terms(key)[-1:] != ("id",)
        and any(is_number(records.rows[row].get(key)) for row in rows)
    ]  # fmt: skip


def _count(
    wanted: QuestionIntent, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> ResultAnswer | None:
    numeric = _numeric(records, filtered.rows)
    units = best_key(numeric, (), wanted)
    if units is not None and units.score >= 0.9 and units.word == 0:
        asked = _asked_key(result, records)
        if asked and not wanted.is_summed:  # how many each of them has
            keys = [asked, units.key]
            return _rows_told(result, records, filtered.rows, keys, sure + 0.15)
        return _aggregate(wanted, result, records, filtered, sure)
    if len(numeric) == 1 and set(identifier_terms(numeric[0])) & _QUANTITIES:
        return _aggregate(wanted, result, records, filtered, sure)
    number = len(filtered.rows)
    if any(isinstance(each, list) and len(each) >= number for each in result.arguments.values()):
        return None  # as many as were asked for by their keys say nothing
    cited = _computed(result, records, filtered, "", "count", number)
    return ResultAnswer(str(number), (cited,), sure, (number,))


def _aggregate(
    wanted: QuestionIntent, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> ResultAnswer | None:
    keys = _numeric(records, filtered.rows)
    match = best_key(keys, (), wanted)
    amounts = [each for each in keys if set(identifier_terms(each)) & _AMOUNTS]
    only = keys if len(keys) == 1 else amounts  # of the numbers of bills the amounts are summed
    key = match.key if match is not None else only[0] if len(only) == 1 else None
    if key is None:
        return None
    rows = tuple(row for row in filtered.rows if is_number(records.rows[row].get(key)))
    numbers = [float(records.rows[row][key]) for row in rows]
    mean = wanted.operation == "average"
    value = fsum(numbers) / len(numbers) if mean else fsum(numbers)
    operation = "mean" if mean else "sum"
    cited = _computed(result, records, replace(filtered, rows=rows), key, operation, value)
    text = f"{'average' if mean else 'sum'} of {spoken(key)}: {shown(value)}"
    sure += 0.15 if match and match.score >= SURE else -0.1
    return ResultAnswer(text, (cited,), sure, (value,), key=key)


def _difference(
    wanted: QuestionIntent, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> ResultAnswer | None:
    """By how much a value of two records differs."""
    keys = _numeric(records, filtered.rows)
    match = best_key(keys, (), wanted)
    key = match.key if match is not None else ranked_key(keys, wanted)
    if key is None or not all(is_number(records.rows[row].get(key)) for row in filtered.rows):
        return None
    one, other = (float(records.rows[row][key]) for row in filtered.rows)
    value = abs(one - other)
    cited = _computed(result, records, filtered, key, "difference", value)
    label = _label_key(wanted, records, (key, *filtered.keys), result)
    shares = _rows_told(result, records, filtered.rows, [*([label] if label else []), key], sure)
    citations = (cited, *shares.citations)
    text = f"{shown(value)} ({shares.text})"
    return ResultAnswer(text, citations, sure + 0.15, (value,), key=key)


def _extreme(
    wanted: QuestionIntent, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> ResultAnswer | None:
    comparable = [
        key for key in records.keys
        if key and identifier_terms(key)[-1:] != ("id",)
        and all(
            is_number(records.rows[row].get(key)) or is_dated(records.rows[row].get(key))
            for row in filtered.rows
        )
    ]  # fmt: skip
    key = ranked_key(comparable, wanted)
    sure += 0.15
    numeric = [each for each in comparable if each in _numeric(records, filtered.rows)]
    if key is not None and key not in numeric and wanted.ranking not in TIMES:
        key = None  # the biggest is not the latest
    dated = [each for each in comparable if each not in numeric]
    if wanted.ranking in TIMES and key not in dated:
        key, numeric = dated[0] if len(dated) == 1 else None, []
    ordered = _ordered_keys(records, filtered.rows, numeric, wanted)
    if not result.whole and key not in ordered:
        key, numeric = None, []  # the first of all need not be among the rows of a list that is cut
    if key is None and len(ordered) == 1 and len(filtered.rows) > 1:
        key, sure = ordered[0], sure - 0.1
    if key is None and numeric:
        money = [e for e in numeric if set(identifier_terms(e.rsplit("/", 1)[-1])) & _AMOUNTS]
        measured = {name for name, _ in scale_of(wanted.ranking)}
        if measured and not measured & _MONEY:
            money = []  # the longest is not the dearest
        if not money and len(numeric) > 1:
            return None  # which of them is meant nobody can tell
        key, sure = [*money, *numeric][0], sure - 0.1
    if key is None:
        return None
    rows = sorted(
        filtered.rows,
        key=lambda row: order_of(records.rows[row][key]),
        reverse=not is_least_wanted(key, wanted),
    )[: wanted.first]
    label = _label_key(wanted, records, (key, *filtered.keys), result)
    but = (key, *filtered.keys)
    names = [] if label is None else [label, *_names_beside(records, label, but, wanted.text)]
    told = _rows_told(result, records, rows, [*names, key], sure)
    return replace(told, text=f"{told.text} ({spoken(key)})")  # what it was compared by


def _names_beside(records: Records, label: str, but: Sequence[str], question: str) -> list[str]:
    """The key of the rows' names, where their label is a code that the question does not say."""
    codes = [str(row.get(label, "")).casefold() for row in records.rows]
    coded = any(char.isdigit() for code in codes for char in code)
    coded = coded and not all(code in question.casefold() for code in codes)
    free = [each for each in records.keys if each not in (label, *but)]
    named = next((each for each in free if _is_naming(records, each)), None)
    return [named] if coded and named is not None else []


def _is_naming(records: Records, key: str) -> bool:
    """Whether the values of a key are names, each of one row alone."""
    values = [row.get(key) for row in records.rows]
    names = [each for each in values if isinstance(each, str) and each[:1].isupper()]
    plain = not any(char.isdigit() for each in names for char in each)
    return bool(key) and plain and len(set(names)) == len(values)


def _ordered_keys(
    records: Records, rows: Sequence[int], keys: Sequence[str], wanted: QuestionIntent
) -> list[str]:
    """The keys that a list is sorted by, the row that is asked for first."""
    found: list[str] = []
    for key in keys:
        values = [
            float(records.rows[row][key]) for row in rows if is_number(records.rows[row][key])
        ]
        if values == sorted(values, reverse=not is_least_wanted(key, wanted)):
            found.append(key)
    return found


def _listed(
    wanted: QuestionIntent, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> ResultAnswer | None:
    """The values of the rows that are left: of the key that is asked for, or the rows' names."""
    if len(filtered.rows) > _MOST_LISTED and not result.whole:
        return None
    if records.keys == ("",):
        return _rows_told(result, records, filtered.rows, [""], sure)
    single = len(filtered.rows) == 1
    match = best_key(
        [key for key in records.keys if key not in filtered.keys],
        identifier_terms(records.name or "_"),
        wanted,
    )
    if wanted.is_strict and wanted.operation == "value" and (match is None or not match.hinted):
        sure *= _OTHER_KIND
    if match is not None and wanted.operation == "list" and _is_id_of(match.key, wanted):
        match = None
    if match is not None and match.score >= (0.45 if single else SURE):
        asked = _asked_key(result, records)
        named = None if wanted.operation == "list" else name_key(records.keys)
        label = None if single else asked or named
        keys = [match.key] if label in (None, match.key) else [str(label), match.key]
        told = _rows_told(result, records, filtered.rows, keys, min(1.0, sure + 0.2))
        return _with_count(wanted, result, records, filtered, told) if len(keys) == 1 else told
    if single and wanted.hints and len(records.rows) > 1:
        free = [key for key in records.keys if key not in filtered.keys]
        if (hinted := hinted_key(free, wanted)) is not None:
            return _rows_told(result, records, filtered.rows, [hinted], sure + 0.05)
    if single and wanted.operation == "value" and len(records.rows) > 1:
        label = name_key(records.keys)
        return _rows_told(result, records, filtered.rows, [label], sure - 0.2) if label else None
    if single and len(records.rows) == 1 and wanted.operation == "value":
        return None  # its single values are told as fields
    label = _label_key(wanted, records, filtered.keys, result)
    if label is None:
        return None
    told = _rows_told(result, records, filtered.rows, [label], sure)
    return _with_count(wanted, result, records, filtered, told)


def _with_count(
    wanted: QuestionIntent,
    result: CallResult,
    records: Records,
    filtered: Filtered,
    told: ResultAnswer,
) -> ResultAnswer:
    """What is told of rows, and how many they are where a question may ask for either: `outages in
    May?`."""
    number = len(filtered.rows)
    if number < 2 or wanted.operation != "value" or _ASKS.search(wanted.text) or not result.whole:
        return told
    cited = _computed(result, records, filtered, "", "count", number)
    return replace(told, text=f"{number}: {told.text}", citations=(cited, *told.citations))


def _label_key(
    wanted: QuestionIntent, records: Records, but: Sequence[str], result: CallResult
) -> str | None:
    """The key that the rows are told by: the one by which they were asked for, else their name."""
    asked = _asked_key(result, records)
    if asked is not None and asked not in but:
        return asked
    echoed = _echoed(result, records)
    keys = [each for each in records.keys if each not in but and each not in echoed]
    if "name" in wanted.hints and (named := name_key(keys)) is not None:
        return named
    match = best_key(
        [key for key in keys if any(isinstance(row.get(key), str) for row in records.rows)],
        (),
        wanted,
    )
    named = name_key(keys) or _telling_key(records, keys, wanted)
    if match is not None and match.score >= SURE and not (named and _is_id_of(match.key, wanted)):
        return match.key
    return named


def _telling_key(records: Records, keys: Sequence[str], wanted: QuestionIntent) -> str | None:
    """The first key whose texts tell the rows apart; where a person or a company is asked for, one
    of words."""
    for key in keys:
        values = [row.get(key) for row in records.rows]
        texts = [each for each in values if isinstance(each, str) and not is_dated(each)]
        if not key or len(texts) < len(values) or len(set(texts)) < len(texts):
            continue
        if not wanted.is_person or not any(char.isdigit() for each in texts for char in each):
            return key
    return None


def _is_id_of(key: str, wanted: QuestionIntent) -> bool:
    """Whether a key is an id that the question does not ask for as such."""
    last = identifier_terms(key)[-1]
    return last in _IDS and not any(last in identifier_terms(word) for word in wanted.words)


def _echoed(result: CallResult, records: Records) -> list[str]:
    """The keys that hold in every row what the call was given."""
    given = {plain_value(each) for each in values_of(result.arguments)}
    return [
        key for key in records.keys
        if all(plain_value(row.get(key)) in given for row in records.rows)
    ]  # fmt: skip


def _asked_key(result: CallResult, records: Records) -> str | None:
    """The key whose values the call was given, each row another."""
    if len(records.rows) < 2:
        return None
    for key in _echoed(result, records):
        if len({plain_value(row.get(key)) for row in records.rows}) == len(records.rows):
            return key
    return None


def _rows_told(
    result: CallResult, records: Records, rows: Sequence[int], keys: Sequence[str], sure: float
) -> ResultAnswer:
    texts: list[str] = []
    citations: list[ResultCitation] = []
    values: list[Scalar] = []
    for row in rows[:_MOST_LISTED]:
        cells = [(key, records.rows[row][key]) for key in keys if key in records.rows[row]]
        if not cells:
            continue
        texts.append(": ".join(shown(value) for _, value in cells))
        values.append(cells[-1][1])
        citations += [
            ResultCitation(call=result.number, path=records.path_of(row, key), value=shown(value))
            for key, value in cells
        ]
    more = len(rows) - _MOST_LISTED
    text = "; ".join(dict.fromkeys(texts)) + ("; and more" if more > 0 else "")
    return ResultAnswer(text, tuple(citations), max(0.0, min(1.0, sure)), tuple(values))
