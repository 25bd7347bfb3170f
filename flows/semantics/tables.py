"""The tables of a catalog as their semantic model means them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Final, TypeVar

from flows.data.tables import Column, ColumnRole, ForeignKey, Frequent, Join, Table
from flows.semantics.inference.nouns import singular
from flows.semantics.model import (
    Dataset,
    Fold,
    Metric,
    Relationship,
    Role,
    SemanticField,
    SemanticModel,
    Unknown,
)
from flows.semantics.query import Aggregate, FieldRef

R = TypeVar("R", ForeignKey, Join)
_ROLES: Final[dict[Role, ColumnRole]] = {
    "identifier": "id", "measure": "measure", "category": "category", "place": "category",
    "time": "time", "flag": "boolean", "text": "text",
}  # fmt: skip


def meant(tables: Sequence[Table], model: SemanticModel) -> tuple[Table, ...]:
    """The tables as `fields_of` gives them, with the model's metrics as columns too. A request
    over them names the model's datasets, fields and metrics."""
    return with_metrics(fields_of(tables, model), model)


def fields_of(tables: Sequence[Table], model: SemanticModel) -> tuple[Table, ...]:
    """The tables with the names, synonyms, types, roles, units and values of the model's fields.

    What is asked of them is asked of the values after cleaning: money that is written as text is a
    column of numbers, spellings of a category are one. Computed fields are columns too.
    """
    known = {each.table: each for each in model.datasets}
    names = Names(model.datasets)
    return tuple(
        _table(each, known[each.name], names, model) if each.name in known else each
        for each in tables
    )


def prepared(tables: Sequence[Table], dataset: Dataset) -> tuple[Table, ...]:
    """Tables that are as a model means them, that of a dataset with the columns that its fields
    have become; of the values of a column that is another one nothing is known."""
    return tuple(_prepared(each, dataset) if each.name == dataset.name else each
                 for each in tables)  # fmt: skip


def _prepared(table: Table, dataset: Dataset) -> Table:
    known = {each.name: each for each in table.columns}
    columns = [
        known[each.name]
        if each.name in known and known[each.name].type == each.type
        else _computed(each, table.rows)
        for each in dataset.fields
    ]
    more = [each for each in table.columns if dataset.find(each.name) is None]
    return table.model_copy(update={"columns": (*columns, *more)})


def with_metrics(tables: Sequence[Table], model: SemanticModel) -> tuple[Table, ...]:
    """The tables with the model's metrics as columns, but for those that a field is called like."""
    found = []
    for table in tables:
        named = {each.name.casefold() for each in table.columns}
        made = tuple(
            _computed(_as_field(each), table.rows)
            for each in model.metrics
            if each.dataset == table.name and each.name.casefold() not in named and _is_figure(each)
        )
        columns = (*table.columns, *made)
        found.append(table.model_copy(update={"columns": columns}) if made else table)
    return tuple(found)


def _joins(
    table: Table, dataset: Dataset, names: Names, relationships: Sequence[Relationship]
) -> tuple[Join, ...]:
    """What the data tell, and what somebody has declared."""
    found = tuple(names.reference(table, each) for each in table.joins)
    known = {(each.columns, each.table, each.to_columns) for each in found}
    told = [each for each in relationships if each.dataset == dataset.name and not each.inferred]
    return found + tuple(
        Join(columns=each.fields, table=each.to, to_columns=each.to_fields, declared=True)
        for each in told
        if (each.fields, each.to, each.to_fields) not in known
    )


def _as_field(metric: Metric) -> SemanticField:
    return SemanticField(name=metric.name, role="measure", type="real", unit=metric.unit,
                         words=metric.words)  # fmt: skip


def _table(table: Table, dataset: Dataset, names: Names, model: SemanticModel) -> Table:
    columns = {each.name: each for each in table.columns}
    fields = [each for each in dataset.fields if each.column in columns]
    computed = [each for each in dataset.fields if each.expression is not None]
    made = [_computed(each, table.rows) for each in computed]
    told = {each.name.casefold(): each for each in model.metrics if each.dataset == dataset.name}
    return table.model_copy(
        update={
            "name": dataset.name,
            "columns": (*(_column(columns[each.column], each, told) for each in fields), *made),
            "description": dataset.description,
            "words": tuple(each for each in dataset.words if not _is_called(each, dataset)),
            "time": dataset.time,
            "primary_key": names.columns(table.name, table.primary_key),
            "keys": tuple(names.columns(table.name, each) for each in table.keys),
            "foreign_keys": tuple(names.reference(table, each) for each in table.foreign_keys),
            "joins": _joins(table, dataset, names, model.relationships),
        }
    )


def _is_called(words: str, dataset: Dataset) -> bool:
    """Whether words for the rows are the name of a field, which is then meant by them."""
    one = singular(words.casefold())
    return any(singular(each.name.casefold()) == one for each in dataset.fields)


