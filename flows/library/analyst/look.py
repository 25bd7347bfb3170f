"""Looking at the table that a task works on: what the run has kept under a name."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.tables import Table
from flows.errors import CommandError
from flows.library.blocks.frames import Frames


class LookInputs(Ports):
    data: str = Field(default="", description="the name of a kept table; none for the run's tables")


class LookOutputs(Ports):
    """The profile of that table, whose name is `data` as it is in code; None without one."""

    table: Table | None = None


class LookFlow(AtomicFlow):
    """Profiles a kept table over all its rows, once a run, for readers and prompts."""

    Config: ClassVar[type[FlowConfig]] = AtomicConfig
    Inputs: ClassVar[type[Ports]] = LookInputs
    Outputs: ClassVar[type[Ports]] = LookOutputs

    def __init__(self, parts: Parts) -> None:
        super().__init__(AtomicConfig(description="Looks at the task's data."), parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: LookInputs, run: Run) -> LookOutputs:
        if not inputs.data:
            return LookOutputs()
        tables = {each.name: each for each in run.session.artifacts.all() if each.what == "table"}
        if inputs.data not in tables:
            known = ", ".join(tables) or "none"
            raise CommandError(f"there is no result {inputs.data!r} (results: {known})")
        artifact = tables[inputs.data]
        table = await Frames.of(self.catalog, run).kept(artifact, run.session.folder)
        return LookOutputs(table=table.without_sample())
