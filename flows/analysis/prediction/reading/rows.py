"""Which rows are which: what identifies them, which belong together, which come later."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.prediction.reading.columns import column_of, find_columns, names_of, words_of
from flows.analysis.prediction.reading.passages import TaskSentence
from flows.data.tables import Column, Table

_IDENTIFIES: Final = re.compile(
    r"\b(?:identif(?:y|ies|ier)|unique(?:ly)?|id column|row number|primary key|eindeutig\w*|"
    r"kennung|schlüssel|identifizier\w*)\b",
    re.IGNORECASE,
)
_TOGETHER: Final = re.compile(
    r"\b(?:(?:the )?same|several|multiple|repeated|more than one|many|mehrere|dieselbe\w*|"
    r"gleiche\w*|group\w*|gruppier\w*|no .{1,30} (?:is|appears?|occurs?) in both|"
    r"(?:new|unseen|other|different|neue\w*|andere\w*)|do(?:es)? not (?:appear|occur|overlap))\b",
    re.IGNORECASE,
)
_LATER: Final = re.compile(
    r"\b(?:future|forecast\w*|later|next|following (?:days?|weeks?|months?|years?)|upcoming|"
    r"chronolog\w*|time series|after the|zukünftig\w*|später\w*|zukunft|zeitreihe\w*|"
    r"nächste\w*|folgende\w*|vorhersagezeitraum)\b",
    re.IGNORECASE,
)
_TIME_TEXT: Final = """
    date time timestamp datetime day days week month year hour period step t datum zeit tag woche
    monat jahr stunde zeitpunkt quarter quartal season when
