"""The datasets and relationships of tables, for requests that are made where no one has a model."""

from __future__ import annotations

from collections.abc import Sequence

from flows.data.tables import Table
from flows.semantics.inference.nouns import noun_of
from flows.semantics.inference.relationships import relationships_of
from flows.semantics.model import Dataset, SemanticField, SemanticModel


def model_of(tables: Sequence[Table]) -> SemanticModel:
    """Datasets with their columns, and the relationships that their joins are, named as in the
    model that is inferred from the data."""
    datasets = tuple(_dataset(each, tables) for each in tables)
    nouns = {each.name: each.noun for each in datasets}
    return SemanticModel(datasets=datasets, relationships=relationships_of(tables, nouns))


def _dataset(table: Table, tables: Sequence[Table]) -> Dataset:
    noun, plural, words = noun_of(table, tables)
    fields = (
        SemanticField(name=each.name, role="text", type=each.type, column=each.name)
        for each in table.columns
    )
    return Dataset(
        name=table.name, source=table.source, table=table.name, noun=noun, plural=plural,
        words=words, fields=tuple(fields),
    )  # fmt: skip
