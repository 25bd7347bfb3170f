"""Running one read-only SQL query over the run's data sources."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.observation import Observation, Preview
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.meaning.dictionary import DataDictionary
from flows.data.meaning.lineage import of_result
from flows.data.query import Engine, run_query
from flows.data.tables import ResultTable
from flows.library.blocks.keep import keep_as_json, keep_table

PREVIEW_ROWS = 20


class QueryConfig(AtomicConfig):
    """The keys of a query flow."""

    max_rows: int = Field(default=200, ge=1, le=100_000, description="rows kept of a result")
    query_timeout: float = Field(default=30.0, gt=0, description="seconds for one query")
    engine: Engine = Field(default="auto", description="which database may answer")
    keep: Literal["all", "json"] = Field(
        default="all",
        description="forms that a result is kept in: all (JSON, Parquet, CSV, what its columns "
        "are), or JSON alone, which citations read",
    )


class QueryInputs(Ports):
    sql: str = Field(description="one SELECT statement")


class QueryOutputs(Ports):
    observation: Observation


class QueryFlow(AtomicFlow):
    """Runs one SELECT through the firewall and keeps its result as an artifact of the run."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = QueryConfig
    Inputs: ClassVar[type[Ports]] = QueryInputs
    Outputs: ClassVar[type[Ports]] = QueryOutputs

    def __init__(self, config: QueryConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: QueryInputs, run: Run) -> QueryOutputs:
        config: QueryConfig = self.config
        stop = threading.Event()
        query = asyncio.create_task(
            asyncio.to_thread(
                run_query,
                self.catalog,
                inputs.sql,
                max_rows=config.max_rows,
                timeout=config.query_timeout,
                engine=config.engine,
                stop=stop,
            )
        )
        try:
            result = await asyncio.shield(query)
        except asyncio.CancelledError:
            stop.set()  # and wait: the connection must be free when the run gives it up
            await asyncio.wait([query])
            query.exception()  # that it was stopped is known
            raise
        if config.keep == "json":
            saved = keep_as_json(run, result)
        else:
            told = await asyncio.to_thread(entries_of, result, self.catalog)
            saved = await keep_table(run, result, dictionary=told)
        return QueryOutputs(observation=observe(result, saved.name))


def entries_of(result: ResultTable, catalog: Catalog) -> DataDictionary:
    """What each column of a result is, by its query and by what is known of the tables."""
    tables = catalog.tables()
    read = [each for each in tables if each.source in result.sources]
    databases = {each.source if each.dialect != "duckdb" else "": each.dialect for each in read}
    dialect = next(iter(databases.values())) if len(databases) == 1 else "duckdb"
    return of_result(result.columns, result.types, result.sql, dialect, tables)


def observe(result: ResultTable, artifact: str) -> Observation:
    """A result as an observation: its first rows, and where all of it is."""
    preview = Preview(
        columns=result.columns,
        types=tuple(result.types),
        rows=result.rows[:PREVIEW_ROWS],
        total_rows=len(result.rows),
        truncated=result.truncated,
        sql=result.sql,
        artifact=artifact,
        elapsed_ms=round(result.elapsed_ms, 2),
    )
    if not result.rows:
        return Observation(kind="empty", text="The query ran and found no rows.", table=preview)
    more = " (there are more; the rest was left out)" if result.truncated else ""
    rows = "1 row" if len(result.rows) == 1 else f"{len(result.rows)} rows"
    return Observation(kind="ok", text=f"The query gave {rows}{more}.", table=preview)
