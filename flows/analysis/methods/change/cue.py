"""What asks why something has changed, and how the text is read."""

from __future__ import annotations

import re
from datetime import date
from typing import Final, Literal

from flows.analysis.methods.arguments import groups, plots
from flows.analysis.methods.change.arguments import Change
from flows.analysis.methods.change.period import (
    RELATIVE,
    SAID,
    CalendarPeriod,
    find_periods,
    period_before,
    period_of,
)
from flows.analysis.methods.columns import categories
from flows.analysis.methods.method import Cue, MethodRequest, setting, words
from flows.analysis.reading.draft import is_time
from flows.analysis.reading.reader import Unread
from flows.data.tables import Column, Table
from flows.semantics.calendar import last_day
from flows.semantics.inference.quantities import additive_of, adds_up

# More columns than this that nobody named are not tried.
_MOST_SPLITS: Final = 4
# Words in the name of what a table is about where a question names no measure.
_OUTCOMES: Final = words("revenue sale sales turnover amount total income")
_FALL = (r"(?:falls?|fell|fallen|falling|drop(?:s|ped|ping)?|declin(?:e[sd]?|ing)|"
         r"decreas(?:e[sd]?|ing)|s[hl]ump(?:s|ed)?|s[ai]nks?|sunk|shr[aiu]nk\w*|reduc(?:ed?|tion)|"
         r"dip(?:s|ped)?|(?:go|goes|going|went|gone|come|came) down)")  # fmt: skip
_RISE = (r"(?:rises?|rose|risen|rising|gr[eo]w(?:s|n|ing|th)?|increas(?:e[sd]?|ing)|"
         r"climb(?:s|ed)?|jump(?:s|ed)?|surg(?:e[sd]?|ing)|(?:go|goes|going|went|gone|come|came) "
         r"up)")  # fmt: skip
_MOVE = rf"(?:{_FALL}|{_RISE}|chang(?:e[sd]?|ing))"
_CAUSING = (
    r"(?:explain(?:s|ed)?|caus(?:e[sd]?|ing)|dr[oi]ve[sn]?|driving|behind|led to|leads to|"
    r"responsible|account(?:s|ed)? for|contribut(?:e[sd]?|ing)|(?:the )?(?:main )?reasons? for|"
    r"to blame)"
)
_WHEN = rf"(?:{SAID}|{RELATIVE})"
_THAN = r"(?:compared (?:to|with)|against|versus|vs\.?|relative to|over|after|than)"


def _read(request: MethodRequest) -> Change | Unread:
    time = request.draft.time_column()
    if time is None:
        return Unread(f"{request.table.name} has no column that says when: no date, month or year "
                      "of time")  # fmt: skip
    if time.name in request.filtered:
        return Unread("it does not say clearly which two periods are to be compared")
    periods = _periods(request, time)
    if isinstance(periods, Unread):
        return periods
    measure = _measure(request)
    if isinstance(measure, Unread):
        return measure
    before, after = periods
    request.draft.note(f"{after} is compared with {before}")
    given = {
        "fields": tuple(filter(None, (measure,))),
        "time": time.name,
        "period": str(after),
        "before": str(before),
        "group": _splits(request, measure, time.name),
        "how": _how(request, measure),
        "expected": _expected(request.text),
    }
    return request.make(Change, given)


def _periods(
    request: MethodRequest, time: Column
) -> tuple[CalendarPeriod, CalendarPeriod] | Unread:
    """The period before, and the one that is asked about."""
    if "relative" in request.settings:
        return _counted(request.settings["relative"], request.table, time)
    found = find_periods(request.settings.get("periods") or request.settings.get("period", ""))
    if not found:
        return Unread("it does not say in which year, quarter or month, such as in 2024 or in "
                      "March 2024")  # fmt: skip
    try:
        made = sorted((period_of(_dated(each, time)) for each in found), key=lambda p: p.start)
    except ValueError as error:
        return Unread(str(error))
    if len(made) > 1:
        return made[0], made[-1]
    [after] = made
    return (after.year_before() if "yearly" in request.settings else after.moved(-1)), after


def _counted(
    said: str, table: Table, time: Column
) -> tuple[CalendarPeriod, CalendarPeriod] | Unread:
    """A period that is counted from the last day of the data, and the one before it."""
    today = last_day([table]) or _end_of(time)
    after = period_before(said, today) if today else None
    if after is None:
        return Unread(f"it is not known when {said!r} is")
    return after.moved(-1), after


def _end_of(time: Column) -> date | None:
    """The last day of a column of years."""
    last = str(time.maximum)
    return date(int(last), 12, 31) if re.fullmatch(r"[12]\d{3}", last) else None


def _dated(written: str, time: Column) -> str:
    """A period with its year: without one, the only year that the column has."""
    years = {str(each)[:4] for each in (time.minimum, time.maximum)}
    if not written.startswith("-"):
        return written
    if len(years) != 1 or not min(years).isdigit():
        raise ValueError("it does not say of which year, and there are several")
    return f"{min(years)}{written}"


