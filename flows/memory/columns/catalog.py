"""The records of a store as the one table of a catalog, with what its schema says of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from flows.data.dictionary_catalog import DescribedCatalog
from flows.data.files.sources import DataFile, Source, table_name
from flows.data.meaning.dictionary import DataDictionary, DictionaryEntry
from flows.data.tables import ColumnRole, Table
from flows.data.workers.pair import AnySource
from flows.memory.columns.schema import StoreColumn, StoreSchema
from flows.semantics.model import Dataset, Role, SemanticField, SemanticModel

_ROLES: Final[dict[Role, ColumnRole]] = {
    "identifier": "id", "measure": "measure", "category": "category", "place": "category",
    "time": "time", "flag": "boolean", "text": "text",
}  # fmt: skip


class StoreCatalog(DescribedCatalog):
    """A catalog of one table: the Parquet files of a store. Descriptions, units and roles are those
    of the schema; files that lack a column have no value in it."""

    def __init__(
        self, schema: StoreSchema, address: str, paths: Sequence[Path], cache: Path | None
    ) -> None:
        self._schema = schema
        table = table_name(schema.name)
        files = tuple(DataFile(each, "parquet", "", table) for each in paths)
        self._source = Source(schema.name, table, address, paths[0].parent, "glob", files)
        dictionary = DataDictionary(entries=tuple(_entries(schema, table)))
        super().__init__({schema.name: address}, Path(), cache, dictionary=dictionary)
        self._hinted: tuple[tuple[Table, ...], tuple[Table, ...]] | None = None

    def tables(self) -> tuple[Table, ...]:
        found = super().tables()
        known = self._hinted
        if known is None or known[0] is not found:
            hinted = tuple(_with_roles(each, self._schema) for each in found)
            known = self._hinted = (found, hinted)
        return known[1]

    def _open_all(self) -> list[AnySource]:
        return [self._source]


def with_schema(model: SemanticModel, schema: StoreSchema) -> SemanticModel:
    """The semantic model of a store's table with the roles, values, key and time of its schema."""
    datasets = tuple(_dataset(each, schema) for each in model.datasets)
    told = {each.name: each.additive for each in schema.columns if each.additive is not None}
    metrics = []
    for each in model.metrics:
        of = getattr(getattr(each.definition, "of", None), "field", "")
        additive = told.get(of)
        update = {} if additive is None else {"additive": "all" if additive else "none",
                                              "inferred": False}  # fmt: skip
        metrics.append(each.model_copy(update=update) if update else each)
    return model.model_copy(update={"datasets": datasets, "metrics": tuple(metrics)})


def _dataset(dataset: Dataset, schema: StoreSchema) -> Dataset:
    known = {each.name: each for each in schema.columns}
    fields = tuple(
        _field(each, known[each.column]) if each.column in known else each
        for each in dataset.fields
    )
    said: dict[str, object] = {"fields": fields}
    if schema.key:
        said["key"] = schema.key
    if schema.time:
        said["time"] = schema.time
    return dataset.model_copy(update=said)


def _field(field: SemanticField, column: StoreColumn) -> SemanticField:
    said: dict[str, object] = {} if column.role is None else {"role": column.role}
    if column.values and not field.cleaning:
        said["values"] = tuple(dict.fromkeys((*column.values, *field.values)))
    return field.model_copy(update=said) if said else field


def _entries(schema: StoreSchema, table: str) -> list[DictionaryEntry]:
    """What the schema says, as entries of a data dictionary."""
    entries = [
        DictionaryEntry(
            table=table, column=each.name, description=each.description, unit=each.unit,
            synonyms=each.words,
        )
        for each in schema.columns
        if each.description or each.unit or each.words
    ]  # fmt: skip
    if schema.description:
        entries.append(DictionaryEntry(table=table, description=schema.description))
    return entries


def _with_roles(table: Table, schema: StoreSchema) -> Table:
    roles = {each.name: _ROLES[each.role] for each in schema.columns if each.role is not None}
    columns = tuple(
        each.model_copy(update={"role": roles[each.name]}) if each.name in roles else each
        for each in table.columns
    )
    return table.model_copy(update={"columns": columns, "time": schema.time or table.time})
