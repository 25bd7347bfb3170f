"""Dates as people write them in prose, read as the ISO texts that they can stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_WORDS: Final = (
    "January February March April May June July August September October November December"
)
_MONTHS: Final = _WORDS.split(" ")
_NAMES: Final = "|".join(f"{each}|{each[:3]}\\.?" for each in _MONTHS)
_TH: Final = "(?:st|nd|rd|th)?"
_DATE: Final = re.compile(
    rf"""
    (?<![\w.,/-])(?:
        (?P<day>\d{{1,2}}){_TH}(?:[ ]of)?[ ](?P<month>{_NAMES})(?:,?[ ](?P<year>\d{{4}}))?
        |(?P<month2>{_NAMES})[ ](?P<day2>\d{{1,2}}){_TH}(?:,?[ ](?P<year2>\d{{4}}))?
        |(?P<month3>{_NAMES})[ ](?P<year3>\d{{4}})
        |(?P<one>\d{{1,2}})(?P<sign>[./])(?P<two>\d{{1,2}})(?P=sign)(?P<year4>\d{{4}})
    )(?![\w/]|[.,-]\d)
    """,
    re.VERBOSE,
)


class WrittenDate(NamedTuple):
    """A date at `start`:`end`. `forms` are what it can stand for: `2019-12-30`, `2019-12` for a
    month, `-12-30` for a day of any year."""

    start: int
    end: int
    forms: tuple[str, ...]


def find_dates(text: str) -> Iterator[WrittenDate]:
    """The dates with a month's name, and those such as 30.12.2019 or 12/30/2019."""
    for match in _DATE.finditer(text):
        forms = _numeric(match) if match["one"] else _named(match)
        if forms:
            yield WrittenDate(match.start(), match.end(), forms)


def _named(match: re.Match[str]) -> tuple[str, ...]:
    name = (match["month"] or match["month2"] or match["month3"])[:3]
    month = next(number for number, each in enumerate(_MONTHS, 1) if each.startswith(name))
    year = match["year"] or match["year2"] or match["year3"] or ""
    day = match["day"] or match["day2"]
    return _iso(year, month, int(day) if day else None)


def _numeric(match: re.Match[str]) -> tuple[str, ...]:
    """30.12.2019 has the day first, 12/30/2019 the month; 3/4/2019 can be meant in two ways."""
    one, two = int(match["one"]), int(match["two"])
    forms = _iso(match["year4"], two, one)
    return forms if match["sign"] == "." else (*_iso(match["year4"], one, two), *forms)


def _iso(year: str, month: int, day: int | None) -> tuple[str, ...]:
    if month not in range(1, 13) or (day is not None and day not in range(1, 32)):
        return ()
    return (f"{year}-{month:02d}" + ("" if day is None else f"-{day:02d}"),)