"""
_TIME_WORDS: Final = frozenset(_TIME_TEXT.split())
_GROUP_NAME: Final = re.compile(r"(?:^|_)(?:id|nr|no|code|key|group|gruppe)s?$|Id$|ID$|Nr$")
_TIME_TYPES: Final = ("date", "timestamp")
# Of a column with groups each has at least so many rows on average.
_ROWS_OF_GROUP: Final = 1.5
_MANY_GROUPS: Final = 10
_LARGE_GROUP: Final = 50
_MOST_SHARED: Final = 0.02
_DATE_TEXT: Final = re.compile(
    r"\s*(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{8}|\d{4}-\d{2}|"
    r"\d{1,2}[ .-]{0,2}(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\w*"
    r"[ .,-]*\d{2,4}|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*[ .-]+\d{1,2},?[ -]+\d{2,4})"
    r"(?:[T ]\d{1,2}:\d{2}(?::\d{2})?.*)?\s*",
    re.IGNORECASE,
)


def read_identifier(
    texts: Sequence[TaskSentence],
    train: Table,
    test: Table | None,
    sample: Table | None,
    targets: Sequence[str],
) -> tuple[str | None, str]:
    """The column that identifies a row in train and test, and why; None where there is none."""
    home = test or train
    if sample is not None:
        for each in sample.columns:
            found = column_of(home, each.name)
            if found is not None and found.name not in targets:
                own = column_of(train, found.name)
                if own is None:
                    return None, f"train has no {found.name!r}, which identifies the rows of test"
                return own.name, "the sample submission begins with it"
    unique = [
        each
        for each in home.columns
        if each.name not in targets and _is_unique(home, each) and column_of(train, each.name)
    ]
    for passage in texts:
        if _IDENTIFIES.search(passage.text):
            for mention in find_columns(passage.text, [each.name for each in unique]):
                return mention.column, "the text says that it identifies a row"
    named = [each for each in unique if each.role == "id"]
    if named:
        best = min(named, key=lambda each: (not _plain_id(each.name), _place(home, each)))
        return _own_name(train, best.name), "it is called an identifier and has no value twice"
    first = home.columns[0]
    if first in unique and _counts(first) and (test is None or _goes_on(train, first)):
        return _own_name(train, first.name), "the first column counts the rows"
    return None, "no column identifies the rows; they are known by their order"


def _counts(column: Column) -> bool:
    """Whether the values are whole numbers without a gap."""
    low, high = column.minimum, column.maximum
    if column.type != "integer" or not isinstance(low, int) or not isinstance(high, int):
        return False
    return high - low + 1 == column.rows > 1


def _goes_on(train: Table, column: Column) -> bool:
    """Whether a column of test counts on where that of train ends, or the other way round."""
    own = column_of(train, column.name)
    if own is None or not _counts(own):
        return False
    low, high = own.minimum, own.maximum
    assert isinstance(low, int)
    assert isinstance(high, int)
    return column.minimum == high + 1 or column.maximum == low - 1


def _own_name(train: Table, name: str) -> str:
    found = column_of(train, name)
    return found.name if found is not None else name


def _plain_id(name: str) -> bool:
    return words_of(name)[-1:] == ["id"] or name.casefold() == "id"


def _place(table: Table, column: Column) -> int:
    return names_of(table).index(column.name)


def _is_unique(table: Table, column: Column) -> bool:
    return (column.name,) in table.keys or column.missing == 0 < column.distinct == column.rows


def read_group(
    texts: Sequence[TaskSentence],
    train: Table,
    test: Table | None,
    taken: Sequence[str],
) -> tuple[str | None, str]:
    """The column whose values several rows share, if test has other ones: what is learned of a
    group helps not with a new one. Without a test, one that is called an identifier."""
    found = []
    for each in train.columns:
        if each.name in taken or not _has_groups(each):
            continue
        said = any(
            _TOGETHER.search(passage.text) and find_columns(passage.text, [each.name])
            for passage in texts
        )
        other = column_of(test, each.name)
        if test is not None and other is None:
            continue
        if other is not None:
            if _is_disjoint(each, other):
                found.append((each, f"several rows share it, and test has other {each.name}"))
        elif said or (_GROUP_NAME.search(each.name) and _has_small_groups(each)):
            found.append((each, "several rows share it"))
    if not found:
        return None, ""
    best, why = max(found, key=lambda each: each[0].distinct)
    return best.name, why


def _has_groups(column: Column) -> bool:
    """Whether several rows share each of many values that are no quantity."""
    filled = column.rows - column.missing
    if column.type not in ("integer", "text") or column.distinct < 5:
        return False
    if column.role not in ("id", "category", "text") and not _GROUP_NAME.search(column.name):
        return False
    return filled >= _ROWS_OF_GROUP * column.distinct


def _has_small_groups(column: Column) -> bool:
    """Whether there are so many groups that others are to be expected."""
    return column.distinct >= _MANY_GROUPS and column.rows <= _LARGE_GROUP * column.distinct


def _is_disjoint(one: Column, other: Column) -> bool:
    """Whether two columns share nearly no value."""
    if one.distinct < 5 or other.distinct < 2:
        return False
    if one.values_complete and other.values_complete:
        shared = set(one.values) & set(other.values)
        return len(shared) <= _MOST_SHARED * other.distinct
    if isinstance(one.maximum, int) and isinstance(other.minimum, int):
        return other.minimum > one.maximum
    return False


def read_time(
    texts: Sequence[TaskSentence], train: Table, test: Table | None, taken: Sequence[str]
) -> tuple[str | None, str]:
    """The column of time by which all rows of test come after those of train. Without a test, or
    with one whose times cannot be compared, one of a task that speaks of what comes later."""
    forecast = any(_LATER.search(each.text) for each in texts)
    candidates = [each for each in train.columns if each.name not in taken and _is_time(each)]
    for each in candidates:
        other = column_of(test, each.name)
        if other is not None and _is_later(each, other):
            return each.name, "the rows of test come later"
    dated = [each for each in candidates if each.type in _TIME_TYPES or is_date_text(each)]
    if forecast and test is None and dated:
        return dated[0].name, "the text speaks of what comes later"
    return None, ""


def _is_time(column: Column) -> bool:
    if column.type in _TIME_TYPES or is_date_text(column):
        return True
    named = bool(set(words_of(column.name)) & _TIME_WORDS)
    return column.type == "integer" and (column.role == "time" or named)


def _is_later(one: Column, other: Column) -> bool:
    last, first = one.maximum, other.minimum
    if one.maximum == other.maximum:
        return False
    if one.type == "text" or other.type == "text":
        iso = re.compile(r"\d{4}-\d{2}-\d{2}.*")
        if not (isinstance(last, str) and isinstance(first, str)):
            return False
        return bool(iso.fullmatch(last) and iso.fullmatch(first)) and first > last
    if isinstance(last, str) and isinstance(first, str):
        return first >= last
    if isinstance(last, (int, float)) and isinstance(first, (int, float)):
        return first >= last
    return False


def is_date_text(column: Column) -> bool:
    """Whether a column of text holds dates in nearly all of its values."""
    written = [each for each in column.values[:50] if each.strip()]
    dates = sum(bool(_DATE_TEXT.fullmatch(each)) for each in written)
    return column.type == "text" and len(written) > 2 and dates >= 0.9 * len(written)
