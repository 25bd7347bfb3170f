"""Running the query of a data processor: all rows are kept, the first of them as cells."""

from __future__ import annotations

import asyncio
import threading
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.observation import Observation, Preview
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.meaning.dictionary import DataDictionary
from flows.data.query import Engine, Exported, export_query
from flows.data.sql.partners import rows_without_partner
from flows.library.blocks.keep import keep_exported
from flows.library.blocks.query import PREVIEW_ROWS, entries_of


class ExtractConfig(AtomicConfig):
    """The keys of an extraction."""

    description: str = "Runs the query and keeps all its rows."
    max_rows: int = Field(
        default=10_000, ge=1, le=100_000, description="rows kept as cells, which citations read"
    )
    query_timeout: float = Field(default=60.0, gt=0, description="seconds for one query")
    engine: Engine = Field(default="auto", description="which database may answer")


class ExtractInputs(Ports):
    sql: str = Field(description="one SELECT statement")


class ExtractOutputs(Ports):
    """The result; what its columns are, which of them the query has made, what it read, and which
    rows a join leaves out."""

    observation: Observation
    dictionary: DataDictionary
    new: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    left_out: str = ""


class ExtractFlow(AtomicFlow):
    """Runs one SELECT through the firewall and keeps all rows of its result."""

    Config: ClassVar[type[FlowConfig]] = ExtractConfig
    Inputs: ClassVar[type[Ports]] = ExtractInputs
    Outputs: ClassVar[type[Ports]] = ExtractOutputs

    def __init__(self, config: ExtractConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: ExtractInputs, run: Run) -> ExtractOutputs:
        found = await self._found(inputs.sql)
        dictionary = await asyncio.to_thread(entries_of, found.table, self.catalog)
        artifact = await keep_exported(run, found, dictionary=dictionary)
        return ExtractOutputs(
            observation=_observation(found, artifact.name),
            dictionary=dictionary,
            new=await asyncio.to_thread(self._new, dictionary),
            sources=tuple(found.table.sources),
            left_out=rows_without_partner(inputs.sql, self.catalog.tables(), found.total),
        )

    async def _found(self, sql: str) -> Exported:
        config: ExtractConfig = self.config
        stop = threading.Event()
        query = asyncio.create_task(
            asyncio.to_thread(
                export_query,
                self.catalog,
                sql,
                max_rows=config.max_rows,
                timeout=config.query_timeout,
                engine=config.engine,
                stop=stop,
            )
        )
        try:
            return await asyncio.shield(query)
        except asyncio.CancelledError:
            stop.set()  # and wait: the connection must be free when the run gives it up
            await asyncio.wait([query])
            raise

    def _new(self, dictionary: DataDictionary) -> tuple[str, ...]:
        """The columns that are no column of a table as it stands there."""
        known = {
            f"{table.name}.{column.name}"
            for table in self.catalog.tables()
            for column in table.columns
        }
        told = DataDictionary.of_tables(self.catalog.tables())
        copied = {f"{each.table}.{each.column}": each.description for each in told.entries}
        return tuple(
            each.column
            for each in dictionary.entries
            if len(each.made_from) != 1
            or each.made_from[0] not in known
            or copied[each.made_from[0]] != each.description
        )


def _observation(found: Exported, artifact: str) -> Observation:
    table = found.table
    preview = Preview(
        columns=table.columns,
        types=tuple(table.types),
        rows=table.rows[:PREVIEW_ROWS],
        total_rows=found.total,
        sql=table.sql,
        artifact=artifact,
        elapsed_ms=round(table.elapsed_ms, 2),
    )
    if not found.total:
        return Observation(kind="empty", text="The query ran and found no rows.", table=preview)
    rows = "1 row" if found.total == 1 else f"{found.total:,} rows"
    return Observation(kind="ok", text=f"The query gave {rows}.", table=preview)
