"""Days as documents write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Final

_MONTHS: Final[Mapping[str, int]] = {
    name: number
    for number, names in enumerate(
        ("jan january", "feb february", "mar march", "apr april", "may", "jun june", "jul july",
         "aug august", "sep sept september", "oct october", "nov november", "dec december"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
_WEEKDAY: Final = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_DAY: Final = r"(?:the\s+)?(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_NAME: Final = r"(?P<word>[a-z]{3,9})\.?,?"
_FORMS: Final = tuple(
    re.compile(_WEEKDAY + form + r"(?![\w/])")
    for form in (
        r"(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})",
        rf"{_DAY}[\s.-]+(?:of\s+)?{_NAME}[\s-]+(?P<y>\d{{4}})",
        rf"{_NAME}\s+{_DAY},?\s+(?P<y>\d{{4}})",
        r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})",
        r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{2})",
        # With a name of the month a year of two places can be no day.
        rf"{_DAY}[\s.-]+{_NAME}[\s-]+'?(?P<y>\d{{2}})",
    )
)
_SLASHED: Final = re.compile(_WEEKDAY + r"(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?!\w)")
_CENTURY: Final = 2000


def date_in(text: str) -> str:
    """The date that a text begins with; "" if it begins with none."""
    low = text.casefold()
    for form in _FORMS:
        if (found := form.match(low)) and (found.groupdict().get("word") or "jan") in _MONTHS:
            return text[: found.end()]
    slashed = _SLASHED.match(low)
    return text[: slashed.end()] if slashed else ""


def read_date(text: str) -> date:
    """A day. Errors: `ValueError`, also for one whose day and month may be changed about."""
    low = text.strip().rstrip(".").casefold()
    for form in _FORMS:
        if (found := form.fullmatch(low)) is None:
            continue
        given = found.groupdict()
        month = _MONTHS.get(given["word"]) if "word" in given else int(given["m"])
        if month is not None:
            year = int(given["y"])
            return date(year if year > 99 else year + _CENTURY, month, int(given["d"]))
    if found := _SLASHED.fullmatch(low):
        first, second, year = (int(each) for each in found.groups())
        if first > 12 or first == second:
            return date(year, second, first)
        if second > 12:
            return date(year, first, second)
        raise ValueError(f"{text!r} may be two dates: the day or the month may stand first")
    raise ValueError(f"{text!r} is no date")
