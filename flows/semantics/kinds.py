"""What kind of value an expression gives, and what the columns of a query hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Literal

from flows.core.observation import Cell
from flows.semantics.model import Conversion, Cumulative, DataType, SemanticModel
from flows.semantics.node import Node
from flows.semantics.query import (
    Aggregate,
    Constant,
    DateOf,
    Expression,
    FieldRef,
    MetricRef,
    Period,
    Query,
    Scalar,
)

Kind = Literal["number", "text", "date", "timestamp", "time", "boolean", "other"]
SPANS = (
    "year", "fiscal year", "half", "quarter", "fiscal quarter", "month", "week", "day", "hour",
)  # fmt: skip
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
_TIME = re.compile(r"\d\d:\d\d(:\d\d(\.\d{1,6})?)?")


def kind_of(expression: Expression, model: SemanticModel) -> Kind | None:
    """The kind of an expression's values; None for no value, and where a name is unknown."""
    match expression:
        case FieldRef():
            dataset = model.dataset(expression.dataset)
            field = dataset.find(expression.field) if dataset else None
            if field is None:
                return None
            return type_kind(field.type)
        case Constant():
            return value_kind(expression.value)
        case Period(grain=grain):
            if grain not in SPANS or grain.endswith("year"):
                return "number"
            return "timestamp" if grain == "hour" else "date"
        case Aggregate(function="minimum" | "maximum", of=of) if of is not None:
            return kind_of(of, model)
        case MetricRef():
            metric = model.metric(expression.metric)
            made = metric.definition if metric else None
            if made is None or isinstance(made, Cumulative | Conversion):
                return "number"
            return kind_of(made, model)
        case DateOf():
            return "date"
        case Scalar():
            columns = columns_of(expression.query, model)
            return kind_of(columns[0], model) if columns else None
    return "number"


def type_kind(type_: DataType) -> Kind:
    """The kind of the values of a field of this type."""
    return "number" if type_ == "integer" or type_ == "real" else type_


def value_kind(value: Cell) -> Kind | None:
    """The kind of a constant; a date is a text until it is compared with one."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    return None if value is None else "text"


def columns_of(query: Query, model: SemanticModel) -> tuple[Expression, ...]:
    """The expressions that a query shows, without those of its transforms."""
    if query.show:
        return query.show
    if query.by or query.metrics:
        return (*query.by, *query.metrics)
    dataset = model.dataset(query.dataset)
    fields = dataset.fields if dataset else ()
    return tuple(FieldRef(dataset=query.dataset, field=each.name) for each in fields)


def with_evidence(query: Query, model: SemanticModel) -> Query:
    """The query with the figures by which its first rows came first, behind what it shows."""
    if query.rank is None or query.transforms or query.combine or query.compare:
        return query
    shown = columns_of(query, model)
    extra = tuple(each.by for each in query.rank.by if each.by not in shown)
    return query.model_copy(update={"show": (*shown, *extra)}) if extra else query


def parse_day(text: str) -> date | None:
    """The day that an ISO text names; None where it names a moment, or nothing."""
    try:
        return date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def parse_moment(text: str) -> datetime | None:
    """The moment that an ISO text names, the first one of a day."""
    try:
        named = _MOMENT.fullmatch(text) or _DAY.fullmatch(text)
        return datetime.fromisoformat(text) if named else None
    except ValueError:
        return None


def parse_time(text: str) -> time | None:
    """The time of a day that an ISO text names."""
    try:
        return time.fromisoformat(text) if _TIME.fullmatch(text) else None
    except ValueError:
        return None


def parts(node: Node) -> Iterator[tuple[str, Node]]:
    """The nodes that a node is made of, each with its place in it."""
    for name in type(node).model_fields:
        value = getattr(node, name)
        if isinstance(value, Node):
            yield name, value
        elif isinstance(value, tuple):
            for number, each in enumerate(value):
                if isinstance(each, Node):
                    yield f"{name}[{number}]", each


def fields_in(node: Node) -> Iterator[FieldRef]:
    """The fields of rows that a node reads itself.

    Not those of queries inside of it, of rows that exist, nor of rows that refer to its own.
    """
    if isinstance(node, FieldRef):
        yield node
    elif not (node_dataset(node) or isinstance(node, Scalar)):
        for name, part in parts(node):
            if not (name == "query" and isinstance(part, Query)):
                yield from fields_in(part)


def node_dataset(node: Node) -> str:
    """The dataset whose rows a node looks at instead of those of the query."""
    return str(getattr(node, "dataset", "") or "")
