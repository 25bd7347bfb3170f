"""Keeping what documents say: as entities, and as records of a columnar store."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from flows.analysis.extraction.fields import NamedField
from flows.core.entity_store import EntityRecord, EntityStore
from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.tables import ColumnType
from flows.errors import StoreError
from flows.library.documents.config import KeptColumns, KeptEntities
from flows.library.documents.gather import DOCUMENT, DocumentRecord


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
    """Puts records into the run's entity store, in place of those of the same key."""

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
        raise StoreError(f"there are no columnar stores here: {kept.store}")
