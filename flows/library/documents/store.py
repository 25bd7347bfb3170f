"""Keeping what documents say: as entities, and as records of a columnar store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, ClassVar, Final

from pydantic import Field

from flows.analysis.extraction.fields import NamedField
from flows.core.entity_store import EntityRecord, EntityStore
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.tables import ColumnType
from flows.library.documents.config import DOCUMENT, SHA256, KeptColumns, KeptEntities
from flows.library.documents.gather import DocumentRecord
from flows.memory.columns.records import table_of_records
from flows.memory.columns.schema import ColumnKind, StoreColumn, StoreSchema
from flows.memory.columns.store import ColumnarStore

if TYPE_CHECKING:
    import pyarrow

_KINDS: Final[Mapping[ColumnType, ColumnKind]] = {
    "integer": "integer", "real": "real", "date": "date", "boolean": "boolean",
}  # fmt: skip


class StoreConfig(AtomicConfig):
    """The keys of keeping."""

    description: str = "Keeps the documents in stores."
    fields: tuple[NamedField, ...] = ()
    entities: KeptEntities | None = None
    columns: KeptColumns | None = None


class StoreInputs(Ports):
    """The records, and the kinds of their columns."""

    rows: tuple[DocumentRecord, ...]
    kinds: dict[str, ColumnType] = Field(default={})


class StoreOutputs(Ports):
    """What was kept, in sentences."""

    told: tuple[str, ...] = ()


class StoreRecordsFlow(AtomicFlow):
    """Puts records into the run's entity store, in place of those of the same key, and appends them
    to a columnar store, if it has none of the same document."""

    needs: ClassVar[Mapping[str, str]] = {"entities": "entities"}
    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = StoreConfig
    Inputs: ClassVar[type[Ports]] = StoreInputs
    Outputs: ClassVar[type[Ports]] = StoreOutputs

    def __init__(self, config: StoreConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.entities: EntityStore | None = None
        if config.entities is not None:
            self.entities = parts.service("entities", EntityStore)  # type: ignore[type-abstract]

    async def run(self, inputs: StoreInputs, run: Run) -> StoreOutputs:
        config: StoreConfig = self.config
        told: list[str] = []
        if config.entities is not None and self.entities is not None:
            told.append(await self._put(inputs.rows, config.entities, self.entities, run))
        if config.columns is not None:
            told.append(await asyncio.to_thread(self._append, inputs, config.columns))
        return StoreOutputs(told=tuple(told))

    async def _put(
        self, rows: Sequence[DocumentRecord], kept: KeptEntities, store: EntityStore, run: Run
    ) -> str:
        records: dict[str, EntityRecord] = {}
        without: list[str] = []
        for row in rows:
            key = row.values.get(kept.key)
            if key is None:
                without.append(row.document)
                continue
            if str(key) in records:
                run.notice(f"Several documents have the key {key}; {row.document} is kept.")
            values = {DOCUMENT: row.document, **row.values}
            records[str(key)] = EntityRecord(type=kept.type, key=str(key), values=values)
        await store.put(list(records.values()))
        text = f"Kept as entities of type {kept.type}: {', '.join(records) or 'none'}"
        return f"{text}; without {kept.key}: {', '.join(without)}" if without else text

    def _append(self, inputs: StoreInputs, kept: KeptColumns) -> str:
        """Append the records of documents that the store does not have yet, by their content."""
        schema = self._schema(kept, inputs.kinds)
        store = ColumnarStore(schema, kept.folder)
        mark = blake2b(schema.model_dump_json().encode(), digest_size=8).hexdigest()
        added = sum(
            store.append_table(_table(schema, row), key=f"{row.sha256}/{mark}")
            for row in inputs.rows
        )
        known = len(inputs.rows) - added
        text = f"Kept in the columnar store {kept.store}: {added} of {len(inputs.rows)} records"
        return f"{text}; {known} were there" if known else text

    def _schema(self, kept: KeptColumns, kinds: Mapping[str, ColumnType]) -> StoreSchema:
        config: StoreConfig = self.config
        declared = {each.name: each for each in config.fields}
        columns = [StoreColumn(name=DOCUMENT, kind="text", required=True, role="identifier"),
                   StoreColumn(name=SHA256, kind="text", required=True)]  # fmt: skip
        for name, kind in kinds.items():
            field = declared.get(name, NamedField(name=name))
            columns.append(
                StoreColumn(
                    name=name,
                    kind=_KINDS.get(kind, "text"),
                    description=field.description,
                    unit=field.unit,
                    words=field.words,
                    values=field.values if field.type == "text" else (),
                )
            )
        namespace, _, name = kept.store.partition("/")
        return StoreSchema(
            namespace=namespace,
            name=name,
            description="What documents say: a record each.",
            columns=tuple(columns),
        )


def _table(schema: StoreSchema, row: DocumentRecord) -> pyarrow.Table:
    values: dict[str, Any] = {**row.values, DOCUMENT: row.document, SHA256: row.sha256}
    for column in schema.columns:
        if column.kind == "date" and isinstance(day := values.get(column.name), str):
            values[column.name] = date.fromisoformat(day)
    return table_of_records(schema, [values])
