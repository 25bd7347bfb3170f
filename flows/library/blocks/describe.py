"""What the run's data sources hold."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.observation import Observation
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.tables import Column, ResultTable, Table
from flows.errors import SourceError, nearest
from flows.library.blocks.keep import keep_table
from flows.library.blocks.query import observe

COLUMNS = ("table", "column", "type", "role", "rows", "missing", "distinct", "minimum", "maximum")
TYPES = ("text", "text", "text", "text", "integer", "integer", "integer", "text", "text")


class DescribeConfig(AtomicConfig):
    """The keys of a describe flow."""

    description: str = "Describes the data: its tables and columns, types, ranges, missing values."


class DescribeInputs(Ports):
    table: str = Field(default="", description="one table or source; all of them without it")


class DescribeOutputs(Ports):
    observation: Observation


class DescribeFlow(AtomicFlow):
    """Says what tables there are, and of each column its type, role, range and gaps."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = DescribeConfig
    Inputs: ClassVar[type[Ports]] = DescribeInputs
    Outputs: ClassVar[type[Ports]] = DescribeOutputs

    def __init__(self, config: DescribeConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: DescribeInputs, run: Run) -> DescribeOutputs:
        known = await asyncio.to_thread(self.catalog.tables)
        tables = chosen_tables(inputs.table, known)
        rows = tuple(_row(table, column) for table in tables for column in table.columns)
        profile = ResultTable(
            columns=COLUMNS,
            types=TYPES,
            rows=rows,
            truncated=False,
            sql="",
            sources={t.source: self.catalog.source_hash(t.source) for t in tables},
            elapsed_ms=0.0,
        )
        saved = await keep_table(run, profile, "profile", "column profile")
        shown = observe(profile, saved.name).table
        preview = shown.model_copy(update={"sql": None, "elapsed_ms": None}) if shown else None
        return DescribeOutputs(
            observation=Observation(kind="ok", text=_counted(tables), table=preview)
        )


def _counted(tables: Sequence[Table]) -> str:
    return "\n".join(
        f"{table.name}: {table.rows:,} rows, {len(table.columns)} columns" for table in tables
    )


def chosen_tables(name: str, tables: Sequence[Table]) -> list[Table]:
    """The table or source of that name, all without one. Errors: `SourceError`."""
    wanted = name.strip().casefold()
    found = [t for t in tables if wanted in ("", t.name.casefold(), t.source.casefold())]
    if not tables:
        raise SourceError("the run has no data: give it a source with data.NAME=PATH")
    if not found:
        names = [table.name for table in tables]
        meant = nearest(name, names)
        hint = f"; did you mean {meant!r}?" if meant else ""
        raise SourceError(f"there is no table {name!r}{hint} (tables: {', '.join(names)})")
    return found


def _row(table: Table, column: Column) -> tuple[str | int | None, ...]:
    return (
        table.name,
        column.name,
        column.type,
        column.role,
        column.rows,
        column.missing,
        column.distinct,
        None if column.minimum is None else str(column.minimum),
        None if column.maximum is None else str(column.maximum),
    )
