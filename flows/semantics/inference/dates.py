"""A date that a table has in parts: columns for the year, the month and the day."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Final

from flows.data.tables import Column, Table
from flows.semantics.inference.evidence import MOST_VALUES, Evidence
from flows.semantics.inference.times import LATER, time_of
from flows.semantics.inference.words import words_of
from flows.semantics.model import SemanticField
from flows.semantics.query import Constant, DateOf, FieldRef

_YEARS: Final = (1800, 2200)
_PARTS: Final = {
    "year": (("year", "yr", "yyyy", "jahr"), _YEARS),
    "month": (("month", "mon", "mth", "mm", "monat"), (1, 12)),
    "day": (("day", "dd", "dom", "mday", "tag"), (1, 31)),
}  # fmt: skip
_NAME: Final = "date"


def date_field(
    table: Table, fields: Sequence[SemanticField], noun: str, evidence: Evidence
) -> SemanticField | None:
    """The date that the parts of a table make; None where it has none, or has it in one column.

    A moment is rather one of another time zone: what has day, month and year in columns is counted
    by these. Where no column tells the day, it is the first of the month.
    """
    parts = _parts(table, fields)
    known = next((each for each in fields if each.name == time_of(table, fields, noun)), None)
    if parts is None or (known is not None and known.type == "date"):
        return None
    year, month, day = parts
    if day is None and known is not None and known.type == "timestamp":
        return None
    taken = {each.name.casefold() for each in fields}
    name = _NAME if _NAME not in taken else f"calendar_{_NAME}"
    if name in taken:
        return None
    of = {each: FieldRef(dataset=table.name, field=each) for each in (year, month, day) if each}
    made = DateOf(year=of[year], month=of[month], day=of[day] if day else Constant(value=1))
    least, most = _ends(table, [each for each in parts if each], evidence)
    return SemanticField(
        name=name, role="time", type="date", expression=made, least=least, most=most
    )


def _parts(table: Table, fields: Sequence[SemanticField]) -> tuple[str, str, str | None] | None:
    """The names of the fields for year, month and day that are called alike but for that."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    columns = {each.name: each for each in table.columns}
    for field in fields:
        words = words_of(field.name)
        column = columns.get(field.column)
        for part, (names, ends) in _PARTS.items():
            if column is not None and words[-1] in names and _lies(column, field, ends):
                found.setdefault(words[:-1], {}).setdefault(part, field.name)
    whole = [
        (before, named)
        for before, named in found.items()
        if {"year", "month"} <= named.keys() and not LATER & set(before)
    ]
    if not whole:
        return None
    _, named = min(whole, key=lambda each: ("day" not in each[1], len(each[0])))
    return named["year"], named["month"], named.get("day")


def _lies(column: Column, field: SemanticField, ends: tuple[int, int]) -> bool:
    low, high = column.minimum, column.maximum
    whole = field.type == "integer" and isinstance(low, int) and isinstance(high, int)
    return whole and ends[0] <= int(low or 0) <= int(high or 0) <= ends[1]


def _ends(table: Table, names: Sequence[str], evidence: Evidence) -> tuple[str | None, str | None]:
    """The first and the last day, where the rows can be looked at; else those of the years."""
    rows = evidence.rows(table, names, MOST_VALUES)
    days = []
    for year, month, *rest in rows or ():
        try:
            days.append(date(int(year), int(month), int(rest[0]) if rest else 1))  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
    if days and len(rows or ()) == table.rows:
        return min(days).isoformat(), max(days).isoformat()
    column = next(each for each in table.columns if each.name == names[0])
    return f"{column.minimum}-01-01", f"{column.maximum}-12-31"
