"""The chart of a result as a request: which kind, of which of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from flows.analysis.language.phrasebook import PICTURES
from flows.analysis.language.words import split_identifier
from flows.analysis.parser.exact import words
from flows.analysis.parser.ranks import listed
from flows.core.observation import Preview
from flows.semantics.model import Dataset, DataType, SemanticField, SemanticModel
from flows.semantics.query import FieldRef, Query
from flows.semantics.request import Chart, ChartType

_MOST_LINES: Final = 3
_TYPES: Final[dict[str, DataType]] = {
    each: each for each in ("integer", "real", "text", "boolean", "date", "timestamp", "time")
}


def chart_of(table: Preview, request: Query | None, style: str) -> Chart | None:
    """The chart of a result by its columns; None for one that has nothing to draw.

    `request` is the query that the result answers, and says what its rows are groups of. Its
    groups and figures are the columns of the dataset that has the name of the result.
    """
    if table.total_rows < 2:
        return None
    groups = len(request.by) if request is not None and not request.show else 0
    names = table.columns
    times = [name for name in names if _is_time(name, table)]
    measures = [
        name for place, name in enumerate(names)
        if _has_numbers(name, table) and place >= groups and name not in times
    ]  # fmt: skip
    apart = [name for name in names if name not in (*times, *measures)]
    if not measures:
        return None
    return _pictured(_dataset(table).name, measures, times, _by_size(apart, table), kind(style))


def chart_of_ranking(request: Query, style: str) -> Chart | None:
    """The chart of all the groups of which a result has named the first; None for others."""
    rank = request.rank
    if rank is None or not rank.by or not request.by or request.combine:
        return None
    every = listed(request).model_copy(update={"sort": (), "show": ()})
    return Chart(of=every, type=kind(style) or "bar")


def chart_words(chart: Chart, table: Preview) -> str:
    """The chart of a result in words."""
    model = SemanticModel(datasets=(_dataset(table),))
    return words(chart, model).replace(" of figures ", " of ")


def drawing_task(what: str) -> str:
    """The task of drawing it, in words."""
    return f"Draw {'an' if what[0] in 'aeiou' else 'a'} {what}"


def kind(style: str) -> ChartType:
    """What a person's words for a kind of chart mean; empty where they leave the choice."""
    said = (PICTURES.read(each) for each in (style, f"{style} chart", f"{style} plot"))
    return next((each for each in said if each), "")


def _pictured(
    dataset: str,
    measures: Sequence[str],
    times: Sequence[str],
    apart: Sequence[str],
    wanted: ChartType,
) -> Chart:
    """The kind of chart that fits the columns, and what it is of."""

    def fields(names: Sequence[str]) -> tuple[FieldRef, ...]:
        return tuple(FieldRef(dataset=dataset, field=each) for each in names)

    if times and not (apart and _is_step(apart[0])):
        by, drawn = [times[0], *apart[:1]], measures[: 1 if apart else _MOST_LINES]
        of = Query(dataset=dataset, by=fields(by), metrics=fields(drawn))
        return Chart(of=of, type=wanted or "line")
    if named := [*apart, *times]:
        of = Query(dataset=dataset, by=fields(named[:2]), metrics=fields(measures[:1]))
        return Chart(of=of, type=wanted or "bar")
    shown = fields(measures[1::-1] if len(measures) > 1 else measures)
    usual: ChartType = "scatter" if len(measures) > 1 else "histogram"
    return Chart(of=Query(dataset=dataset, show=shown), type=wanted or usual)


def _dataset(table: Preview) -> Dataset:
    """A result as a dataset of its own."""
    name = table.artifact or "result"
    fields = tuple(
        SemanticField(
            name=each, column=each, role="text", type=_TYPES.get(table.types[place], "other")
        )
        for place, each in enumerate(table.columns)
    )
    return Dataset(name=name, source=name, table=name, noun="row", plural="rows", fields=fields)


def _is_time(name: str, table: Preview) -> bool:
    """Whether a column says when: dates, or whole numbers called year."""
    if table.types[table.columns.index(name)] in ("date", "timestamp"):
        return True
    return "year" in split_identifier(name) and _has_numbers(name, table)


def _has_numbers(name: str, table: Preview) -> bool:
    place = table.columns.index(name)
    known = [row[place] for row in table.rows if row[place] is not None]
    plain = bool(known) and all(type(each) in (int, float) for each in known)
    return plain or table.types[place] in ("integer", "real")


def _is_step(name: str) -> bool:
    """Whether a column holds parts of a year, which follow each other in every year anew."""
    return bool({"month", "quarter", "week", "day", "weekday"} & set(split_identifier(name)))


def _by_size(names: Sequence[str], table: Preview) -> list[str]:
    """The names, those of most different values first: they stand along the axis."""
    sizes = {name: len({row[i] for row in table.rows}) for i, name in enumerate(table.columns)}
    return sorted(names, key=lambda name: -sizes[name])
