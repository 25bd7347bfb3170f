"""Which part each column of a result plays: a time, a name of rows, a measure, or a by-product."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.language.words import split_identifier
from flows.analysis.methods.method import words
from flows.analysis.methods.sheet import Sheet, known
from flows.analysis.team.rules.rendering import is_blank

_TIMES: Final = words("year month quarter week day date time period")
_YEARS: Final = range(1500, 2301)
_ISO: Final = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2}(?:[T ].*)?)?|[- ]?Q[1-4]|-W\d{2})?")
_CLOCK: Final = re.compile(r"\d{2}:\d{2}")
# What statistics say beside a result, by the names that they have everywhere.
_BESIDE: Final = words(
    """
    rows left_out p_value p_adjusted p pvalue std_error degrees statistic significant test
    effect effect_size bins n rank row_number index
    """
)
_ADDED: Final = words(
    """
    total sum count number amount revenue sale turnover quantity qty volume population pop
    unit order profit cost spend spending visit customer budget expense
    """
)
_NOT_ADDED: Final = words(
    """
    average avg mean median rate ratio percent pct percentage share per index score max
    min maximum minimum price capita temperature age std deviation change growth median
    """
)
_SUMMED: Final = re.compile(r"^(?:sum|count)\(", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultColumns:
    """The names of a result's columns by what they are."""

    times: tuple[str, ...]
    labels: tuple[str, ...]
    measures: tuple[str, ...]


def parts_of(sheet: Sheet) -> ResultColumns:
    """Each column by its type, its values and its name; those that play no part are left out."""
    times, labels, measures = [], [], []
    for column, kind in zip(sheet.columns, sheet.types, strict=True):
        values = [each for each in sheet.values(column) if not is_blank(each)]
        if not values or sheet.columns.count(column) > 1:
            continue
        if is_time(column, kind, values):
            times.append(column)
        elif column.casefold() in _BESIDE:
            continue
        elif len(known(sheet.numbers(column))) < len(values) or kind == "boolean":
            labels.append(column)
        elif not _is_key(column, values):
            measures.append(column)
    return ResultColumns(tuple(times), tuple(labels), tuple(measures))


def is_time(column: str, kind: str, values: Sequence[object]) -> bool:
    """Whether a column holds points in time: dates, texts of them, years."""
    words = set(split_identifier(column))
    if kind in ("date", "timestamp"):
        return True
    if all(isinstance(each, str) for each in values):
        return all(_ISO.fullmatch(str(each)) or _CLOCK.match(str(each)) for each in values)
    whole = all(isinstance(each, int) and not isinstance(each, bool) for each in values)
    of_year = split_identifier(column)[-1] == "year"
    if not whole or not words & _TIMES or (len(words) > 2 and not of_year):
        return False
    years = all(isinstance(each, int) and each in _YEARS for each in values)
    return years if "year" in words else words <= {*_TIMES, "number", "no"}


def _is_key(column: str, values: Sequence[object]) -> bool:
    """Whether numbers only name rows: `id`, `order_id`, a postcode."""
    words = split_identifier(column)
    return words[-1] in ("id", "key", "code", "zip", "postcode") and all(
        isinstance(each, int) for each in values
    )


def adds_up(sheet: Sheet, column: str) -> bool:
    """Whether a total of the column means something: of amounts and counts, not of averages."""
    if any(each < 0 for each in known(sheet.numbers(column))):
        return False
    if meaning := sheet.meanings.get(column, ""):
        if _SUMMED.match(meaning):
            return True
        if re.match(r"^(?:avg|mean|median|min|max)\(", meaning, re.IGNORECASE):
            return False
    words = set(split_identifier(column))
    return bool(words & _ADDED) and not words & _NOT_ADDED
