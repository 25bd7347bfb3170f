"""Periods that a question names: a year, a quarter, a month or a day."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal, cast

from flows.analysis.language.phrasebook import RELATIVE as PERIODS
from flows.analysis.language.words import MONTHS
from flows.semantics.calendar import start
from flows.semantics.model import Calendar

Grain = Literal["year", "quarter", "month", "day"]
# As an argument holds it: 2024, 2024-Q1, 2024-03, 2024-03-15, or 2024-03-15..2024-05-02.
_DAY: Final = r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
WRITTEN: Final = rf"^(?:\d{{4}}(?:-(?:Q[1-4]|(?:0[1-9]|1[0-2])))?|{_DAY}(?:\.\.{_DAY})?)$"
_LENGTHS: Final[dict[Grain, int]] = {"year": 12, "quarter": 3, "month": 1}
_YEAR: Final = r"(?:19|20)\d\d"
_MONTH: Final = rf"(?:(?:{'|'.join((*MONTHS, *(each[:3] for each in MONTHS)))}|sept)\b\.?)"
_NUMBERS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 4}
_QUARTER: Final = rf"(?:Q[1-4]|(?:the )?(?:{'|'.join(_NUMBERS)}|1st|2nd|3rd|4th) quarter)"
# What people write for one; a month or a quarter may have its year elsewhere.
SAID: Final = (
    rf"(?:{_YEAR}-(?:0[1-9]|1[0-2])(?:-\d\d)?|{_YEAR}[- ]?Q[1-4]|"
    rf"(?:{_MONTH}|{_QUARTER})(?:(?: of|,)? {_YEAR})?|(?:the year )?{_YEAR})"
)
# What people write for one that is counted from the last day of the data, as `last year`.
RELATIVE: Final = rf"(?:(?:{PERIODS.pattern()}) (?:year|quarter|month))"


@dataclass(frozen=True, slots=True)
class CalendarPeriod:
    """A period of the calendar by its first day; one of days may have a last day of its own."""

    start: date
    grain: Grain
    last: date | None = None

    @property
    def end(self) -> date:
        """The first day after it."""
        return self.last + timedelta(days=1) if self.last else self.moved(1).start

    def moved(self, steps: int) -> CalendarPeriod:
        """The period so many steps later."""
        if self.last is not None:
            away = (self.end - self.start) * steps
            return CalendarPeriod(self.start + away, "day", self.last + away)
        if self.grain == "day":
            return CalendarPeriod(self.start + timedelta(days=steps), "day")
        months = self.start.year * 12 + self.start.month - 1 + steps * _LENGTHS[self.grain]
        return CalendarPeriod(date(months // 12, months % 12 + 1, 1), self.grain)

    def year_before(self) -> CalendarPeriod:
        """The same period a year earlier."""
        steps: dict[Grain, int] = {"year": 1, "quarter": 4, "month": 12, "day": 365}
        return self.moved(-steps[self.grain])

    def __str__(self) -> str:
        if self.last is not None:
            return f"{self.start.isoformat()}..{self.last.isoformat()}"
        if self.grain == "quarter":
            return f"{self.start.year}-Q{(self.start.month + 2) // 3}"
        return self.start.isoformat()[: {"year": 4, "month": 7, "day": 10}[self.grain]]


def period_of(written: str) -> CalendarPeriod:
    """The period of an argument. ValueError for a day that there is not."""
    first, _, last = written.partition("..")
    if last:
        return CalendarPeriod(date.fromisoformat(first), "day", date.fromisoformat(last))
    year, _, rest = written.partition("-")
    if rest.startswith("Q"):
        return CalendarPeriod(date(int(year), 3 * int(rest[1]) - 2, 1), "quarter")
    month, _, day = rest.partition("-")
    grain: Grain = "day" if day else "month" if month else "year"
    return CalendarPeriod(date(int(year), int(month or 1), int(day or 1)), grain)


def period_before(said: str, today: date) -> CalendarPeriod | None:
    """The period that `last year` and the like name, by the day that is today."""
    match = re.fullmatch(r"(.+) (year|quarter|month)", said, re.IGNORECASE)
    steps = PERIODS.read(match[1]) if match else None
    if match is None or steps is None:
        return None
    grain = cast(Grain, match[2].casefold())
    return CalendarPeriod(start(today, grain, Calendar()), grain).moved(steps)


def find_periods(text: str) -> list[str]:
    """What a text names as periods, as arguments hold them. One without a year of its own has the
    year of another; where none is said, it is written without (`-03`)."""
    found = [_written(each.group()) for each in re.finditer(SAID, text, re.IGNORECASE)]
    year = next((each[:4] for each in reversed(found) if not each.startswith("-")), "")
    return [f"{year}{each}" if each.startswith("-") else each for each in found]


def _written(said: str) -> str:
    year = match.group() if (match := re.search(_YEAR, said)) else ""
    if re.fullmatch(r"\d{4}-\d\d(?:-\d\d)?", said):
        return said
    if match := re.search(r"Q([1-4])", said, re.IGNORECASE):
        return f"{year}-Q{match[1]}"
    if match := re.search(r"(\w+) quarter", said, re.IGNORECASE):
        word = match[1].casefold()
        return f"{year}-Q{_NUMBERS.get(word) or word[0]}"
    if match := re.match(r"[a-z]{3}", said.casefold().removeprefix("the year ")):
        months = [each[:3] for each in MONTHS]
        return f"{year}-{months.index(match.group()) + 1:02}"
    return year
