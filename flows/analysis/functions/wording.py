"""Values and keys as answers speak of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.records import ENVELOPES, Scalar
from flows.analysis.language.places import WEEKDAYS
from flows.analysis.language.words import MONTHS

_LEAST_YEAR, _MOST_YEAR = 1000, 2200
_TIME: Final = re.compile(
    r"\d{4}-\d{2}|\b\d{1,2}[:.]\d{2}\b|^(?:1[0-9]|2[01])\d{2}$"
    rf"|\b(?:{'|'.join((*MONTHS, *WEEKDAYS))})s?\b"
)


def is_negative(wanted: QuestionIntent) -> bool:
    """Whether a question asks for what is not so."""
    return re.search(r"\b(?:not|isn't|aren't|hasn't|never)\b", wanted.text.casefold()) is not None


def spoken(key: str) -> str:
    """A key in words, without the names of envelopes around it: `values/daily_rate` is a daily
    rate."""
    *around, last = key.split("/")
    told = [*(each for each in around if each.casefold() not in ENVELOPES), last]
    return " ".join(re.sub(r"[_@]+", " ", " ".join(told)).split()) or "value"


def values_of(arguments: Mapping[str, Any]) -> list[Any]:
    """The values of arguments, those of lists one by one."""
    return [
        each for value in arguments.values()
        for each in (value if isinstance(value, list | tuple) else (value,))
    ]  # fmt: skip


def is_dated(value: Scalar | None) -> bool:
    """Whether a value begins as an ISO date."""
    return isinstance(value, str) and re.match(r"\d{4}-\d{2}", value) is not None


def is_time(value: Scalar | None) -> bool:
    """Whether a value is a date, a time of the day, or a year."""
    if isinstance(value, int) and not isinstance(value, bool):
        return _LEAST_YEAR <= value <= _MOST_YEAR
    return isinstance(value, str) and _TIME.search(value.casefold()) is not None


def order_of(value: Scalar) -> tuple[int, float, str]:
    """What values are compared by: numbers by their size, texts as they are."""
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, value)
