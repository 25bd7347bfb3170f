"""What is known of the tables of a pipeline as they are now."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field

from flows.analysis.prediction.task import SAMPLE, TEST, TRAIN
from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.errors import SourceError
from flows.library.blocks.frames import Frames
from flows.library.pipeline.state import TableRef


class ProfileTablesInputs(Ports):
    tables: dict[str, TableRef]


class ProfileTablesOutputs(Ports):
    profiles: dict[str, Table] = Field(default={})


class ProfileTablesFlow(AtomicFlow):
    """Profiles the tables `train`, `test` and `sample`, over all their rows."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = ProfileTablesInputs
    Outputs: ClassVar[type[Ports]] = ProfileTablesOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Looks at the tables."), parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: ProfileTablesInputs, run: Run) -> ProfileTablesOutputs:
        frames = Frames.of(self.catalog, run)
        profiles = {}
        for name in (TRAIN, TEST, SAMPLE):
            ref = inputs.tables.get(name)
            if ref is None:
                continue
            if ref.artifact:
                artifact = run.session.artifacts.find(ref.artifact)
                table = await frames.kept(artifact, run.session.folder)
            else:
                table = await self._table(ref.table)
            profiles[name] = table.model_copy(
                update={"name": name, "source": name, "foreign_keys": (), "joins": ()}
            )
        return ProfileTablesOutputs(profiles=profiles)

    async def _table(self, name: str) -> Table:
        tables = await asyncio.to_thread(self.catalog.tables)
        found = next((each for each in tables if each.name == name), None)
        if found is None:
            known = ", ".join(each.name for each in tables) or "none"
            raise SourceError(f"the data have no table {name!r} (there are: {known})")
        return found
