"""Adding rows to a table of a database file."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from flows.core.flow import AtomicConfig, AtomicFlow, Effect, FlowConfig, Parts, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.data.append import EffectKey, append_rows, check_database, check_table


class AppendConfig(AtomicConfig):
    """The keys of a flow that adds rows. A relative `database` starts from the working folder."""

    description: str = "Adds a row to a table of a database file."
    database: Annotated[Path, AfterValidator(check_database)] = Field(
        description="the SQLite file; made when it is not there"
    )
    table: Annotated[str, AfterValidator(check_table)] = Field(
        description="made from the first row's columns when it is not there"
    )
    wait: float = Field(default=5.0, ge=0, le=600, description="seconds to wait for other writers")


class AppendInputs(Ports):
    row: dict[str, Any] | tuple[dict[str, Any], ...] = Field(
        description="column names with their values; a list of such rows adds all of them or none"
    )


class AppendOutputs(Ports):
    """`written` counts the rows that this call added: 0 when an earlier try had added them."""

    observation: Observation
    written: int


class AppendFlow(AtomicFlow):
    """Adds rows together with the step's effect key, so that a step tried again adds them once."""

    effect: Effect = "idempotent"
    Config: ClassVar[type[FlowConfig]] = AppendConfig
    Inputs: ClassVar[type[Ports]] = AppendInputs
    Outputs: ClassVar[type[Ports]] = AppendOutputs

    def __init__(self, config: AppendConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.database = config.database.expanduser()

    async def run(self, inputs: AppendInputs, run: Run) -> AppendOutputs:
        config: AppendConfig = self.config
        rows = (inputs.row,) if isinstance(inputs.row, Mapping) else inputs.row
        effect = EffectKey(run.effect_key, run.address, run.session.run_id)
        written = await asyncio.to_thread(
            append_rows, self.database, config.table, rows, effect, wait=config.wait
        )
        where = f"the table {config.table!r} of {config.database}"
        return AppendOutputs(observation=_observed(len(rows), written, where), written=written)


def _observed(rows: int, written: int, where: str) -> Observation:
    if not rows:
        return Observation(kind="empty", text=f"There was no row to add to {where}.")
    count, verb = ("1 row", "was") if rows == 1 else (f"{rows} rows", "were")
    if not written:
        text = f"An earlier try of this step had added {count} to {where}; nothing was added again."
        return Observation(kind="ok", text=text)
    return Observation(kind="ok", text=f"{count} {verb} added to {where}.")
