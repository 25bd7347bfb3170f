"""Dates and times that are written as text, and the column that says when a row happened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from flows.data.tables import Dialect, Table
from flows.semantics.inference.words import stems_of
from flows.semantics.model import DataType, SemanticField, Time

_DATES = (
    "%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%m.%d.%Y", "%d-%m-%Y",
    "%m-%d-%Y", "%d %m %Y", "%d/%m/%y", "%m/%d/%y", "%y/%m/%d", "%d.%m.%y", "%y.%m.%d", "%d-%m-%y",
    "%m-%d-%y", "%y-%m-%d", "%b %d, %Y",
    "%B %d, %Y", "%b %d %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%d-%b-%y", "%d/%b/%Y",
    "%d %b, %Y", "%d. %B %Y", "%a, %d %b %Y",
)  # fmt: skip
_CLOCKS = ("%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%I:%M%p", "%H:%M:%S.%f")
_MONTHS = ("%Y-%m", "%m/%Y", "%Y/%m", "%b %Y", "%B %Y", "%b-%Y", "%b-%y", "%B-%Y")
_JOINED = tuple(f"{day}{gap}{clock}" for day in _DATES for gap in (" ", "T") for clock in _CLOCKS)
# All ways in which dates and times are looked for.
FORMATS = (*_DATES, *_MONTHS, *_JOINED, *(f"{each}Z" for each in _JOINED if "T" in each))
_LIKELY = re.compile(r"\s*(?:\d{1,4}|[A-Za-z]{3,9})[-/., :].*\d.*")
_PART = re.compile(r"%(\w)")
_FIGURES = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_WIDTHS = {"Y": 4, "m": 2, "d": 2, "H": 2, "M": 2, "S": 2, "y": 2}
_YEAR = re.compile(r"\d{4}")
_TRIED = 60
_MOST_LOOKS = 3
_FIRST_OF_MONTHS = 3
_FEWER = 2
# Names of times that say when something else than the row itself happened, or what was planned.
_LATER_TEXT = """
    updated update modified changed deleted birth born dob expiry expires expiration expire end
    ended until valid due deadline closed resolved shipped delivered delivery ship paid
    cancelled canceled required scheduled sched last previous next planned expected target
    arrival arr return returned completed finished stop release last_seen sync synced loaded etl
    hired to back
"""
LATER = frozenset(_LATER_TEXT.split())
_EARLIER_TEXT = """
    date datum fecha time timestamp datetime created ordered order start started begin placed
    occurred event transaction invoice sale booking posted period month year day when at issued
    opened signup registered hire
