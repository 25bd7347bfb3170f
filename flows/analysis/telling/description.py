"""What the data hold, said from the semantic model and from what is known of the tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from flows.analysis.parser.exact import phrase
from flows.analysis.telling.query_words import in_words
from flows.data.tables import Column, Table
from flows.semantics.model import (
    Conversion,
    Cumulative,
    Dataset,
    Metric,
    SemanticField,
    SemanticModel,
)
from flows.semantics.request import Describe

_TABLES: Final = 8
_VALUES: Final = 20
_ADDITIVE: Final = {
    "all": "", "not over time": "It is not summed up over time",
    "none": "Figures of parts do not sum up to that of the whole",
}  # fmt: skip
_BETTER: Final = {"": "", "up": "More of it is better", "down": "Less of it is better"}


def describe(request: Describe, model: SemanticModel, tables: Sequence[Table]) -> str:
    """The answer to a description that `check` accepts. `tables` are as the model means them."""
    table = next((each for each in tables if each.name == request.dataset), None)
    dataset = model.dataset(request.dataset)
    metric = model.metric(request.metric)
    if request.subject == "definition" and metric is not None:
        return _metric(metric, model)
    if table is None or dataset is None:
        return general(tables)
    if request.subject == "profile":
        return profile([table])
    if request.subject == "columns":
        return _columns(dataset, table)
    field = dataset.find(request.field)
    column = next((each for each in table.columns if each.name == request.field), None)
    if field is None or column is None:
        return _dataset(dataset, table)
    return _values(dataset, column) if request.subject == "values" else _field(
        dataset, field, column, model
    )  # fmt: skip


def general(tables: Sequence[Table]) -> str:
    """What tables there are, with their rows and columns."""
    said = [f"{each.name} has {row_count(each)} and the columns {column_list(each)}"
            for each in tables[:_TABLES]]  # fmt: skip
    left = [table.name for table in tables[_TABLES:]]
    more = f"; further tables are {', '.join(left)}" if left else ""
    return f"The data: {'; '.join(said)}{more}." if said else ""


def profile(tables: Sequence[Table]) -> str:
    """What a profile of tables says first: size, what is missing, keys."""
    keys = [f"{t.name} is told apart by {' + '.join(t.keys[0])}" for t in tables if t.keys]
    return " ".join(filter(None, (general(tables), missing(tables), sentences(keys))))


def missing(tables: Sequence[Table]) -> str:
    """Which columns of tables lack values."""
    said = []
    for table in tables:
        holes = [f"{each.name} ({each.missing:,})" for each in table.columns if each.missing]
        if holes:
            said.append(f"{table.name} has missing values in {', '.join(holes)}")
    if said:
        return sentences(said)
    return f"No value is missing in {' or '.join(table.name for table in tables[:_TABLES])}."


def row_count(table: Table) -> str:
    """How many rows a table has."""
    return f"{table.rows:,} {'row' if table.rows == 1 else 'rows'}"


def column_list(table: Table) -> str:
    """The names of a table's columns."""
    return ", ".join(column.name for column in table.columns)


def sentences(said: Iterable[str]) -> str:
    """Some statements as one sentence; nothing for none."""
    text = "; ".join(said)
    return f"{text}." if text else ""


def _columns(dataset: Dataset, table: Table) -> str:
    kinds = {each.name: _kind(each) for each in dataset.fields}
    said = [f"{each.name} ({kinds.get(each.name, each.type)})" for each in table.columns]
    count = "one column" if len(said) == 1 else f"{in_words(len(said))} columns"
    return f"{dataset.name} has {count}: {', '.join(said)}."


def _kind(field: SemanticField) -> str:
    kind = field.role if field.role == field.type else f"{field.role}, {field.type}"
    return f"{kind}, in {field.unit}" if field.unit else kind


def _values(dataset: Dataset, column: Column) -> str:
    """The values of a column: all, the most frequent ones, or from where to where they go."""
    name = f"{column.name} of {dataset.name}"
    ends = f"from {column.minimum} to {column.maximum}" if column.minimum is not None else ""
    gap = f", and lacks {column.missing:,} of {column.rows:,}" if column.missing else ""
    counted = f"{name} has {column.distinct:,} different values"
    if column.values_complete and len(column.values) <= _VALUES:
        return f"{counted}: {', '.join(column.values)}{gap}."
    if column.values and column.type == "text":
        shown = ", ".join(column.values[:_VALUES])
        return f"{counted}; the most frequent are {shown}{gap}."
    return f"{counted}{f', {ends}' if ends else ''}{gap}."


def _field(dataset: Dataset, field: SemanticField, column: Column, model: SemanticModel) -> str:
    said = [f"{field.name} is a field of {dataset.name} ({_kind(field)})"]
    if field.expression is not None:
        said.append(f"It is {phrase(field.expression, dataset.name, model)}")
    elif field.column not in ("", field.name):
        said.append(f"It stands in the column {field.column}")
    if field.description:
        said.append(field.description.rstrip("."))
    if field.words:
        said.append(f"It is also called {', '.join(field.words)}")
    return f"{'. '.join(said)}. {_values(dataset, column)}"


def _dataset(dataset: Dataset, table: Table) -> str:
    said = [f"A row of {dataset.name} is: {dataset.noun}", f"It has {row_count(table)}"]
    if dataset.key:
        said.append(f"A row is told apart by {' + '.join(dataset.key)}")
    if dataset.time:
        said.append(f"When it happened is in {dataset.time}")
    if dataset.description:
        said.append(dataset.description.rstrip("."))
    return f"{'. '.join(said)}."


def _metric(metric: Metric, model: SemanticModel) -> str:
    """A metric: how it is computed, and what is to be known of it."""
    unit = f", in {metric.unit}" if metric.unit else ""
    said = [f"{metric.name} of {metric.dataset} is {_computing(metric, model)}{unit}"]
    said += [metric.description.rstrip("."), _ADDITIVE[metric.additive], _BETTER[metric.better]]
    if metric.words:
        said.append(f"It is also called {', '.join(metric.words)}")
    if metric.inferred:
        said.append("Nobody has declared it: names in the data suggest it")
    return f"{'. '.join(filter(None, said))}."


def _computing(metric: Metric, model: SemanticModel) -> str:
    made = metric.definition
    if isinstance(made, Cumulative):
        frame = f"the last {made.window} {made.grain}s" if made.window else f"the {made.grain}"
        since = f" within {frame}" if made.grain else " since the beginning"
        return f"{made.metric} summed up over time{since}"
    if isinstance(made, Conversion):
        within = f" within {made.days} days" if made.days else ""
        return (f"the percentage of {made.entity} with {made.base} that have {made.converted}"
                f"{within}")  # fmt: skip
    return phrase(made, metric.dataset, model)
