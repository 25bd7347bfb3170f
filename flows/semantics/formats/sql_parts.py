"""The SQL that stands for a field or a metric in a file: what is written, and what a file has as
long as nobody has edited it."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

from flows.semantics.formats.names import field_of
from flows.semantics.formats.sql_text import Unsayable, as_sql, quoted
from flows.semantics.model import (
    Conversion,
    Cumulative,
    Dataset,
    Metric,
    SemanticField,
    SemanticModel,
)
from flows.semantics.query import Aggregate, FieldRef
from flows.semantics.tree import changed

# Stands where SQL has no expression: who does not read our extension gets no value from it.
NOTHING: Final = "NULL"


def field_sql(field: SemanticField, dataset: Dataset) -> str:
    """A field as SQL over the columns of its row."""
    if field.expression is None:
        return quoted(field.column or field.name)
    try:
        return as_sql(changed(field.expression, lambda node: _column(node, dataset)), dataset.name)
    except Unsayable:
        return NOTHING


def metric_sql(metric: Metric, model: SemanticModel) -> str:
    """A metric as SQL over fields, each with its dataset before it."""
    dataset = model.dataset(metric.dataset)
    try:
        match metric.definition:
            case Cumulative():
                return _window(metric.definition, dataset)
            case Conversion():
                return NOTHING
            case expression:
                return as_sql(expression, counted=counted(dataset))
    except Unsayable:
        return NOTHING


def counted(dataset: Dataset | None) -> FieldRef | None:
    """The field that tells rows apart: its values are as many as there are rows."""
    if dataset is None or len(dataset.key) != 1:
        return None
    return FieldRef(dataset=dataset.name, field=dataset.key[0])


def rows_counted(node: BaseModel, dataset: Dataset | None) -> BaseModel:
    """The count of rows, where the node counts values of the field that tells rows apart."""
    if not isinstance(node, Aggregate) or node.function != "count" or node.of is None:
        return node
    return node.model_copy(update={"of": None}) if node.of == counted(dataset) else node


def _column(node: BaseModel, dataset: Dataset) -> BaseModel:
    """A field by its column, where that is read as the same field again."""
    if not isinstance(node, FieldRef) or node.dataset != dataset.name:
        return node
    field = dataset.find(node.field)
    if field is None or not field.column or field_of(dataset, field.column) != field:
        return node
    return node.model_copy(update={"field": field.column})


def _window(made: Cumulative, dataset: Dataset | None) -> str:
    if dataset is None or not dataset.time:
        raise Unsayable("a sum along time of a dataset without a time")
    time = as_sql(FieldRef(dataset=dataset.name, field=dataset.time))
    metric = quoted(made.metric)
    if made.window and made.grain not in ("", "half"):
        months = made.window * 3 - 1 if made.grain == "quarter" else made.window - 1
        unit = "MONTH" if made.grain == "quarter" else made.grain.upper()
        frame = f"RANGE BETWEEN INTERVAL '{months}' {unit} PRECEDING AND CURRENT ROW"
        return f"SUM({metric}) OVER (ORDER BY {time} {frame})"
    if made.grain == "half" or made.window:
        raise Unsayable("a sum over half years")
    within = f"PARTITION BY DATE_TRUNC('{made.grain}', {time}) " if made.grain else ""
    return f"SUM({metric}) OVER ({within}ORDER BY {time})"
