"""What is to be said beside an answer of how the semantic model reads the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from pydantic import BaseModel

from flows.analysis.analyst.cleaned import cleaned
from flows.analysis.parser.periods import write_relative
from flows.core.observation import Caution, Cell
from flows.data.tables import Table
from flows.semantics.calendar import last_day, span, today_of
from flows.semantics.model import Calendar, Metric, SemanticModel
from flows.semantics.query import Aggregate, Constant, During, FieldRef, MetricRef, Query
from flows.semantics.request import Analysis, Prepare
from flows.semantics.tree import parts

# The code of the caution that an answer is of a single row.
ONE_ROW: Final = "one_row"
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")


def notices_of(
    request: Query | Analysis | Prepare, model: SemanticModel, tables: Sequence[Table]
) -> list[Caution]:
    """That rows of totals are left out, by what an inferred metric is computed, from which day
    periods are counted, how the values of the columns were cleaned, and that what is told of is
    that of a single row, where many rows have the same."""
    nodes = list(parts(request))
    return [
        *_totals(nodes, model),
        *_metrics(nodes, model),
        *_today(nodes, model, tables),
        *cleaned(nodes, model, tables),
        *(_one_row(request, model, tables) if isinstance(request, Query) else ()),
    ]


def refusal_of(query: Query, model: SemanticModel) -> str:
    """Why a query makes no sense, whoever can compute it: it takes the sum or the average of what
    holds no amounts, such as a postcode or a name, or names a day that no calendar has. Empty for
    any other."""
    for each in parts(query):
        if isinstance(each, Aggregate) and each.function in ("sum", "average", "median"):
            ref = each.of if isinstance(each.of, FieldRef) else None
            dataset = model.dataset(ref.dataset) if ref else None
            field = dataset.find(ref.field) if dataset and ref else None
            if field and field.type == "integer" and field.role in ("identifier", "place", "time"):
                said = "when" if field.role == "time" else "which"
                return f"{field.name} says {said} and not how much, so it has no {each.function}"
            if field and field.type == "text" and field.role != "measure":
                return (
                    f"it takes the {each.function} of {field.name}, which holds texts, no numbers"
                )
        if isinstance(each, Constant) and (day := _impossible_day(each.value)):
            return f"{day} is no day of the calendar"
    return ""


def _impossible_day(value: Cell) -> str:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        return ""
    try:
        date.fromisoformat(value)
    except ValueError:
        return value
    return ""


def _totals(nodes: list[BaseModel], model: SemanticModel) -> Iterator[Caution]:
    asked = {each.dataset for each in nodes if isinstance(each, Query | FieldRef)}
    for dataset in model.datasets:
        if dataset.name in asked:
            for name, values in dataset.totals:
                rows = " or ".join(f"{each!r}" for each in values)
                text = f"Rows of {dataset.name} whose {name} is {rows} are sums, and left out."
                yield Caution(code="totals", text=text)


def _metrics(nodes: list[BaseModel], model: SemanticModel) -> Iterator[Caution]:
    named = {each.metric for each in nodes if isinstance(each, MetricRef)}
    for each in model.metrics:
        if each.inferred and each.description and (each.name in named or _computed(each, nodes)):
            text = f"{each.name} is computed as {each.description}, which its names suggest."
            yield Caution(code="metric", text=text)


def _one_row(query: Query, model: SemanticModel, tables: Sequence[Table]) -> Iterator[Caution]:
    """For the first of the rows where a group of rows may be meant: the farm of the heaviest bale
    need not be the farm whose bales are the heaviest together."""
    rank = query.rank
    if rank is None or rank.n != 1 or query.metrics or query.by or query.combine:
        return
    shown = [each for each in query.show if isinstance(each, FieldRef)]
    if shown and all(_is_shared(each, model, tables) for each in shown):
        names = " and ".join(each.field for each in shown)
        text = f"That is the {names} of a single row; all rows of each together may rank otherwise."
        yield Caution(code=ONE_ROW, text=text)


def _is_shared(ref: FieldRef, model: SemanticModel, tables: Sequence[Table]) -> bool:
    """Whether a field tells groups of rows apart, which have two rows or more on average."""
    dataset = model.dataset(ref.dataset)
    table = next((each for each in tables if dataset and each.name == dataset.table), None)
    column = next((e for e in table.columns if e.name == ref.field), None) if table else None
    return (
        column is not None and column.role == "category"
        and column.distinct * 2 <= column.rows - column.missing
    )  # fmt: skip


def _today(
    nodes: list[BaseModel], model: SemanticModel, tables: Sequence[Table]
) -> Iterator[Caution]:
    if any(isinstance(each, During) for each in nodes):
        day, named = today_of(model.calendar, tables), model.calendar.today
        why = "as the semantic model says" if isinstance(named, date) else "the day of the clock"
        if named == "data" and last_day(tables) is not None:
            why = "the last date in the data"
        spans = "".join(_spans(nodes, day, model.calendar))
        yield Caution(code="today", text=f"Today is taken to be {day}, {why}.{spans}")


def _spans(nodes: list[BaseModel], today: date, calendar: Calendar) -> Iterator[str]:
    """The days of several periods together, which a question counts back from today."""
    several = (each for each in nodes if isinstance(each, During) and each.length > 1)
    for said in dict.fromkeys(
        (write_relative(each), span(each, today, calendar)) for each in several
    ):
        name, (first, behind) = said
        period = name.removeprefix("in ").capitalize()
        yield f" {period}: {first} to {behind - timedelta(days=1)}."


def _computed(metric: Metric, nodes: list[BaseModel]) -> bool:
    """Whether what the metric sums up of each row stands in a query by itself."""
    made = metric.definition
    row = made.of if isinstance(made, Aggregate) else None
    return row is not None and not isinstance(row, FieldRef) and row in nodes
