"""Questions that data can answer, for people who have not asked yet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from flows.data.tables import Column, Table, plain_name
from flows.semantics.inference.quantities import adds_up

MOST: Final = 4
_FEWEST_GROUPS: Final = 2
_MOST_GROUPS: Final = 30
_FEWEST_YEARS: Final = 3


def suggest_questions(tables: Sequence[Table]) -> tuple[str, ...]:
    """Up to four questions, in plain words, about the table of which most can be asked."""
    known = [each for each in tables if each.rows]
    if not known:
        return ()
    table = max(known, key=lambda each: (len(list(_questions(each, known))), each.rows))
    return tuple(_questions(table, known))[:MOST]


def _questions(table: Table, tables: Sequence[Table]) -> Iterator[str]:
    """All questions about a table, the best first."""
    others = [each for each in tables if each is not table]
    measures = sorted(_own(table, "measure", others), key=lambda each: not adds_up(each))
    measure = measures[0] if measures else None
    group = _group(table, others)
    time = next(iter(_own(table, "time", others)), None)
    if measure is not None and group is not None:
        yield f"Which {_words(group)} has the highest {_figure(measure)}?"
        yield f"{_capital(_figure(measure))} by {_words(group)} as a bar chart"
    if measure is not None and time is not None:
        yield f"{_capital(_figure(measure))} per {_grain(time)} as a line chart"
    if measure is not None and group is None:
        yield f"What is the average {_words(measure)}?"
        for other in measures[1:2]:
            yield f"Scatter plot of {_words(other)} against {_words(measure)}"
    yield f"How many rows does {table.name} have?"


def _group(table: Table, others: Iterable[Table]) -> Column | None:
    """The column whose values are to be groups: of those with a few values the one with most."""
    fit = [
        each for each in _own(table, "category", others)
        if _FEWEST_GROUPS <= each.distinct <= _MOST_GROUPS
    ]  # fmt: skip
    return min(fit, key=lambda each: abs(each.distinct - 6), default=None)


def _own(table: Table, role: str, others: Iterable[Table]) -> list[Column]:
    """The columns of that role whose names no other table has too."""
    taken = {plain_name(each.name) for other in others for each in other.columns}
    return [
        each for each in table.columns if each.role == role and plain_name(each.name) not in taken
    ]


def _grain(time: Column) -> str:
    """The unit of time that gives a line more than a few points."""
    years = [str(each)[:4] for each in (time.minimum, time.maximum)]
    if all(each.isdecimal() for each in years) and int(years[1]) - int(years[0]) < _FEWEST_YEARS:
        return "month"
    return "year"


def _figure(measure: Column) -> str:
    """One number of several rows: their sum, or their average."""
    how, words = "total" if adds_up(measure) else "average", _words(measure)
    return words if words.lower().startswith(how) else f"{how} {words}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _words(column: Column) -> str:
    return column.name.replace("_", " ")