"""
_EARLIER = frozenset(_EARLIER_TEXT.split())


def written_times(values: Sequence[str], dialect: Dialect) -> tuple[Time, DataType] | None:
    """How texts are read as dates or times, and which of them they are; None when one of them is
    none, when they could be read in two ways that differ, or not at all by the database. Dates of
    one column may be written in up to three ways that look different."""
    if len(values) < 2 or not all(_LIKELY.fullmatch(each) for each in values[:_TRIED]):
        return None
    groups: dict[str, list[str]] = {}
    for each in values:
        groups.setdefault(_look(each), []).append(each)
        if len(groups) > _MOST_LOOKS:
            return _one_form(values, dialect)
    forms = [_form(group, dialect) for group in groups.values()]
    known = sorted({each for each in forms if each is not None}, key=FORMATS.index)
    if None in forms or len({_type(each) for each in known}) != 1:
        return _one_form(values, dialect)
    return Time(format=known[0], others=tuple(known[1:])), _type(known[0])


def _one_form(values: Sequence[str], dialect: Dialect) -> tuple[Time, DataType] | None:
    form = _form(values, dialect)
    return None if form is None else (Time(format=form), _type(form))


def _form(values: Sequence[str], dialect: Dialect) -> str | None:
    """The one form in which all of some texts are written."""
    first = _skeleton(values[0])
    fitting = [each for each in FORMATS if _skeleton(_PART.sub(_example, each)) == first]
    fitting = [each for each in fitting if _reads(values[:_TRIED], each)]
    fitting = [each for each in fitting if _reads(values, each)]
    if len(fitting) > 1:
        fitting = _agreed(values, fitting)
    return next((each for each in fitting if _is_readable(values, each, dialect)), None)


def _look(text: str) -> str:
    """What tells the ways to write a date apart: its marks, and where its year stands."""
    return _skeleton(_YEAR.sub("Y", text))


def read_time(text: str, cleaning: Time, type_: DataType) -> str | None:
    """The date or time that a text is by its cleaning, in ISO form; None for one that is none."""
    forms = (cleaning.format, *cleaning.others)
    found = next((read for each in forms if (read := _read(text, each)) is not None), None)
    if found is None:
        return None
    return found.date().isoformat() if type_ == "date" else found.isoformat(" ")


def time_of(table: Table, fields: Sequence[SemanticField], noun: str) -> str:
    """The name of the field that says when a row happened; empty where there is none."""
    begun = {each.name: str(each.minimum or "") for each in table.columns}
    ranked = sorted(
        (_rank(each, noun), str(each.least or begun.get(each.column) or "~"), place, each.name)
        for place, each in enumerate(fields)
        if each.role == "time"
    )
    return ranked[0][-1] if ranked and ranked[0][0][0] < _CLOCK else ""


# Dates before years, and clocks never.
_KINDS = {"date": 0, "timestamp": 0, "integer": 1, "text": 1, "real": 1}
_CLOCK = 2


def _rank(field: SemanticField, noun: str) -> tuple[int, int]:
    """What a field holds and its name says; of equal ones the one that began first is taken."""
    words = set(stems_of(field.name))
    told = 0
    if words & LATER:
        told = 2
    elif not words & _EARLIER and not words & set(noun.split()):
        told = 1
    return _KINDS.get(field.type, _CLOCK), told


def _skeleton(text: str) -> str:
    """A text with a 9 for each run of figures and an a for each of letters."""
    return _LETTERS.sub("a", _FIGURES.sub("9", text))


def _example(part: re.Match[str]) -> str:
    return "a" if part[1] in "aAbBp" else "9"


def _reads(values: Sequence[str], form: str) -> bool:
    return all(_read(each, form) is not None for each in values)


def _read(text: str, form: str) -> datetime | None:
    try:
        found = datetime.strptime(text, form)
    except ValueError:
        return None
    return found if "%Y" not in form or 1000 <= found.year <= 9999 else None


def _agreed(values: Sequence[str], forms: Sequence[str]) -> list[str]:
    """The forms that are left where all mean the same, or where one of them makes every day the
    first of its month, as in monthly figures, and no other does; or where one of them makes far
    fewer years of them than the others: days read as years are those of a generation."""
    read = {form: tuple(_read(each, form) for each in values) for form in forms}
    if len(set(read.values())) == 1:
        return list(forms[:1])
    years = {form: len({each.year for each in dates if each}) for form, dates in read.items()}
    fewest = min(years.values())
    near = [form for form in forms if years[form] <= _FEWER * fewest]
    if len(near) < len(forms):
        return near if len(near) == 1 else _agreed(values, near)
    if all("." in form for form in forms) and forms[0].startswith("%d.%m"):
        return list(forms[:1])  # with points the day is first, where it can be
    firsts = [form for form, dates in read.items() if {each.day for each in dates if each} == {1}]
    months = len(set(read[firsts[0]])) if len(firsts) == 1 else 0
    return firsts if months >= _FIRST_OF_MONTHS else []


def _is_readable(values: Sequence[str], form: str, dialect: Dialect) -> bool:
    """Whether the database can read it: SQLite and PostgreSQL only figures of a fixed width, MySQL
    no whole names of months."""
    parts = _PART.findall(form)
    if dialect == "mysql":
        return not {"B", "f"} & set(parts)
    if dialect == "duckdb":
        return True
    width = len(_PART.sub("", form)) + sum(_WIDTHS.get(each, 0) for each in parts)
    return _WIDTHS.keys() >= set(parts) and all(len(each) == width for each in values)


def _type(form: str) -> DataType:
    return "timestamp" if "%H" in form or "%I" in form else "date"
