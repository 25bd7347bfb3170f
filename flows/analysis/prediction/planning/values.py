"""What the values of a column look like, by the distinct ones that its profile keeps."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from flows.data.tables import Column

MISSING_WORDS: Final = frozenset(
    {"", "na", "n/a", "#n/a", "nan", "null", "none", "nil", "?", "-", "--", ".", "missing"}
)
_NUMBER = re.compile(r"^[$€£¥~<>≈]?\s*\(?[+-]?\d[\d.,' ]*\)?\s*([^\W\d_]{0,6}|%|[$€£¥])\.?$")
_DATE = re.compile(
    r"^\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})"
    r"|\d{1,2}[ -][A-Za-z]{3,9}\.?,?[ -]\d{2,4}|[A-Za-z]{3,9}\.? \d{1,2},? \d{4})"
    r"(?:[T ,]+\d{1,2}:\d{2}.*)?\s*$"
)
_DIGITS = re.compile(r"^(?:19|20)\d{6}$")
_MARKED = re.compile(r"[^\s/,;:|_#-]\s*[/,;:|_#-]\s*[^\s/,;:|_#-]")
_MEETING = re.compile(r"^[A-Za-z]{1,5}\d{1,8}$|^\d{1,8}[A-Za-z]{1,5}$")
_LOOKED_AT = 500
# Numbers that people write for one that is missing.
_MARKERS = tuple(sign * number for number in (99, 999, 9999, 99999, 999999) for sign in (-1, 1))


def known_values(column: Column) -> list[str]:
    """Distinct values, most frequent first, without words for a missing one."""
    return [
        each for each in column.values[:_LOOKED_AT] if each.strip().casefold() not in MISSING_WORDS
    ]


def words_of(column: Column) -> float:
    """How many words a value has on average."""
    values = known_values(column)
    return sum(len(each.split()) for each in values) / max(1, len(values))


def are_numbers(column: Column) -> bool:
    """Texts that are numbers, with units or separators, and no codes of fixed length."""
    values = known_values(column)
    found = [form for form in map(_NUMBER.match, (each.strip() for each in values)) if form]
    if len(values) < 3 or len(found) < 0.9 * len(values):
        return False
    if any(re.match(r"^0\d", each.strip()) for each in values):
        return False
    return len({form[1].casefold() for form in found}) <= 5


def are_dates(column: Column) -> bool:
    """Texts, or whole numbers of eight digits, that are dates."""
    values = known_values(column)
    if len(values) < 2:
        return False
    if all(_DIGITS.match(each) for each in values):
        return sum(map(_is_day, values)) >= 0.98 * len(values)
    if column.type != "text":
        return False
    return sum(bool(_DATE.match(each)) for each in values) >= 0.9 * len(values)


def are_codes(column: Column) -> bool:
    """Texts of few words with parts: marks between them, or letters that meet digits."""
    values = known_values(column)
    if not values or words_of(column) > 8:
        return False
    found = sum(bool(_MARKED.search(each) or _MEETING.match(each.strip())) for each in values)
    return found >= 0.7 * len(values)


def missing_numbers(column: Column) -> list[float]:
    """Numbers such as -999 that stand far from all others of the column, and repeat."""
    if column.type not in ("integer", "real") or len(column.values) < 4:
        return []
    try:
        numbers = sorted(float(each) for each in column.values)
    except ValueError:
        return []
    counts = {float(each.value): each.count for each in column.top if _is_number(each.value)}
    found = []
    for marker in _MARKERS:
        rest = [each for each in numbers if each != marker and each not in _MARKERS]
        if counts.get(marker, 0) < max(2, 0.002 * column.rows) or len(rest) < 3:
            continue
        gap = rest[0] - marker if marker < rest[0] else marker - rest[-1]
        wrong_sign = marker < 0 <= rest[0]
        spread = rest[-1] - rest[0]
        if gap > (0.5 if wrong_sign else 1.5) * spread:
            found.append(float(marker))
    return found


def has_variants(column: Column) -> bool:
    """Whether two values differ by case, blanks or marks alone, or look like typing errors."""
    values = known_values(column)
    plain = {re.sub(r"[\s_\-]+", " ", each).strip().casefold() for each in values}
    return len(plain) < len(values) or any(each != each.strip() for each in values)


def _is_day(text: str) -> bool:
    try:
        date(int(text[:4]), int(text[4:6]), int(text[6:]))
    except ValueError:
        return False
    return True


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def day_first(column: Column) -> bool:
    """Whether the day stands before the month in dates as text, as far as values tell."""
    days = months = 0
    for each in known_values(column):
        found = re.match(r"^\s*(\d{1,2})([./-])(\d{1,2})\2\d{2,4}", each)
        if found:
            days += int(found[1]) > 12 or found[2] == "."
            months += int(found[3]) > 12
    return days > months
