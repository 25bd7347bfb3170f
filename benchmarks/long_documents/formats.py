"""How documents write values: the formats that a template names behind the colon of a field."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

Value = str | int | float | bool | date | list[str]
_SMALL: Final = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
]  # fmt: skip
_TENS: Final = [
    "", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
]  # fmt: skip
_PLACES: Final = 10
_DATE_PARTS: Final = re.compile(r"Weekday|Month|Mon|YY|Dth|[YMD]")


def written(value: Value, form: str) -> tuple[str, str]:
    """A value as its format writes it, and the part of it that a passage has to hold."""
    if isinstance(value, bool):
        yes, _, no = form.partition("/")
        said = yes if value else no
        return said, said.strip()
    if isinstance(value, date):
        return _day(value, form), _day(value, form.removeprefix("Weekday, "))
    if isinstance(value, list):
        return _listed(value, form), ""
    if isinstance(value, str):
        said = value[:1].upper() + value[1:] if form == "cap" else value
        return said, said
    said = _number(value, form)
    return said, said


def in_words(number: float) -> str:
    """A number in English words: 0 to 9999, and halves of those."""
    whole = int(number)
    if number != whole:
        return f"{in_words(whole)} and a half"
    if whole >= 1000:
        rest = whole % 1000
        after = "" if not rest else (" and " if rest < 100 else " ") + in_words(rest)
        return f"{in_words(whole // 1000)} thousand{after}"
    if whole >= 100:
        rest = whole % 100
        return f"{_SMALL[whole // 100]} hundred{' and ' + in_words(rest) if rest else ''}"
    if whole < len(_SMALL):
        return _SMALL[whole]
    tens, ones = divmod(whole, 10)
    return _TENS[tens] + (f"-{_SMALL[ones]}" if ones else "")


def plain(number: float) -> str:
    """A number in figures, without places that say nothing."""
    return f"{round(number, _PLACES):.10f}".rstrip("0").rstrip(".")


def _number(value: float, form: str) -> str:
    if form == "words":
        return in_words(value)
    if form == "Words":
        return in_words(value).capitalize()
    if form == "million":
        return plain(value / 1_000_000)
    if form == "comma":
        return plain(value).replace(".", ",")
    if found := re.fullmatch(r"([*/])([\d.]*\d)(.?)", form):
        by = float(found[2])
        scaled = value * by if found[1] == "*" else value / by
        return _grouped(round(scaled, 4), found[3])
    return _grouped(value, form)


def _grouped(value: float, mark: str) -> str:
    """The number with a mark between its thousands; with `.` the comma stands before decimals."""
    whole, _, rest = plain(value).partition(".")
    if not mark:
        return plain(value)
    point = "," if mark == "." else "."
    return f"{int(whole):,}".replace(",", mark) + (point + rest if rest else "")


def _day(value: date, form: str) -> str:
    ending = "th" if 10 < value.day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(value.day % 10, "th")
    two = f"{value.day:02d}", f"{value.month:02d}"
    named = "Month" in form or "Mon" in form
    parts = {
        "Weekday": f"{value:%A}", "Month": f"{value:%B}", "Mon": f"{value:%b}",
        "YY": f"{value:%y}", "Y": str(value.year), "Dth": f"{value.day}{ending}",
        "M": two[1], "D": str(value.day) if named else two[0],
    }  # fmt: skip
    return _DATE_PARTS.sub(lambda found: parts[found[0]], form)


def _listed(value: list[str], form: str) -> str:
    if form.isdigit():
        return value[int(form)]
    if form == "and":
        return ", ".join(value[:-1]) + " and " + value[-1]
    return f"{form} ".join(value) if form in ",;" else f" {form} ".join(value)
