"""What the columns of train are to the rules: numbers, categories, dates, codes, texts."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flows.analysis.prediction.plan import Planning
from flows.analysis.prediction.planning.values import (
    are_codes,
    are_dates,
    are_numbers,
    words_of,
)
from flows.data.tables import Column

_WORDS_OF_A_TEXT = 4.0
_FEW = 20


@dataclass(frozen=True, slots=True)
class ColumnKinds:
    """The columns that may be changed, each in one of the kinds; `protected` are all others.

    `numbers` are typed so; `number_texts` and `date_texts` are to be parsed; `codes` are made of
    parts; `texts` are sentences; `keys` are numbers or words that stand for something and repeat.
    """

    protected: tuple[str, ...]
    numbers: tuple[Column, ...]
    categories: tuple[Column, ...]
    dates: tuple[Column, ...]
    date_texts: tuple[Column, ...]
    number_texts: tuple[Column, ...]
    codes: tuple[Column, ...]
    texts: tuple[Column, ...]
    keys: tuple[Column, ...]

    @property
    def changeable(self) -> int:
        """How many columns are no protected ones."""
        kinds = (self.numbers, self.categories, self.dates, self.date_texts)
        others = (self.number_texts, self.codes, self.texts, self.keys)
        return len({column.name for each in (*kinds, *others) for column in each})


def protected_names(given: Planning) -> tuple[str, ...]:
    """The columns that no step may change or drop: targets, identifier, group, time."""
    task = given.task
    named = [*task.targets, task.identifier, task.group, task.time]
    there = {column.name for column in given.train.columns}
    return tuple(dict.fromkeys(name for name in named if name and name in there))


def column_kinds(given: Planning) -> ColumnKinds:
    """Each column of train by what its profile tells of it."""
    protected = protected_names(given)
    found: dict[str, list[Column]] = {}
    for column in given.train.columns:
        if column.name not in protected and column.missing < column.rows:
            found.setdefault(_kind(column), []).append(column)
    return ColumnKinds(
        protected,
        *(
            tuple(found.get(kind, []))
            for kind in (
                "number",
                "category",
                "date",
                "date text",
                "number text",
                "code",
                "text",
                "key",
            )
        ),
    )


def _kind(column: Column) -> str:
    if column.type in ("date", "timestamp"):
        return "date"
    if column.type in ("integer", "real"):
        if column.type == "integer" and are_dates(column):
            return "date text"
        repeats = column.role == "id" and column.distinct < 0.5 * (column.rows - column.missing)
        return "key" if repeats and column.type == "integer" and column.distinct > 2 else "number"
    if column.type != "text":
        return "category"
    return _text_kind(column)


def _text_kind(column: Column) -> str:
    if are_dates(column):
        return "date text"
    if are_numbers(column):
        return "number text"
    words = words_of(column)
    known = max(1, column.rows - column.missing)
    if words >= _WORDS_OF_A_TEXT and column.distinct > max(_FEW, 0.2 * known):
        return "code" if _is_name(column) else "text"
    if column.distinct > _FEW and column.distinct > 0.02 * known and are_codes(column):
        return "code"
    repeats = known / max(1, column.distinct) >= 2
    if column.distinct > _FEW and repeats and column.role == "id":
        return "key"
    return "category"


def _is_name(column: Column) -> bool:
    """Whether nearly all values have the same marks in the same order, as names with titles do."""
    if words_of(column) > 8:
        return False
    some = column.values[:200]
    marks = [re.sub(r"[^,;:/|#]", "", value)[:1] for value in some]
    return bool(some) and bool(marks[0]) and marks.count(marks[0]) >= 0.9 * len(some)