class Names:
    """What the model calls tables and columns, by what the data call them."""

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        self._tables = {each.table: each.name for each in datasets}
        self._columns = {
            each.table: {field.column: field.name for field in each.fields if field.column}
            for each in datasets
        }

    def columns(self, table: str, columns: Sequence[str]) -> tuple[str, ...]:
        known = self._columns.get(table, {})
        return tuple(known.get(each, each) for each in columns)

    def reference(self, table: Table, one: R) -> R:
        update = {
            "columns": self.columns(table.name, one.columns),
            "table": self._tables.get(one.table, one.table),
            "to_columns": self.columns(one.table, one.to_columns),
        }
        return one.model_copy(update=update)


def _column(column: Column, field: SemanticField, told: Mapping[str, Metric]) -> Column:
    """The column after cleaning; what is not known of its values then is left out. `told` are the
    metrics of its table, which may be called as it is."""
    metric = told.get(field.name.casefold())
    words = (*field.words, *(metric.words if metric else ()))
    said: dict[str, object] = {
        "name": field.name,
        "type": field.type,
        "role": _role(column, field),
        "unit": field.unit,
        "description": field.description,
        "words": tuple(dict.fromkeys(words)),
        "additive": _additivity(metric),
    }
    if field.cleaning:
        said |= _cleaned(column, field)
    return column.model_copy(update=said)


def _additivity(metric: Metric | None) -> bool | None:
    """Whether the figures of a metric add up. That nothing speaks against it says nothing yet: only
    who declares it knows."""
    if metric is None or (metric.inferred and metric.additive == "all"):
        return None
    return metric.additive == "all"


def _is_figure(metric: Metric) -> bool:
    """Whether a metric is more than an inferred sum or average of one field."""
    made = metric.definition
    plain = isinstance(made, Aggregate) and isinstance(made.of, FieldRef)
    return not (plain and metric.inferred)


def _computed(field: SemanticField, rows: int) -> Column:
    """A column for what rows have by computing, of whose values nothing is known."""
    return Column(
        name=field.name, type=field.type, role=_ROLES[field.role], rows=rows, missing=0,
        distinct=rows, unit=field.unit, description=field.description, words=field.words,
        minimum=field.least, maximum=field.most,
    )  # fmt: skip


def _role(column: Column, field: SemanticField) -> ColumnRole:
    """The role; how texts are read the profile knows better than an inferred model, but that
    figures in them are no amounts."""
    role = _ROLES[field.role]
    if field.inferred and role == "id" and column.role == "measure" and column.type != "text":
        return column.role  # numbers that rows of other tables refer to may be asked for as well
    if field.inferred and field.type == "text" == column.type and role != "boolean":
        return role if column.role == "measure" and role == "id" else column.role
    few = column.type == "text" and column.role == "category"
    return "category" if few and role == "measure" else role


def _cleaned(column: Column, field: SemanticField) -> dict[str, object]:
    markers = {str(value) for each in field.cleaning if isinstance(each, Unknown)
               for value in each.values}  # fmt: skip
    names = {said: meant for each in field.cleaning if isinstance(each, Fold)
             for said, meant in each.names}  # fmt: skip
    marked = sum(each.count for each in column.top if each.value in markers)
    kept = [each for each in column.values if each not in markers]
    found: dict[str, object] = {"missing": column.missing + marked}
    if field.type == "text":
        values = tuple(dict.fromkeys(names.get(each.strip(), each.strip()) for each in kept))
        found |= {"values": values, "top": _top(column, markers, names)}
    else:
        values, unseen = tuple(kept), {"mean": None, "std": None, "quantiles": None, "top": ()}
        ends = {"minimum": field.least, "maximum": field.most}
        found |= {**unseen, **ends, "values": () if column.type == "text" else values}
        found |= {"values_complete": column.values_complete and column.type != "text"}
    lost = len(column.values) - len(values) if field.type == "text" else len(markers)
    return found | {"distinct": column.distinct - lost}


def _top(column: Column, markers: Container[str], names: Mapping[str, str]) -> tuple[Frequent, ...]:
    counts: Counter[str] = Counter()
    for each in column.top:
        if each.value not in markers:
            counts[names.get(each.value.strip(), each.value.strip())] += each.count
    return tuple(Frequent(value=value, count=count) for value, count in counts.most_common())


def model_of_result(table: Table) -> SemanticModel:
    """The model of a table whose rows are as they are, and not asked for what they mean."""
    fields = tuple(
        SemanticField(
            name=each.name, column=each.name, type=each.type, unit=each.unit,
            role="time" if each.role == "time" else "text",
        )
        for each in table.columns
    )  # fmt: skip
    dataset = Dataset(name=table.name, source=table.source, table=table.name, noun="row",
                      plural="rows", fields=fields)  # fmt: skip
    return SemanticModel(datasets=(dataset,))
