"""Values and keys as answers speak of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.records import ENVELOPES, Scalar


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


def order_of(value: Scalar) -> tuple[int, float, str]:
    """What values are compared by: numbers by their size, texts as they are."""
    return (0, float(value), "") if isinstance(value, int | float) else (1, 0.0, value)
