"""Makers of kinds of questions from data and functions: what the made companies have in common.

A slot of a wording is named by the field whose value fills it. All values are computed from the
rows, never by the functions of a company.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any, Final, Literal

from company.case import Kind, Value
from flows.errors import ToolError

Row = dict[str, Any]
# Either of several functions that answer the same.
Functions = str | tuple[str, ...]
Drawn = tuple[Mapping[str, Any], Sequence[Value]]
Figure = Literal["count", "sum", "mean"]
_MOST_NAMES: Final = 9
_DRAWS: Final = 400


@dataclass(frozen=True, slots=True)
class Table:
    """Records, the field that names one of them, and the functions that look one up."""

    rows: Sequence[Row]
    key: str
    functions: Functions

    def row(self, key: object) -> Row:
        return next(each for each in self.rows if each[self.key] == key)


def look_up(name: str, table: Table, field: str) -> Kind:
    """A field of one record."""

    def make(random: Random) -> Any:
        row = random.choice(table.rows)
        return {table.key: row[table.key]}, (table.functions,), (row[field],)

    return Kind(name, make)


def chain(name: str, table: Table, links: Sequence[tuple[str, Table]], field: str) -> Kind:
    """A field of a record that another record names: each link is the field of the record before
    and the table that its value is looked up in."""
    functions = (table.functions, *(other.functions for _, other in links))

    def make(random: Random) -> Any:
        first = row = random.choice(table.rows)
        for link, other in links:
            row = other.row(row[link])
        return {table.key: first[table.key]}, functions, (row[field],)

    return Kind(name, make, hops=True)


def two_records(name: str, table: Table, field: str) -> Kind:
    """The same field of two records; the slots are `first` and `second`."""

    def make(random: Random) -> Any:
        first, second = random.sample(list(table.rows), 2)
        filled = {"first": first[table.key], "second": second[table.key]}
        return filled, (table.functions,), (first[field], second[field])

    return Kind(name, make, hops=True)


def two_tables(name: str, one: tuple[Table, str], other: tuple[Table, str]) -> Kind:
    """A field of a record and a field of a record of another table, asked at once."""

    def make(random: Random) -> Any:
        rows = [(table, random.choice(table.rows), field) for table, field in (one, other)]
        filled = {table.key: row[table.key] for table, row, _ in rows}
        functions = [table.functions for table, _, _ in rows]
        return filled, functions, [row[field] for _, row, field in rows]

    return Kind(name, make, hops=True)


def listed(
    name: str, rows: Sequence[Row], where: Sequence[str], key: str, functions: Functions
) -> Kind:
    """The names of all records that have certain values in the fields `where`."""

    def make(random: Random) -> Any:
        filled, found = _drawn(random, rows, where, lambda some: len(some) <= _MOST_NAMES)
        return filled, (functions,), [each[key] for each in found]

    return Kind(name, make)


def figure(
    name: str,
    rows: Sequence[Row],
    where: Sequence[str],
    functions: Functions,
    what: Figure = "count",
    field: str = "",
) -> Kind:
    """How many records have certain values in the fields `where`, or the sum or mean of a field
    of theirs, to the second decimal."""

    def make(random: Random) -> Any:
        filled, found = _drawn(random, rows, where)
        return filled, (functions,), (figure_of(found, what, field),)

    return Kind(name, make)


def figure_of_month(
    name: str,
    rows: Sequence[Row],
    day: str,
    functions: Functions,
    what: Figure = "count",
    field: str = "",
    where: Sequence[str] = (),
) -> Kind:
    """A figure of the records whose field `day` lies in a month; the slot is `month`, as in May
    2024."""

    def make(random: Random) -> Any:
        dated = [{**each, "month": month_name(each[day])} for each in rows]
        filled, found = _drawn(random, dated, ("month", *where))
        return filled, (functions,), (figure_of(found, what, field),)

    return Kind(name, make)


def extreme(
    name: str,
    rows: Sequence[Row],
    where: Sequence[str],
    by: str,
    key: str,
    functions: Functions,
    *,
    smallest: bool = False,
) -> Kind:
    """The name of the record with the greatest or smallest field `by` among those that have certain
    values in the fields `where`. It is the only one, and there are others."""
    most = min if smallest else max

    def alone(found: Sequence[Row]) -> bool:
        values = [each[by] for each in found]
        return len(values) > 1 and values.count(most(values)) == 1

    def make(random: Random) -> Any:
        filled, found = _drawn(random, rows, where, alone)
        return filled, (functions,), (most(found, key=lambda each: each[by])[key],)

    return Kind(name, make)


def computed(name: str, draw: Callable[[Random], Drawn], functions: Functions) -> Kind:
    """What a function computes of given values: `draw` gives these and the values of the answer."""

    def make(random: Random) -> Any:
        filled, values = draw(random)
        return filled, (functions,), values

    return Kind(name, make)


def computed_of_record(
    name: str,
    table: Table,
    draw: Callable[[Random, Row], Drawn],
    functions: Functions,
) -> Kind:
    """What a function computes of a field of a record; `draw` gets the record, and gives what else
    stands in the question and the values of the answer."""

    def make(random: Random) -> Any:
        row = random.choice(table.rows)
        filled, values = draw(random, row)
        return {table.key: row[table.key], **filled}, (table.functions, functions), values

    return Kind(name, make, hops=True)


def noted(
    name: str, rows: Sequence[Row], slots: Sequence[str], field: str, functions: Functions
) -> Kind:
    """What a text says: each row is what a note was written from."""

    def make(random: Random) -> Any:
        row = random.choice(rows)
        return {each: row[each] for each in slots}, (functions,), (row[field],)

    return Kind(name, make)


def unknown(name: str, slot: str, values: Iterable[object]) -> Kind:
    """What no function of the company tells."""
    held = list(values)
    return Kind(name, lambda random: ({slot: random.choice(held)}, (), ()))


def figure_of(rows: Sequence[Row], what: Figure, field: str) -> Value:
    if what == "count":
        return len(rows)
    total: float = sum(each[field] for each in rows)
    return round(total / len(rows) if what == "mean" else total, 2)


def month_name(day: object) -> str:
    """The month of a day as YYYY-MM-DD, as people write it."""
    return date.fromisoformat(str(day)).strftime("%B %Y")


def last_of_month(day: date) -> date:
    return day.replace(day=monthrange(day.year, day.month)[1])


def record(rows: Iterable[Row], key: str, value: object) -> Row:
    """The record that a key names. Errors: `ToolError` for one that is not there."""
    for each in rows:
        if each[key] == value:
            return each
    raise ToolError(f"there is no {key} {value!r}")


def matches(rows: Iterable[Row], **wanted: object) -> list[Row]:
    """The records with the wanted values; None wants nothing of a field."""
    given = {key: value for key, value in wanted.items() if value is not None}
    return [each for each in rows if all(each[key] == value for key, value in given.items())]


def between(rows: Iterable[Row], day: str, start: date, end: date) -> list[Row]:
    """The records whose day lies between two days, both included."""
    return [each for each in rows if str(start) <= each[day] <= str(end)]


def nearest_texts(texts: Sequence[Row], question: str, limit: int) -> list[Row]:
    """The texts that share words with a question, a rare word counted for more than a common one,
    the best first. A word is its first five letters, which stands in for an embedder's sense of
    related words."""
    stems = [_stems(each["text"]) for each in texts]
    weight = {each: 1 / sum(each in other for other in stems) for each in set().union(*stems)}
    wanted = _stems(question)
    scored = [
        (sum(weight[each] for each in wanted & own), text)
        for own, text in zip(stems, texts, strict=True)
    ]
    best = sorted(scored, key=lambda each: -each[0])[:limit]
    return [text for score, text in best if score]


def _stems(text: str) -> set[str]:
    cleaned = "".join(each if each.isalnum() else " " for each in text.lower())
    return {each[:5] for each in cleaned.split() if len(each) > 2 or each.isdigit()}


def _drawn(
    random: Random,
    rows: Sequence[Row],
    where: Sequence[str],
    fits: Callable[[Sequence[Row]], bool] = bool,
) -> tuple[Row, list[Row]]:
    """Values of some record in the fields `where`, and all records that have them. Errors:
    `ValueError` where none is found that fits."""
    for _ in range(_DRAWS):
        row = random.choice(rows)
        filled = {each: row[each] for each in where}
        found = matches(rows, **filled)
        if fits(found):
            return filled, found
    raise ValueError(f"no records of {', '.join(where)} fit")
