"""Tables of the tests, as files in a folder, and the models that they tell."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

from flows.data.catalog import Catalog
from flows.semantics.model import Dataset, SemanticField, SemanticModel
from flows.semantics.models import SemanticModels

Columns = Mapping[str, Sequence[object]]


def write_table(folder: Path, name: str, columns: Columns, *, delimiter: str = ",") -> str:
    """A CSV file of columns of equal length; returns its name."""
    with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return f"{name}.csv"


def model_of(folder: Path, tables: Mapping[str, Columns]) -> SemanticModel:
    """The model of tables that are written as CSV files."""
    sources = {name: write_table(folder, name, columns) for name, columns in tables.items()}
    return model_of_sources(folder, sources)


def model_of_sources(folder: Path, sources: Mapping[str, str]) -> SemanticModel:
    with Catalog(sources, folder) as catalog:
        return SemanticModels(catalog).model()


def only(model: SemanticModel) -> Dataset:
    (dataset,) = model.datasets
    return dataset


def fields(dataset: Dataset) -> dict[str, SemanticField]:
    return {each.name: each for each in dataset.fields}
