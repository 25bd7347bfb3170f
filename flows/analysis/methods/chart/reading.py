"""Charts: the query whose result is drawn, and which form the drawing has."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from flows.analysis.compiler.frames import FrameLimit, query_lines
from flows.analysis.methods.arguments import plots
from flows.analysis.methods.picture import field_name, figures_of, picture_query
from flows.analysis.reading.reader import Reading, Unread, read
from flows.data.tables import Column, Table
from flows.semantics.kinds import columns_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Aggregate,
    Cast,
    Expression,
    FieldRef,
    MetricRef,
    OneOf,
    Order,
    Period,
    Query,
    conjuncts,
)
from flows.semantics.request import Chart, ChartType
from flows.semantics.series import is_series
from flows.semantics.tree import changed

_HEAD = re.compile(
    r"^\W*(?:(?:please|show|give|make|create|draw|generate|produce|build|me|us|a|an|the|i want|i"
    r"['\u2019]d like|i need|can you|could you|of|for|showing|with|that shows|to show|which "
    r"shows)\s+)*",
    re.IGNORECASE,
)
_TAIL = re.compile(r"\s+(?:as|in|with|using|on|by)(?:\s+(?:a|an|the))?\W*$", re.IGNORECASE)
_MOST_TIMES = 2000


def read_chart(
    rest: str, settings: Mapping[str, str], tables: Sequence[Table], model: SemanticModel
) -> tuple[Chart, Reading] | Unread:
    """A chart draws what a question gives: groups with measures, or a trend. With it comes the
    reading of that question."""
    plain = re.sub(r"\s+", " ", rest).strip(" ?.!:,")
    style = settings.get("style", "")
    question = _TAIL.sub("", re.sub(r"\s+", " ", _HEAD.sub("", plain + " ")).strip(" ?.!:,"))
    first: Unread | None = None
    # The parts of a whole are added up; anything else is compared by its average.
    whole = style in ("pie", "stacked", "area")
    usual = "total" if whole else "average"
    asks = (
        f"Show the {question}",
        f"Show the {usual} {question}",
        f"Number of rows per {question}",
    )
    for place, asked in enumerate(asks):
        reading = read(asked, tables, model)
        if isinstance(reading, Unread):
            first = first or reading
            continue
        query = _as_groups(picture_query(reading.query, model), reading.table, model)
        if whole and not re.search(r"average|mean|\bavg", plain):
            query = _added_up(query, model)
        if place == 2 and (query.sort or query.rank):
            break
        if (why := _not_drawn(query, model)) is None:
            return _chart(query, style, reading.table, reading.notes, model), reading
        first = first or Unread(why, reading.notes)
    assert first is not None
    return first


def _as_groups(query: Query, table: Table, model: SemanticModel) -> Query:
    """Rows that a name and numbers were asked of: bars of the numbers, by the name."""
    if query.by or query.metrics:
        return query
    columns: dict[Expression, Column] = {
        FieldRef(dataset=table.name, field=each.name): each for each in table.columns
    }
    shown = columns_of(query, model)
    named = [each for each in shown if each in columns and not plots(columns[each])]
    numbers = [e for e in shown if isinstance(e, FieldRef | Cast) and e not in named]
    if len(named) != 1 or not numbers or len(numbers) + 1 != len(shown):
        return query

    def averaged(each: Order) -> Order:
        by = Aggregate(function="average", of=each.by) if each.by in numbers else each.by
        return Order(by=by, descending=each.descending)

    rank = query.rank and query.rank.model_copy(update={"by": tuple(map(averaged, query.rank.by))})
    update = {
        "by": (named[0],), "show": (), "unique": False, "sort": tuple(map(averaged, query.sort)),
        "metrics": tuple(Aggregate(function="average", of=each) for each in numbers),
        "rank": rank,
    }  # fmt: skip
    return query.model_copy(update=update)


def _added_up(query: Query, model: SemanticModel) -> Query:
    """The query with sums for averages that nobody asked for."""
    dataset = model.dataset(query.dataset)
    known = {each.name for each in dataset.fields} if dataset else set()
    metrics = {
        each.definition: each.name
        for each in model.metrics
        if each.dataset == query.dataset and each.name not in known
    }

    def added(part: BaseModel) -> BaseModel:
        if not isinstance(part, Aggregate) or part.function != "average":
            return part
        made = Aggregate(function="sum", of=part.of, where=part.where)
        return MetricRef(metric=metrics[made]) if made in metrics else made

    return _with(query, lambda part: changed(part, added))


def _with(query: Query, change: Callable[[Any], Any]) -> Query:
    """The query with a change of its columns and their order."""
    names = ("metrics", "by", "show", "sort", "rank")
    return query.model_copy(update={each: change(getattr(query, each)) for each in names})


def _split_values(query: Query) -> Query:
    """What is compared by its values is drawn apart: one line or bar for each."""
    if len(query.by) != 1:
        return query
    for test in conjuncts(query.where):
        if not isinstance(test, OneOf) or test.of in query.by:
            continue
        if all(type(value) is str for value in test.values):
            show = (*query.show, test.of) if query.show else ()
            return query.model_copy(update={"by": (*query.by, test.of), "show": show})
    return query


def _by_day(query: Query, table: Table, notes: Sequence[str], model: SemanticModel) -> Query:
    """A series over dates as they stand in the data, unless the question names years or months."""
    first = query.by[0]
    if not (is_series(query, model) and isinstance(first, Period) and first.grain == "year"):
        return query
    column = next(c for c in table.columns if c.name == field_name(first))
    if column.distinct > _MOST_TIMES or any("year" in note for note in notes):
        return query

    def plain(part: BaseModel) -> BaseModel:
        return cast(BaseModel, first.of) if part == first else part

    return _with(query, lambda part: changed(part, plain))


def _not_drawn(query: Query, model: SemanticModel) -> str | None:
    figures = figures_of(query, model)
    if not query.by or not figures:
        return "a chart needs a measure and what it is grouped by"
    shares = any(isinstance(e, Aggregate) and e.function == "share" for e in figures)
    if len(query.by) > 2 or query.having or shares or not all(map(field_name, query.by)):
        return "this result cannot be drawn as bars or lines"
    if any(order.by not in (*query.by, *figures) for order in query.sort):
        return "the order of this result cannot be drawn"
    try:
        query_lines(query, model)
    except FrameLimit as limit:
        return f"this result cannot be drawn: {limit}"
    return None


def _chart(
    query: Query, style: str, table: Table, notes: Sequence[str], model: SemanticModel
) -> Chart:
    over_time = is_series(query, model)
    made = picture_query(_by_day(_split_values(query), table, notes, model), model)
    first = next(c for c in table.columns if c.name == field_name(made.by[0]))
    usual = "line" if over_time or first.role == "time" else "bar"
    return Chart(of=made, type=cast(ChartType, style or usual))
