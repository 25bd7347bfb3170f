"""Whether the values of an answer stand in the results of the calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Any, Final

from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.data.answers.numbers import WrittenNumber, find_numbers, plain_number
from flows.library.interpreter.computation import OPERATIONS, computed_over
from flows.library.interpreter.pointers import (
    MOST_LEAVES,
    Leaf,
    NoSuchPath,
    leaves_of,
    lists_of,
    resolve,
)
from flows.library.interpreter.results import data_of

_MOST_NAMES: Final = 20
_SHORTEST_NAME: Final = 3
# Over all numbers of a list; a difference is between two of them.
_OVER_LISTS: Final = ("sum", "mean", "min", "max")
_ALIASES: Final = {"average": "mean", "avg": "mean", "total": "sum", "length": "count",
                   "minimum": "min", "maximum": "max", "number": "count"}  # fmt: skip


@dataclass(frozen=True)
class ResultEvidence:
    """The values of one result. The numbers and dates of its `summary`, if there is one, are values
    of it in another notation."""

    result: CallResult
    summary: str = ""

    @cached_property
    def data(self) -> Any:
        return data_of(self.result)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        return tuple(islice(leaves_of(self.data), MOST_LEAVES))

    def at(self, path: str) -> Any:
        """What stands at a path; None for nothing."""
        try:
            return resolve(self.data, path)
        except NoSuchPath:
            return None

    def locate(self, value: str, path: str = "") -> Leaf | None:
        """The first leaf at or below a path that a value is written from; in the whole result if
        there is none below it."""
        below = [each for each in self.leaves if each.path.startswith(path)]
        return next((e for e in (*below, *self.leaves) if fits(value, e.value)), None)

    def computed(self, written: str, path: str, operation: str) -> ResultCitation | None:
        """A value that an operation over a list gives: over its numbers, or over one field of its
        records. Without an operation every one is tried."""
        named = _ALIASES.get(operation.casefold(), operation.casefold())
        if not self.result.whole:
            return None
        for at, values in lists_of(self.data):
            if path and at != path.rstrip("/") and not path.startswith(f"{at}/"):
                continue
            if named in ("", "count") and fits(written, len(values)):
                return self._cited(at, written, "count")
            for name in _OVER_LISTS:
                if named in ("", name):
                    for numbers in columns_of(values):
                        if fits(written, OPERATIONS[name](numbers)):
                            return self._cited(at, written, name)
        return None

    def _cited(self, path: str, value: str, operation: str = "") -> ResultCitation:
        return ResultCitation(call=self.result.number, path=path, value=value, operation=operation)

    def cited(self, value: str) -> ResultCitation | None:
        """Where a value stands in this result, or how it is worked out of one of its lists."""
        leaf = self.locate(value)
        if leaf is not None:
            return self._cited(leaf.path, value)
        return self.computed(value, "", "") or self.summarized(value)

    def summarized(self, value: str) -> ResultCitation | None:
        """A number or a date as the summary writes it, cited from the whole result."""
        written = list(find_numbers(value))
        known = list(find_numbers(self.summary)) if written else []
        if not written or not all(any(same_number(e, o) for o in known) for e in written):
            return None
        return self._cited("", value)


def columns_of(values: Sequence[Any]) -> Iterator[list[float]]:
    """The numbers of a list, or those of each field of its records."""
    plain = [float(each) for each in values if _is_number(each)]
    if plain and len(plain) == len(values):
        yield plain
    records = [each for each in values if isinstance(each, Mapping)]
    names = dict.fromkeys(name for each in records for name in each)
    for name in names:
        numbers = [float(each[name]) for each in records if _is_number(each.get(name))]
        if numbers:
            yield numbers


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def fits(written: str, value: str | int | float | bool) -> bool:
    """Whether a value is written from this one: the same number at the digits that are written, the
    same date, or the same text."""
    text = written.strip()
    if isinstance(value, bool):
        return text.casefold() in (str(value).casefold(), "yes" if value else "no")
    number = value if not isinstance(value, str) else plain_number(value)
    if number is not None and any(_reads(each, float(number)) for each in find_numbers(text)):
        return True
    if not isinstance(value, str) or not text:
        return False
    dates = [form for each in find_numbers(text) for form in each.forms]
    if any(value.startswith(form[:10]) for form in dates):
        return True
    one, other = text.casefold(), value.strip().casefold()
    return one == other or (len(one) >= _SHORTEST_NAME and one in other)


def same_number(one: WrittenNumber, other: WrittenNumber) -> bool:
    """Whether two texts stand for the same number, at the digits that the first writes, or for the
    same date."""
    if one.forms or other.forms:
        return bool({each[:10] for each in one.forms} & {each[:10] for each in other.forms})
    if not one.readings or not other.readings:
        return one.text == other.text
    return any(a.fits(b.value) for a in one.readings for b in other.readings)


def _reads(written: WrittenNumber, number: float) -> bool:
    scaled = (number, number * 100) if written.percent else (number,)
    return any(reading.fits(each) for reading in written.readings for each in scaled)


@dataclass(frozen=True, slots=True)
class Verified:
    """The citations that hold, with paths that lead to the values; `problems` are those that do
    not, `uncited` the numbers of the answer that nothing holds."""

    citations: tuple[ResultCitation, ...] = ()
    problems: tuple[str, ...] = ()
    uncited: tuple[str, ...] = ()


def verify(
    answer: str,
    question: str,
    citations: Sequence[ResultCitation],
    results: Sequence[CallResult],
    said: Sequence[str] = (),
    summaries: Mapping[int, str] = MappingProxyType({}),
) -> Verified:
    """Check what an answer cites, and find what it does not cite.

    A number counts as known too if the question or the person (`said`) gave it; `summaries` are
    those of results that were summarized, by their numbers.
    """
    evidence = {
        each.number: ResultEvidence(each, summaries.get(each.number, ""))
        for each in results
        if each.kind == "ok"
    }
    held: list[ResultCitation] = []
    problems: list[str] = []
    for each in citations:
        found = _hold(each, evidence)
        if isinstance(found, str):
            problems.append(found)
        elif found not in held:
            held.append(found)
    given = [
        reading.value
        for text in (question, *said)
        for number in find_numbers(text)
        for reading in number.readings
    ]
    uncited: list[str] = []
    for written in find_numbers(answer):
        if _known(written, held, given, (question, *said)):
            continue
        cited = next((c for e in reversed(evidence.values()) if (c := e.cited(written.text))), None)
        if cited is None:
            uncited.append(written.text)
        else:
            held.append(cited)
    held += _names(answer, question, evidence, held)
    return Verified(tuple(held), tuple(problems), tuple(dict.fromkeys(uncited)))


def _hold(citation: ResultCitation, evidence: Mapping[int, ResultEvidence]) -> ResultCitation | str:
    """The citation as it holds, or what is wrong with it."""
    own = evidence.get(citation.call)
    if citation.over and citation.value:
        made = computed_over(citation, lambda call, path: _at(evidence, call, path))
        if made is not None and fits(citation.value, made):
            return citation
    value = citation.value or _shown(own.at(citation.path) if own is not None else None)
    if own is not None and value:
        if citation.operation:
            found = own.computed(value, citation.path, citation.operation)
            if found is not None:
                return found
        at = own.at(citation.path)
        if at is not None and not isinstance(at, Mapping | list) and fits(value, at):
            return citation.model_copy(update={"value": value, "operation": ""})
        leaf = own.locate(value, citation.path)
        if leaf is not None:
            return ResultCitation(call=citation.call, path=leaf.path, value=value)
    for other in evidence.values():
        if value and (cited := other.cited(value)) is not None:
            return cited
    where = f"call {citation.call}"
    if own is None:
        known = ", ".join(map(str, evidence)) or "none"
        return f"{where} gave no result (calls with results: {known})"
    return f"{value or repr(citation.path)} does not stand in the result of {where}"


def _at(evidence: Mapping[int, ResultEvidence], call: int, path: str) -> Any:
    found = evidence.get(call)
    return None if found is None else found.at(path)


def _shown(value: Any) -> str:
    return "" if value is None or isinstance(value, Mapping | list) else str(value)


def _known(
    written: WrittenNumber,
    held: Sequence[ResultCitation],
    given: Sequence[float],
    texts: Sequence[str],
) -> bool:
    """Whether a number of the answer is cited already, or was given."""
    if any(written.text in each for each in texts):
        return True
    if any(reading.fits(each) for reading in written.readings for each in given):
        return True
    return any(
        written.text in each.value or _same(written, find_numbers(each.value)) for each in held
    )


def _same(written: WrittenNumber, others: Iterator[WrittenNumber]) -> bool:
    return any(
        one.fits(two.value)
        for other in others
        for one in written.readings
        for two in other.readings
    )


def _names(
    answer: str,
    question: str,
    evidence: Mapping[int, ResultEvidence],
    held: Sequence[ResultCitation],
) -> list[ResultCitation]:
    """Citations of the texts of results that stand in the answer word for word."""
    found: dict[str, ResultCitation] = {}
    taken = {each.value.casefold() for each in held}
    folded, asked = answer.casefold(), question.casefold()
    for number, each in evidence.items():
        for leaf in each.leaves:
            text = str(leaf.value).strip() if isinstance(leaf.value, str) else ""
            name = text.casefold()
            if len(name) < _SHORTEST_NAME or name in taken or name in found or name in asked:
                continue
            if name in folded and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", folded):
                found[name] = ResultCitation(call=number, path=leaf.path, value=text)
                if len(found) >= _MOST_NAMES:
                    return list(found.values())
    return list(found.values())
