"""What the tables of a role mean: the run's by their semantic model, a result by its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.model import Dataset, SemanticField, SemanticModel


def model_in(given: Mapping[str, Any], tables: Sequence[Table]) -> SemanticModel:
    """The semantic model of a role's inputs; what the tables tell by themselves without one."""
    found = given.get("semantic_model")
    if found is None:
        return infer_model(tables)
    return found if isinstance(found, SemanticModel) else SemanticModel.model_validate(found)


def fields_alone(tables: Sequence[Table], model: SemanticModel) -> tuple[Table, ...]:
    """The tables without the columns that are no fields of rows but metrics."""
    found = []
    for table in tables:
        dataset = model.dataset(table.name)
        kept = tuple(c for c in table.columns if dataset is None or dataset.find(c.name))
        whole = len(kept) == len(table.columns)
        found.append(table if whole else table.model_copy(update={"columns": kept}))
    return tuple(found)


def model_of_result(table: Table) -> SemanticModel:
    """The model of a table that a task is given, whose rows are as they are."""
    fields = tuple(
        SemanticField(
            name=each.name, column=each.name, type=each.type,
            role="time" if each.role == "time" else "text",
        )
        for each in table.columns
    )  # fmt: skip
    dataset = Dataset(name=table.name, source=table.source, table=table.name, noun="row",
                      plural="rows", fields=fields)  # fmt: skip
    return SemanticModel(datasets=(dataset,))
