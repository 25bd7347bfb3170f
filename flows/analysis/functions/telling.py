"""What one result says to a question: its values in a sentence, each with its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, Final

from flows.analysis.functions.asking import Wanted
from flows.analysis.functions.decision import CallResult, Citation
from flows.analysis.functions.filters import Filtered, filter_rows, meets_limits, plain_value
from flows.analysis.functions.keys import (
    SURE,
    TIMES,
    KeyMatch,
    best_key,
    is_number,
    match_key,
    name_key,
    ranked_key,
)
from flows.analysis.functions.meanings import likeness
from flows.analysis.functions.mentions import Mention, mentions_of
from flows.analysis.functions.passages import passages_of, tell_passages, tell_text
from flows.analysis.functions.records import Field, Records, Scalar, data_of, fields_of, lists_of
from flows.analysis.functions.store_answer import store_answer, store_citations
from flows.analysis.functions.terms import identifier_terms, terms, word_set
from flows.analysis.functions.told import Told, shown

# How sure a value is that only the question word asks for, and the only value of a result.
_HINTED: Final = 0.8
_SOLE: Final = 0.85
_PLAINLY: Final = 0.9
_NAMED_AT_ALL: Final = 0.3
_OTHER_KIND: Final = 0.45
_MOST_LISTED: Final = 20
_MOST_PLACES: Final = 2_000
_TOTALS: Final = word_set("total count total_count totalcount num size n")
_QUANTITIES: Final = frozenset(
    identifier_terms("quantity count on_hand unit stock available piece inventory level")
)
_AMOUNTS: Final = frozenset(identifier_terms("total amount value revenue price cost"))
_IDS: Final = frozenset(identifier_terms("id code key sku"))
_STATES: Final = word_set("status state stage phase condition")


def tell(wanted: Wanted, result: CallResult) -> Told | None:
    """What a result says to a question; None where it says nothing that was asked."""
    if result.kind != "ok":
        return None
    data = data_of(result)
    if isinstance(data, str):
        return tell_text(wanted, result, data)
    if (answered := store_answer(data)) is not None:  # it has read the question itself
        at, answer = answered
        cited = store_citations(result, at, answer)
        return Told(answer["answer"], cited, float(answer["confidence"]))
    if passages := passages_of(data):
        return tell_passages(wanted, result, passages)
    told = [_tell_list(wanted, result, each) for each in lists_of(data)]
    told.append(_tell_field(wanted, result, fields_of(data)))
    found = [each for each in told if each is not None]
    return max(found, key=lambda each: each.score, default=None)


# --- single values -----------------------------------------------------------------------------


def _tell_field(wanted: Wanted, result: CallResult, fields: Sequence[Field]) -> Told | None:
    given = {plain_value(each) for each in _flat(result.arguments)}
    free = [each for each in fields if plain_value(each.value) not in given]
    if wanted.operation not in ("value", "whether") and not meets_limits(
        {each.key: each.value for each in free}, wanted, result.arguments
    ):
        return None
    if wanted.operation == "whether":
        return _tell_whether(wanted, result, free)
    if wanted.ranking and (key := ranked_key([each.key for each in free], wanted)):
        ranked = [each for each in free if each.key == key and is_number(each.value)]
        if ranked:
            return _values_told(result, ranked[:1], 0.75)
    scored = [(match_key(each.key, each.around, wanted), each) for each in free]
    scored = [pair for pair in scored if _fits_operation(pair[1].value, wanted)]
    scored.sort(key=lambda pair: -pair[0].score)
    if scored and scored[0][0].score >= SURE and _is_of_kind(*scored[0], wanted):
        also = _also_named(scored, wanted)
        return _values_told(result, [scored[0][1], *also], min(1.0, scored[0][0].score))
    if hinted := _hinted(scored, wanted):
        return replace(_values_told(result, [hinted], _HINTED), hinted=True)
    if len(free) == 1 and _fits_operation(free[0].value, wanted):
        consumed = _is_consumed(wanted, given) and not wanted.is_money
        told = _values_told(result, free, _SOLE if consumed else 0.45)
        return replace(told, sole=consumed)
    if scored and scored[0][0].score >= _NAMED_AT_ALL:
        best = min(1.0, scored[0][0].score)
        return _values_told(result, [scored[0][1]], best * (_OTHER_KIND if wanted.is_strict else 1))
    return None


def _is_of_kind(match: KeyMatch, field: Field, wanted: Wanted) -> bool:
    """Whether a field that the question names is of the kind that its question word asks for: for
    `who` a name, not the number of an order."""
    if match.hinted or not wanted.is_strict:
        return True
    if wanted.is_money:  # how much: pieces are no price
        return False
    if wanted.is_numeric:
        return is_number(field.value) and match.score >= _PLAINLY
    plain = isinstance(field.value, str) and not re.search(r"\d", field.value)
    return plain and match.score >= _PLAINLY


def _hinted(scored: Sequence[tuple[KeyMatch, Field]], wanted: Wanted) -> Field | None:
    """The field of the kind that the question word asks for: the one that comes first in the order
    of the hints."""
    hints = [term for each in wanted.hints for term in identifier_terms(each)]
    found = [field for match, field in scored if match.hinted]
    return min(
        found,
        key=lambda field: min(hints.index(each) for each in field.terms if each in hints),
        default=None,
    )


def _is_consumed(wanted: Wanted, given: set[str]) -> bool:
    """Whether the call was given every value that the question mentions, and there is one, or only
    values that an earlier call found by them."""
    certain = [each for each in mentions_of(wanted.text) if each.kind not in ("phrase", "date")]
    said = [plain_value(each.value) for each in certain if not _is_word(each)]
    hop = bool(given) and not any(each in plain_value(wanted.text) for each in given)
    return bool(said) and (hop or all(each in given for each in said))


def _is_word(mention: Mention) -> bool:
    """Whether a mention is only a number in words, or a part of a longer one."""
    return mention.kind == "number" and (mention.text.isalpha() or mention.unit == "month")


def _also_named(scored: Sequence[tuple[Any, Field]], wanted: Wanted) -> list[Field]:
    """Further fields that the question names by words of their own: `the city and the email`."""
    if not re.search(r"\band\b|,", wanted.text):
        return []
    taken = {scored[0][0].word}
    also: list[Field] = []
    for match, field in scored[1:]:
        if match.score >= 0.95 and match.word not in taken:
            taken.add(match.word)
            also.append(field)
    return also


def _fits_operation(value: Scalar, wanted: Wanted) -> bool:
    if wanted.is_numeric:
        return is_number(value)
    if wanted.hints[:1] == ("date",):  # when: a date, a time, a year
        return _is_dated(value) or re.search(r"\d", str(value)) is not None
    return True


def _values_told(result: CallResult, fields: Sequence[Field], score: float) -> Told:
    texts = [f"{_spoken(each.key)}: {shown(each.value)}" for each in fields]
    citations = tuple(
        Citation(call=result.number, path=each.path, value=shown(each.value)) for each in fields
    )
    return Told("; ".join(texts), citations, score, tuple(each.value for each in fields))


def _tell_whether(wanted: Wanted, result: CallResult, free: Sequence[Field]) -> Told | None:
    said = {term for word in wanted.words for term in identifier_terms(word)}
    for field in free:
        match = match_key(field.key, field.around, wanted)
        if isinstance(field.value, bool) and match.score >= 0.3:
            return _whether(
                result, field, field.value != _is_negative(wanted), min(1.0, match.score)
            )
        if is_number(field.value) and match.score >= SURE and not wanted.limits:
            return _whether(result, field, float(field.value) > 0, 0.6)
    for field in free:
        values = set(terms(str(field.value))) if isinstance(field.value, str) else set()
        if values and values <= said:
            return _whether(result, field, not _is_negative(wanted), 0.85)
    for field in free:
        if field.key.casefold() in _STATES and isinstance(field.value, str):
            return _whether(result, field, _is_negative(wanted), 0.75)
    return None


def _whether(result: CallResult, field: Field, yes: bool, score: float) -> Told:
    text = f"{'Yes' if yes else 'No'} ({_spoken(field.key)}: {shown(field.value)})"
    return Told(
        text, (Citation(call=result.number, path=field.path, value=shown(field.value)),), score
    )


def _is_negative(wanted: Wanted) -> bool:
    return re.search(r"\b(?:not|isn't|aren't|hasn't|never)\b", wanted.text.casefold()) is not None


# --- lists -------------------------------------------------------------------------------------


def _tell_list(wanted: Wanted, result: CallResult, records: Records) -> Told | None:
    filtered = filter_rows(records, wanted, result.arguments)
    if not filtered.rows:
        return None
    named = any(
        likeness(word, each)
        for word in wanted.words
        for each in identifier_terms(records.name or "_")
    )
    sure = (0.78 if named else 0.7) - 0.25 * bool(filtered.unmet)
    if wanted.operation in ("count", "sum", "average") and not result.whole:
        return None  # what is cut is not counted
    if wanted.operation == "whether":
        return _exists(result, records, filtered, wanted)
    if wanted.operation == "count":
        return _count(wanted, result, records, filtered, sure)
    if wanted.operation in ("sum", "average"):
        return _aggregate(wanted, result, records, filtered, sure)
    if wanted.operation in ("maximum", "minimum") and wanted.ranking:
        return _extreme(wanted, result, records, filtered, sure)
    return _listed(wanted, result, records, filtered, sure)


def _exists(
    result: CallResult, records: Records, filtered: Filtered, wanted: Wanted
) -> Told | None:
    """Whether there are rows that fit what the question names: `are any of them delayed?`"""
    if not filtered.keys:
        return None
    number, yes = len(filtered.rows), not _is_negative(wanted)
    cited = _computed(result, records, filtered, "", "count", number)
    return Told(f"{'Yes' if yes else 'No'} ({number})", (cited,), 0.65, (number,))


def _computed(
    result: CallResult,
    records: Records,
    filtered: Filtered,
    key: str,
    operation: str,
    value: float,
) -> Citation:
    """The citation of a value that was worked out from the rows that are left."""
    over: tuple[str, ...] = ()
    if len(filtered.rows) < len(records.rows) <= _MOST_PLACES or type(records) is not Records:
        over = tuple(f"{result.number}:{records.path_of(row, key)}" for row in filtered.rows)
    return Citation(
        call=result.number, path=records.path, value=shown(value), operation=operation, over=over
    )


def _numeric(records: Records, rows: Sequence[int]) -> list[str]:
    return [
        key for key in records.keys
        if key and identifier_terms(key)[-1:] != ("id",)
        and any(is_number(records.rows[row].get(key)) for row in rows)
    ]  # fmt: skip


def _count(
    wanted: Wanted, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> Told | None:
    numeric = _numeric(records, filtered.rows)
    units = best_key(numeric, (), wanted)
    if units is not None and units.score >= 0.9 and units.word == 0:
        return _aggregate(wanted, result, records, filtered, sure)
    if len(numeric) == 1 and set(identifier_terms(numeric[0])) & _QUANTITIES:
        return _aggregate(wanted, result, records, filtered, sure)
    number = len(filtered.rows)
    if any(isinstance(each, list) and len(each) >= number for each in result.arguments.values()):
        return None  # as many as were asked for by their keys say nothing
    cited = _computed(result, records, filtered, "", "count", number)
    return Told(str(number), (cited,), sure, (number,))


def _aggregate(
    wanted: Wanted, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> Told | None:
    keys = _numeric(records, filtered.rows)
    match = best_key(keys, (), wanted)
    key = match.key if match is not None else keys[0] if len(keys) == 1 else None
    if key is None:
        return None
    rows = tuple(row for row in filtered.rows if is_number(records.rows[row].get(key)))
    numbers = [float(records.rows[row][key]) for row in rows]
    mean = wanted.operation == "average"
    value = fsum(numbers) / len(numbers) if mean else fsum(numbers)
    operation = "mean" if mean else "sum"
    cited = _computed(result, records, replace(filtered, rows=rows), key, operation, value)
    text = f"{'average' if mean else 'sum'} of {_spoken(key)}: {shown(value)}"
    sure += 0.15 if match and match.score >= SURE else -0.1
    return Told(text, (cited,), sure, (value,))


def _extreme(
    wanted: Wanted, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> Told | None:
    comparable = [
        key for key in records.keys
        if key and identifier_terms(key)[-1:] != ("id",)
        and all(
            is_number(records.rows[row].get(key)) or _is_dated(records.rows[row].get(key))
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
    if key is None and numeric:
        money = [each for each in numeric if set(identifier_terms(each)) & _AMOUNTS]
        key, sure = [*money, *numeric][0], sure - (0.1 if money or len(numeric) == 1 else 0.4)
    if key is None:
        return None
    rows = sorted(
        filtered.rows, key=lambda row: _order(records.rows[row][key]), reverse=not wanted.ascending
    )[: wanted.first]
    label = _label_key(wanted, records, (key, *filtered.keys, *_echoed(result, records)))
    keys = [key] if label is None else [label, key]
    return _rows_told(result, records, rows, keys, sure)


def _listed(
    wanted: Wanted, result: CallResult, records: Records, filtered: Filtered, sure: float
) -> Told | None:
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
        label = None if single or wanted.operation == "list" else name_key(records.keys)
        keys = [match.key] if label in (None, match.key) else [str(label), match.key]
        return _rows_told(result, records, filtered.rows, keys, min(1.0, sure + 0.2))
    if single and wanted.operation == "value" and len(records.rows) > 1:
        label = name_key(records.keys)
        return _rows_told(result, records, filtered.rows, [label], sure - 0.2) if label else None
    if single and len(records.rows) == 1 and wanted.operation == "value":
        return None  # its single values are told as fields
    label = _label_key(wanted, records, (*filtered.keys, *_echoed(result, records)))
    return None if label is None else _rows_told(result, records, filtered.rows, [label], sure)


def _label_key(wanted: Wanted, records: Records, but: Sequence[str]) -> str | None:
    """The key that the rows are told by."""
    keys = [each for each in records.keys if each not in but]
    if "name" in wanted.hints and (named := name_key(keys)) is not None:
        return named
    match = best_key(
        [key for key in keys if any(isinstance(row.get(key), str) for row in records.rows)],
        (),
        wanted,
    )
    named = name_key(keys)
    if match is not None and match.score >= SURE and not (named and _is_id_of(match.key, wanted)):
        return match.key
    return named


def _is_id_of(key: str, wanted: Wanted) -> bool:
    """Whether a key is an id that the question does not ask for as such."""
    last = identifier_terms(key)[-1]
    return last in _IDS and not any(last in identifier_terms(word) for word in wanted.words)


def _echoed(result: CallResult, records: Records) -> list[str]:
    """The keys that hold in every row what the call was given."""
    given = {plain_value(each) for each in _flat(result.arguments)}
    return [
        key for key in records.keys
        if all(plain_value(row.get(key)) in given for row in records.rows)
    ]  # fmt: skip


def _rows_told(
    result: CallResult, records: Records, rows: Sequence[int], keys: Sequence[str], sure: float
) -> Told:
    texts: list[str] = []
    citations: list[Citation] = []
    values: list[Scalar] = []
    for row in rows[:_MOST_LISTED]:
        cells = [(key, records.rows[row][key]) for key in keys if key in records.rows[row]]
        if not cells:
            continue
        texts.append(": ".join(shown(value) for _, value in cells))
        values.append(cells[-1][1])
        citations += [
            Citation(call=result.number, path=records.path_of(row, key), value=shown(value))
            for key, value in cells
        ]
    more = len(rows) - _MOST_LISTED
    text = "; ".join(dict.fromkeys(texts)) + ("; and more" if more > 0 else "")
    return Told(text, tuple(citations), max(0.0, min(1.0, sure)), tuple(values))


# --- words -------------------------------------------------------------------------------------


def _spoken(key: str) -> str:
    return " ".join(re.sub(r"[_/@]+", " ", key).split()) or "value"


def _flat(arguments: Mapping[str, Any]) -> list[Any]:
    return [
        each for value in arguments.values()
        for each in (value if isinstance(value, list | tuple) else (value,))
    ]  # fmt: skip


def _is_dated(value: Scalar | None) -> bool:
    return isinstance(value, str) and re.match(r"\d{4}-\d{2}", value) is not None


def _order(value: Scalar) -> tuple[int, float, str]:
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, value)
