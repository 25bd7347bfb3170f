"""The periods of time that a question names: `last month`, `in Q2`, `between 3 and 9 May`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Final, Literal

from flows.analysis.language.words import MONTHS, NUMBER_WORDS

PeriodGrain = Literal["day", "week", "month", "quarter", "year", ""]

_YEAR = r"(?:19|20)\d\d"
_MONTH = rf"(?:{'|'.join((*MONTHS, *(each[:3] for each in MONTHS)))}|sept)\b\.?"
_DAY = r"[0-3]?\d(?:st|nd|rd|th)?"
_WEEKDAYS: Final = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTED = rf"(?:\d{{1,3}}|{'|'.join(each for each in NUMBER_WORDS if each != 'once')}|few)"
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3}
_STEPS: Final = {"last": -1, "past": -1, "previous": -1, "this": 0, "current": 0, "next": 1,
                 "coming": 1, "following": 1}  # fmt: skip
_NEAR: Final = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}
_LENGTH: Final = {"day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}
_PATTERN: Final = re.compile(
    rf"(?P<iso>\b{_YEAR}-\d\d-\d\d\b)"
    rf"|(?P<isomonth>\b{_YEAR}-(?:0[1-9]|1[0-2])\b(?!-))"
    rf"|(?P<near>\b(?:{'|'.join(_NEAR)})\b)"
    rf"|\b(?P<ago>{_COUNTED}|an?) (?P<agounit>day|week|month|year)s? ago\b"
    rf"|\b(?:the )?(?P<side>last|past|previous|next|coming) (?P<many>{_COUNTED}) "
    r"(?P<manyunit>day|week|month|quarter|year)s\b"
    rf"|\b(?:the )?(?P<step>{'|'.join(_STEPS)}) (?P<unit>week|month|quarter|year)\b(?! \d)"
    rf"|\b(?:(?P<wstep>last|next|this|on) )(?P<weekday>{'|'.join(_WEEKDAYS)})\b"
    rf"|\b(?:the )?(?P<half>first|second|1st|2nd) half(?: of (?:the year )?(?P<halfyear>{_YEAR}))?"
    rf"|\b(?:the )?(?:Q(?P<quarter>[1-4])|(?P<ordinal>{'|'.join(_ORDINALS)}) quarter)\b"
    rf"(?:,?(?: of| in)? (?:the year )?(?P<qyear>{_YEAR})\b|,? of this year\b)?"
    rf"|\b(?:the )?(?P<day>{_DAY}) (?:of )?(?P<dmonth>{_MONTH})(?:,? (?P<dyear>{_YEAR})\b)?"
    rf"|\b(?P<emonth>{_MONTH}) (?:the )?(?P<eday>{_DAY})\b(?![\d-])(?:,? (?P<eyear>{_YEAR})\b)?"
    rf"|\b(?P<month>{_MONTH})(?:,?(?: of| in)? (?P<myear>{_YEAR})\b)?"
    rf"|(?<![\w.,/-])(?P<year>{_YEAR})\b(?![\w-]|[.,]\d)",
    re.IGNORECASE,
)
# The first of two days that share their month: `between 3 and 9 May`, `3-9 May`.
_SHORT: Final = re.compile(
    rf"\b(?:the )?(?P<first>{_DAY})\s*(?:and|to|until|till|-|\u2013)\s*"
    rf"(?=(?:the )?{_DAY} (?:of )?{_MONTH})",
    re.IGNORECASE,
)
_TO: Final = re.compile(r"\s*(?:to|until|till|through|and|-|\u2013)\s*(?:the )?$", re.IGNORECASE)
_RANGED: Final = re.compile(r"\b(?:from|between)\s+(?:the )?$", re.IGNORECASE)
_SINCE: Final = re.compile(
    r"\b(?:since|from|starting(?: in| on| from)?)(?: the (?:start|beginning) of)?\s+$",
    re.IGNORECASE,
)
_AFTER: Final = re.compile(r"\b(?:after|later than)(?: the end of)?\s+$", re.IGNORECASE)
_UNTIL: Final = re.compile(r"\b(?:until|till|up to|by|through)(?: the end of)?\s+$", re.IGNORECASE)
_BEFORE: Final = re.compile(
    r"\b(?:before|prior to|earlier than)(?: the (?:start|beginning) of)?\s+$", re.IGNORECASE
)
_LEADS: Final = re.compile(r"\b(?:in|during|of|for|within|year|on|at|throughout)\s+(?:the )?$",
                           re.IGNORECASE)  # fmt: skip
_AHEAD: Final = re.compile(
    r"\b(?:will|coming|upcoming|next|due|planned|expected|scheduled|going to)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class TimePeriod:
    """The days from `first` to `last`, both of them in it; None where a side is open. `grain` is
    the unit of the calendar that it is, "" for any other length. `start` and `end` are its place in
    the text."""

    first: date | None
    last: date | None
    grain: PeriodGrain
    start: int
    end: int

    @property
    def written(self) -> tuple[str, ...]:
        """The ways in which an argument may hold it or one of its ends."""
        found: list[str] = []
        for each in (self.first, self.last):
            if each is not None:
                month, day = each.isoformat()[:7], each.isoformat()
                quarter = f"{each.year}-Q{(each.month + 2) // 3}"
                found += [day, month, quarter, str(each.year), str(each.month), quarter[-2:],
                          quarter[-1:]]  # fmt: skip
        return tuple(dict.fromkeys(found))

    def is_in(self, values: Collection[str]) -> bool:
        """Whether these values of arguments say the period, or one of its ends."""
        ends = [each for each in (self.first, self.last) if each is not None]
        if any(each.isoformat() in values for each in ends):
            return True
        first = self.first
        if first is None or self.grain not in ("month", "quarter", "year"):
            return False
        year, quarter = str(first.year), f"Q{(first.month + 2) // 3}"
        if self.grain == "year":
            return year in values
        if self.grain == "quarter":
            whole, parts = f"{year}-{quarter}", {quarter, quarter[1:]}
        else:
            whole, parts = f"{first:%Y-%m}", {str(first.month), f"{first:%m}", f"{first:%B}"}
        return whole in values or (year in values and bool(parts & set(values)))

    def holds(self, day: str) -> bool:
        """Whether a day, a month or a year in ISO form begins in it."""
        first = self.first.isoformat()[: len(day)] if self.first else ""
        last = self.last.isoformat()[: len(day)] if self.last else "9"
        return first <= day[:10] <= last


def periods_of(text: str, today: str = "") -> tuple[TimePeriod, ...]:
    """The periods of a text in order. Without `today` (YYYY-MM-DD) only those that say their year.

    `May` without a year is the last one that has begun, or that of this year where the text looks
    ahead.
    """
    now = date.fromisoformat(today) if today else None
    found: list[TimePeriod] = []
    for match in _PATTERN.finditer(text):
        named = _named(match, text, now)
        if named is None or (named.grain == "year" and match["year"] and not _is_led(text, match)):
            continue
        found = _with(found, named, text)
    return tuple(found)


def _is_led(text: str, match: re.Match[str]) -> bool:
    """Whether what stands before four figures lets them be a year."""
    before = text[: match.start()]
    sides = (_LEADS, _SINCE, _AFTER, _UNTIL, _BEFORE, _RANGED, _TO)
    return any(each.search(before) for each in sides)


def _with(found: list[TimePeriod], named: TimePeriod, text: str) -> list[TimePeriod]:
    """The periods with one more: the second end of a range, or one with an open side."""
    before = text[: named.start]
    if found and _TO.fullmatch(text[found[-1].end : named.start]):
        first = found[-1]
        if first.last is None or _RANGED.search(text[: first.start]):
            start = first.first
            if start is not None and named.last is not None and start > named.last:
                start = start.replace(year=start.year - 1)  # from November to March
            return [*found[:-1], TimePeriod(start, named.last, "", first.start, named.end)]
    short = next((m for m in _SHORT.finditer(text) if m.end() == named.start), None)
    if short is not None and named.first is not None and named.grain == "day":
        day = int(re.sub(r"\D", "", short["first"]))
        start = _day(named.first.year, named.first.month, day)
        return [*found, TimePeriod(start, named.last, "", short.start(), named.end)]
    return [*found, _opened(named, before)]


def _opened(named: TimePeriod, before: str) -> TimePeriod:
    """A period as the word before it has it: `since March` goes on, `before 2023` has no start."""
    if _SINCE.search(before):
        return replace(named, last=None, grain="")
    if _AFTER.search(before) and named.last is not None:
        return replace(named, first=named.last + timedelta(days=1), last=None, grain="")
    if _UNTIL.search(before):
        return replace(named, first=None, grain="")
    if _BEFORE.search(before) and named.first is not None:
        return replace(named, first=None, last=named.first - timedelta(days=1), grain="")
    return named


def _named(match: re.Match[str], text: str, now: date | None) -> TimePeriod | None:
    """The period that a match names by itself."""
    made = (
        _iso(match) or (now and _near(match, now)) or _day_named(match, text, now)
        or _part(match, text, now)
    )  # fmt: skip
    if made is None or made[0] is None or made[1] is None:
        return None
    return TimePeriod(made[0], made[1], made[2], match.start(), match.end())


_Made = tuple[date | None, date | None, PeriodGrain]


def _iso(match: re.Match[str]) -> _Made | None:
    if match["isomonth"]:
        year, month = map(int, match["isomonth"].split("-"))
        return _months(year, month, 1, "month")
    if not match["iso"]:
        return None
    day = _day(*map(int, match["iso"].split("-")))
    return day, day, "day"


def _near(match: re.Match[str], now: date) -> _Made | None:
    """Days and units that are counted from today."""
    if match["near"]:
        day = now + timedelta(days=_NEAR[match["near"].casefold()])
        return day, day, "day"
    if match["ago"]:
        day = now - timedelta(days=_number(match["ago"]) * _LENGTH[match["agounit"].casefold()])
        return day, day, "day"
    if match["weekday"]:
        away = (_WEEKDAYS.index(match["weekday"].casefold()) - now.weekday()) % 7
        step = match["wstep"].casefold()
        away = away - 7 if step in ("last", "on") and (away or step == "last") else away
        day = now + timedelta(days=away or (7 if step == "next" else 0))
        return day, day, "day"
    if match["many"]:
        days = _number(match["many"]) * _LENGTH[match["manyunit"].casefold()]
        if match["side"].casefold() in ("next", "coming"):
            return now, now + timedelta(days=days), ""
        return now - timedelta(days=days), now, ""
    return _step(match, now)


def _step(match: re.Match[str], now: date) -> _Made | None:
    if not match["step"]:
        return None
    step, unit = _STEPS[match["step"].casefold()], match["unit"].casefold()
    if unit == "week":
        monday = now - timedelta(days=now.weekday() - 7 * step)
        return monday, monday + timedelta(days=6), "week"
    if unit == "year":
        return _months(now.year + step, 1, 12, "year")
    if unit == "quarter":
        months = now.year * 12 + (now.month - 1) // 3 * 3 + 3 * step
        return _months(months // 12, months % 12 + 1, 3, "quarter")
    months = now.year * 12 + now.month - 1 + step
    return _months(months // 12, months % 12 + 1, 1, "month")


def _part(match: re.Match[str], text: str, now: date | None) -> _Made | None:
    """A half, a quarter, a month or a year by its name."""
    if match["year"]:
        return _months(int(match["year"]), 1, 12, "year")
    if match["half"]:
        first = 1 if match["half"].casefold() in ("first", "1st") else 7
        year = _year(match["halfyear"], first, text, now)
        return None if year is None else _months(year, first, 6, "")
    if match["quarter"] or match["ordinal"]:
        number = int(match["quarter"] or _ORDINALS[match["ordinal"].casefold()])
        year = _year(match["qyear"], 3 * number - 2, text, now)
        return None if year is None else _months(year, 3 * number - 2, 3, "quarter")
    if match["month"]:
        low, month = match["month"].casefold(), _month(match["month"])
        if low in ("may", "march", "mar", "jun", "dec", "sep") and not match["month"][0].isupper():
            return None
        year = _year(match["myear"], month, text, now)
        return None if year is None else _months(year, month, 1, "month")
    return None


def _day_named(match: re.Match[str], text: str, now: date | None) -> _Made | None:
    for number, name, year in (("day", "dmonth", "dyear"), ("eday", "emonth", "eyear")):
        if match[number]:
            month = _month(match[name])
            wanted = _year(match[year], month, text, now)
            if wanted is None:
                return None
            day = _day(wanted, month, int(re.sub(r"\D", "", match[number])))
            return day, day, "day"
    return None


def _year(said: str | None, month: int, text: str, now: date | None) -> int | None:
    """The year of a month: the one that is said there, or the last in which it has begun."""
    if said:
        return int(said)
    if now is None:
        return None
    return now.year if month <= now.month or _AHEAD.search(text) else now.year - 1


def _number(word: str) -> int:
    low = word.casefold()
    return {"few": 3, "a": 1, "an": 1}.get(low) or int(NUMBER_WORDS.get(low, 0) or low)


def _month(name: str) -> int:
    return [each[:3] for each in MONTHS].index(name.casefold()[:3]) + 1


def _day(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # the 31st of February is no day
        return None


def _months(year: int, month: int, count: int, grain: PeriodGrain) -> _Made:
    after = year * 12 + month - 1 + count
    last = date(after // 12, after % 12 + 1, 1) - timedelta(days=1)
    return date(year, month, 1), last, grain


def written_periods(text: str, today: str = "") -> Iterator[str]:
    """All ways in which arguments may hold the periods of a text."""
    for each in periods_of(text, today):
        yield from each.written
    if today:
        yield today
