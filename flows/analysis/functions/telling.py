"""What one result says to a question: its values in a sentence, each with its place."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, Final

from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.analysis.functions.entity_counts import has_counts, tell_counts
from flows.analysis.functions.filters import meets_limits, plain_value
from flows.analysis.functions.keys import (
    SURE,
    KeyMatch,
    hinted_key,
    is_number,
    match_key,
    ranked_key,
)
from flows.analysis.functions.listing import tell_list
from flows.analysis.functions.meanings import KIN, likeness
from flows.analysis.functions.mentions import ValueMention, mentions_of
from flows.analysis.functions.overview import tell_overview
from flows.analysis.functions.passages import passages_of, tell_passages, tell_text
from flows.analysis.functions.records import (
    ResultField,
    Scalar,
    data_of,
    fields_of,
    lists_of,
)
from flows.analysis.functions.store_answer import store_answer, store_citations
from flows.analysis.functions.terms import identifier_terms, terms, word_set
from flows.analysis.functions.told import ResultAnswer, shown
from flows.analysis.functions.wording import is_dated, is_negative, is_time, spoken, values_of

# How sure a value is that only the question word asks for, and the only value of a result.
_HINTED: Final = 0.8
_SOLE: Final = 0.85
_MAIN: Final = 0.75  # the value that a function is for
_CODED: Final = 0.58  # a key, or what only may be somebody: a search for more goes on
_PLAINLY: Final = 0.9
_NAMED_AT_ALL: Final = 0.3
_OTHER_KIND: Final = 0.45
_AGENT: Final = re.compile(r"[a-z]{3}(?:er|or|ee|ist)$")
_STATES: Final = word_set("status state stage phase condition")


def tell(
    wanted: QuestionIntent, result: CallResult, before: Collection[str] = ()
) -> ResultAnswer | None:
    """What a result says to a question; None where it says nothing that was asked. `before` are the
    values, as plain texts, that the calls were given whose results led to this one."""
    if result.kind != "ok":
        return None
    data = data_of(result)
    if isinstance(data, str):
        return tell_text(wanted, result, data)
    if (answered := store_answer(data)) is not None:  # it has read the question itself
        at, answer = answered
        cited = store_citations(result, at, answer)
        return ResultAnswer(answer["answer"], cited, float(answer["confidence"]), accounted=True)
    if (counted := tell_counts(wanted, result, data)) is not None:
        return counted
    if (overview := tell_overview(wanted.text, result, data)) is not None:
        return overview
    if passages := passages_of(data):
        return tell_passages(wanted, result, passages)
    lists = lists_of(data)
    if wanted.operation == "count" and has_counts(data):  # what it lists is only the first of them
        lists = tuple(each for each in lists if not each.path.startswith("/related"))
    told = [tell_list(wanted, result, each) for each in lists]
    told.append(_tell_field(wanted, result, fields_of(data), before))
    found = [each for each in told if each is not None]
    return max(found, key=lambda each: each.score, default=None)


# --- single values -----------------------------------------------------------------------------


def _tell_field(
    wanted: QuestionIntent,
    result: CallResult,
    fields: Sequence[ResultField],
    before: Collection[str],
) -> ResultAnswer | None:
    given = {plain_value(each) for each in values_of(result.arguments)}
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
    named = [pair for pair in scored if pair[0].score >= SURE and _is_of_kind(*pair, wanted)]
    if wanted.operation in ("average", "sum"):  # a function gives such a figure by its main value
        named = [pair for pair in named if pair[1].key == wanted.notes.main] or named
        main = [pair for pair in scored if pair[1].key == wanted.notes.main]
        named = main if main and named and named[0] not in main else named
    if named:
        also = _also_named(named, wanted)
        sure = max(named[0][0].score, _MAIN if named[0][1].key == wanted.notes.main else 0.0)
        if wanted.is_person and not wanted.given_as and _is_coded(named[0][1].value):
            sure = min(sure, _CODED)  # the number of an owner does not say who that is
        return _values_told(result, [named[0][1], *also], min(1.0, sure))
    if hinted := _hinted(scored, wanted):
        return replace(_values_told(result, [hinted], _HINTED), hinted=True)
    agents = [each for each in free if _names_agent(each)] if wanted.is_person else []
    if len(agents) == 1:
        return _values_told(result, agents, _CODED)
    free = [each for each in free if each.key == wanted.notes.main] or free
    if len(free) == 1 and _fits_operation(free[0].value, wanted):
        # After a chain of calls all depends on what the functions say of money.
        paid = not wanted.is_money or wanted.notes.is_money
        consumed = _is_consumed(wanted, {*given, *before}) and (bool(before) or paid)
        consumed = consumed and not (wanted.is_person and is_number(free[0].value))
        told = _values_told(result, free, _SOLE if consumed else 0.45)
        return replace(told, sole=consumed)
    if scored and scored[0][0].score >= _NAMED_AT_ALL:
        best = min(1.0, scored[0][0].score)
        return _values_told(result, [scored[0][1]], best * (_OTHER_KIND if wanted.is_strict else 1))
    return None


def _is_of_kind(match: KeyMatch, field: ResultField, wanted: QuestionIntent) -> bool:
    """Whether a field that the question names is of the kind that its question word asks for: for
    `who` a name, not the number of an order."""
    if wanted.is_dated and wanted.is_strict:
        return is_time(field.value)
    if match.hinted or not wanted.is_strict:
        return True
    if any(likeness(word, each) >= KIN for word in wanted.given_as for each in field.terms):
        return True  # where it is, by the number of the room
    if wanted.is_money:  # how much: pieces are no price
        return False
    if wanted.is_numeric:
        return is_number(field.value) and match.score >= _PLAINLY
    plain = isinstance(field.value, str) and not re.search(r"\d", field.value)
    return plain and match.score >= _PLAINLY


def _hinted(
    scored: Sequence[tuple[KeyMatch, ResultField]], wanted: QuestionIntent
) -> ResultField | None:
    """The field of the kind that the question word asks for: the one that comes first in the order
    of the hints."""
    fields = [  # nobody is a number
        field
        for match, field in scored
        if match.hinted and not (wanted.is_person and is_number(field.value))
    ]
    if wanted.is_dated:  # whatever its key is called
        dated = [field for _, field in scored if is_time(field.value)]
        fields = dated if len(dated) == 1 else [each for each in fields if is_time(each.value)]
        if len(dated) == 1:
            return dated[0]
    key = hinted_key([field.key for field in fields], wanted)
    return next((field for field in fields if field.key == key), None)


def _names_agent(field: ResultField) -> bool:
    """Whether a field is called by what somebody does, and holds a name: `holder`."""
    value = field.value
    named = isinstance(value, str) and value[:1].isupper() and not _is_coded(value)
    return named and _AGENT.search(field.key.casefold()) is not None


def _is_coded(value: Scalar) -> bool:
    return is_number(value) or re.search(r"\d", str(value)) is not None


def _is_consumed(wanted: QuestionIntent, given: set[str]) -> bool:
    """Whether the call was given every value that the question mentions, and there is one, or only
    values that an earlier call found by them."""
    certain = [
        each for each in mentions_of(wanted.text)
        if each.kind not in ("phrase", "date")
        and not any(each.overlaps(one.start, one.end) for one in wanted.periods)
    ]  # fmt: skip
    said = [plain_value(each.value) for each in certain if not _is_word(each)]
    open_ = [each for each in wanted.periods if not each.is_in([_dashed(one) for one in given])]
    text = plain_value(wanted.text)
    hop = bool(given) and not any(each in text for each in given) and not wanted.periods
    return bool(given) and not open_ and (hop or all(each in given for each in said))


def _dashed(plain: str) -> str:
    """A plain value as a date is written."""
    return plain.replace(" ", "-")


def _is_word(mention: ValueMention) -> bool:
    """Whether a mention is only a number in words, or a part of a longer one."""
    return mention.kind == "number" and (mention.text.isalpha() or mention.unit == "month")


def _also_named(
    scored: Sequence[tuple[Any, ResultField]], wanted: QuestionIntent
) -> list[ResultField]:
    """Further fields that the question names by words of their own: `the city and the email`."""
    if not re.search(r"\band\b|,", wanted.text):
        return []
    taken = {scored[0][0].word}
    also: list[ResultField] = []
    first = scored[0][1]
    alike = [field for _, field in scored[1:] if field.key == first.key and field.parents]
    if alike and any(each.parents[:1] != first.parents[:1] for each in alike):
        return alike  # the same of several records
    for match, field in scored[1:]:
        if match.score >= 0.95 and match.word not in taken:
            taken.add(match.word)
            also.append(field)
    return also


def _fits_operation(value: Scalar, wanted: QuestionIntent) -> bool:
    if wanted.is_numeric or (wanted.unit and wanted.operation == "value"):
        return is_number(value)
    if wanted.hints[:1] == ("date",):  # when: a date, a time, a year
        return is_dated(value) or re.search(r"\d", str(value)) is not None
    return True


def _values_told(result: CallResult, fields: Sequence[ResultField], score: float) -> ResultAnswer:
    texts = [f"{spoken(each.key or result.name)}: {shown(each.value)}" for each in fields]
    citations = tuple(
        ResultCitation(call=result.number, path=each.path, value=shown(each.value))
        for each in fields
    )
    return ResultAnswer("; ".join(texts), citations, score, tuple(each.value for each in fields))


def _tell_whether(
    wanted: QuestionIntent, result: CallResult, free: Sequence[ResultField]
) -> ResultAnswer | None:
    said = {term for word in wanted.words for term in identifier_terms(word)}
    for field in free:
        match = match_key(field.key, field.around, wanted)
        if isinstance(field.value, bool) and match.score >= 0.3:
            return _whether(
                result, field, field.value != is_negative(wanted), min(1.0, match.score)
            )
        if is_number(field.value) and match.score >= SURE and not wanted.limits:
            return _whether(result, field, float(field.value) > 0, 0.6)
    for field in free:
        if isinstance(field.value, str) and _says_value(wanted, said, field.value):
            return _whether(result, field, not is_negative(wanted), 0.85)
    for field in free:
        if field.key.casefold() in _STATES and isinstance(field.value, str):
            return _whether(result, field, is_negative(wanted), 0.75)
    return None


def _says_value(wanted: QuestionIntent, said: set[str], value: str) -> bool:
    """Whether a question names a value, by its terms or in its very words."""
    values = set(terms(value))
    if values and values <= said:
        return True
    plain = value.strip().casefold()
    words = rf"(?<!\w){re.escape(plain)}(?!\w)"
    return len(plain) > 1 and re.search(words, wanted.text.casefold()) is not None


def _whether(result: CallResult, field: ResultField, yes: bool, score: float) -> ResultAnswer:
    text = f"{'Yes' if yes else 'No'} ({spoken(field.key)}: {shown(field.value)})"
    return ResultAnswer(
        text,
        (ResultCitation(call=result.number, path=field.path, value=shown(field.value)),),
        score,
    )