def _measure(request: MethodRequest) -> str | Unread:
    """The column of numbers that has changed; empty for the count of rows."""
    named = [c.name for c in request.columns if plots(c) and not is_time(c)]
    figures = [name for name in named if name in request.measures] or named
    figures = [name for name in figures if name != request.group]
    if len(figures) == 1:
        return figures[0]
    if not figures and request.says(r"\b(?:number|count) of\b|\bhow many\b"):
        return ""
    if not figures:
        table = request.draft.schema.words_by_name
        known = list(request.measures)
        added = [name for name in known if adds_up(request.draft.schema.by_name[name])]
        outcomes = [name for name in added if _OUTCOMES & set(table[name])]
        for each in (known, added, outcomes):
            if len(each) == 1:
                request.draft.note(f"{each[0]} is taken for what has changed")
                return each[0]
    several = " or ".join(figures or request.measures)
    return Unread(f"it does not say which one column has changed: {several}" if several
                  else f"{request.table.name} has no column of measured numbers")  # fmt: skip


def _splits(request: MethodRequest, measure: str, time: str) -> tuple[str, ...]:
    """The columns that are named beside the measure, else each of few values."""
    named = [c.name for c in request.columns if groups(c) and not plots(c) and not is_time(c)]
    said = dict.fromkeys(filter(None, (request.group, *named)))
    if said:
        return tuple(said)
    used = (measure, time, *request.filtered)
    return tuple(categories(request.table, used)[:_MOST_SPLITS])


def _how(request: MethodRequest, measure: str) -> str:
    if not measure:
        return "count"
    column = request.of(measure)
    additive = additive_of(
        column.name, column.unit, column.minimum, column.maximum, whole=column.type == "integer"
    )
    averaged = request.says(r"\b(?:average|mean)\b") or additive != "all"
    request.draft.note(f"rows of {measure} are {'averaged' if averaged else 'added up'}")
    return "mean" if averaged else "sum"


def _expected(text: str) -> Literal["", "fall", "rise"]:
    """What the question takes for granted; nothing where it says both or neither."""
    falls, rises = (re.search(rf"\b{each}\b", text, re.IGNORECASE) for each in (_FALL, _RISE))
    if bool(falls) == bool(rises):
        return ""
    return "fall" if falls else "rise"


CUE = Cue(
    read=_read,
    words=rf"(?:why|how come)(?= .*\b{_MOVE}\b)|"
          rf"(?:what|which|who)(?= .*\b{_CAUSING}\b.* {_MOVE}\b.*\b{_WHEN})|"
          rf"explain (?:why|the|an?)(?= (?:.* )?{_MOVE}\b.*\b{_WHEN})",
    noun=r"responsible for the",
    includes=words("growth trend summary_statistics chart"),
    settings=(
        setting("yearly", rf"(?:\b{_THAN} )?(?:the )?(?:\bsame (?:month|quarter|period|time) )?"
                r"(?:of |in )?\b(?:(?:a|one|the|last|previous|prior) year (?:before|earlier|ago)|"
                r"(?:the )?(?:last|previous|prior) year)\b|\byear[- ]o(?:ver|n)[- ]year\b",
                only=rf"{SAID}"),
        setting("periods", rf"\b(?:from|between) {SAID} (?:to|and|until|till|into) {SAID}\b"),
        setting("periods", rf"\b(?:(?:in|during|for|of) )?{SAID},? (?:as )?{_THAN} {SAID}\b"),
        setting("step", rf"\b{_THAN} (?:the )?(?:(?:previous|prior|last) (?:year|month|quarter|"
                r"period|day)|(?:year|month|quarter|period|day|one) before)\b", only=rf"{SAID}"),
        setting("relative", rf"\b(?:(?:in|during|for|of|within|over) )?(?:the )?"
                rf"(?P<value>{RELATIVE})\b(?! (?:of )?\d)"),
        setting("period", rf"\b(?:(?:in|during|for|of|within) )?{SAID}\b"),
    ),
    around=words(
        """why how come what which who is are was were did does do has have had been it they that
        there the a an and or for to of in so such much sharply strongly sudden suddenly big large
        huge steep sharp overall total
        explain explains explained cause causes caused causing drive drives drove driven driving
        behind led leads responsible account accounts accounted contribute contributes contributed
        contributing contributor reason reasons main mainly mostly most blame
        fall falls fell fallen falling drop drops dropped dropping decline declines declined
        declining decrease decreases decreased decreasing slump slumped sink sank sunk shrink
        shrank shrunk reduce reduced reduction dip dipped go goes going went gone came down
        rise rises rose risen rising grow grew grows grown growing growth increase increases
        increased increasing climb climbs climbed jump jumps jumped surge surged up
        change changes changed changing average mean number count"""
    ),
    timed=True,
)  # fmt: skip
