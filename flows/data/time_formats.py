"""Formats of `strftime` in words."""

from __future__ import annotations

from typing import Final

_WORDS: Final = {
    "%Y": "year", "%y": "year", "%m": "month", "%b": "month", "%B": "month", "%d": "day",
    "%H": "hour", "%I": "hour", "%M": "minute", "%S": "second", "%f": "fraction", "%p": "am/pm",
    "%a": "weekday", "%A": "weekday",
}  # fmt: skip


def format_words(form: str) -> str:
    """A format in words: `%d.%m.%Y` is day.month.year."""
    for directive, word in _WORDS.items():
        form = form.replace(directive, word)
    return form


def read_as_times(form: str, *, days: bool) -> str:
    """That texts are read as days, or as moments, in this form."""
    return f"texts are read as {'dates' if days else 'times'} ({form})"
