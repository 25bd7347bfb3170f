"""A table in full: what each of its columns holds, its keys and joins, its first rows."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from typing import ClassVar

from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, FlowConfig, Parts, Ports
from flows.core.observation import Cell, Observation
from flows.core.run import Run
from flows.data.catalog import Catalog
from flows.data.tables import Column, ColumnType, ResultTable, Table
from flows.library.blocks.describe import chosen_tables
from flows.library.blocks.keep import keep_table
from flows.library.blocks.query import observe

_TYPED: tuple[tuple[str, ColumnType], ...] = (
    ("table", "text"), ("column", "text"), ("type", "text"), ("role", "text"), ("unit", "text"),
    ("rows", "integer"), ("missing", "integer"), ("missing_percent", "real"),
    ("distinct", "integer"), ("minimum", "text"), ("p5", "real"), ("p25", "real"),
    ("median", "real"), ("p75", "real"), ("p95", "real"), ("maximum", "text"), ("mean", "real"),
    ("std", "real"), ("top_value", "text"), ("top_count", "integer"),
)  # fmt: skip
_TOP = 5
_SAMPLE = 3
_JOINS = 12


class ProfileConfig(AtomicConfig):
    """The keys of a profile flow."""

    description: str = (
        "Profiles one table, or all, in full: missing and distinct values, quantiles, most "
        "frequent values, units, keys, likely joins, sample rows. For the quality of the data; "
        "describe is the short overview."
    )


class ProfileInputs(Ports):
    table: str = Field(default="", description="one table or source; all of them without it")


class ProfileOutputs(Ports):
    observation: Observation


class ProfileFlow(AtomicFlow):
    """Gives the profile of tables: one row a column, and the rest in words."""

    needs: ClassVar[Mapping[str, str]] = {"data": "data"}
    Config: ClassVar[type[FlowConfig]] = ProfileConfig
    Inputs: ClassVar[type[Ports]] = ProfileInputs
    Outputs: ClassVar[type[Ports]] = ProfileOutputs

    def __init__(self, config: ProfileConfig, parts: Parts) -> None:
        super().__init__(config, parts)
        self.catalog = parts.service("data", Catalog)

    async def run(self, inputs: ProfileInputs, run: Run) -> ProfileOutputs:
        known = await asyncio.to_thread(self.catalog.tables)
        tables = chosen_tables(inputs.table, known)
        hashes = {t.source: await self._hash(t.source) for t in tables}
        profile = ResultTable(
            columns=tuple(name for name, _ in _TYPED),
            types=tuple(kind for _, kind in _TYPED),
            rows=tuple(_row(table, column) for table in tables for column in table.columns),
            truncated=False,
            sql="",
            sources=hashes,
            elapsed_ms=0.0,
        )
        names = ", ".join(table.name for table in tables)
        saved = await keep_table(run, profile, "profile", f"profile of {names}")
        shown = observe(profile, saved.name).table
        preview = shown.model_copy(update={"sql": None, "elapsed_ms": None}) if shown else None
        text = "\n\n".join("\n".join(_told(table)) for table in tables)
        return ProfileOutputs(observation=Observation(kind="ok", text=text, table=preview))

    async def _hash(self, source: str) -> str:
        return await asyncio.to_thread(self.catalog.source_hash, source)


def _row(table: Table, column: Column) -> tuple[Cell, ...]:
    spread = column.quantiles
    top = column.top[0] if column.top else None
    share = round(100 * column.missing / column.rows, 4) if column.rows else 0.0
    return (
        table.name,
        column.name,
        column.type,
        column.role,
        column.unit or None,
        column.rows,
        column.missing,
        share,
        column.distinct,
        None if column.minimum is None else str(column.minimum),
        *((spread.p5, spread.p25, spread.p50, spread.p75, spread.p95) if spread else (None,) * 5),
        None if column.maximum is None else str(column.maximum),
        column.mean,
        column.std,
        top.value if top else None,
        top.count if top else None,
    )


def _told(table: Table) -> Iterator[str]:
    """A table in lines: its size, what is missing, its keys and joins, its first rows."""
    size = f", {_bytes(table.bytes)} in memory" if table.bytes else ""
    yield f"{table.name}: {table.rows:,} rows, {len(table.columns)} columns{size}."
    if table.description:
        yield table.description
    yield _missing(table)
    alike = [c.name for c in table.columns if table.rows > 1 and c.distinct <= 1]
    if alike:
        yield f"The same in every row: {', '.join(alike)}."
    keys = [" + ".join(key) for key in (table.keys or ((table.primary_key or None),)) if key]
    yield f"Keys: {', '.join(keys)}." if keys else "No column tells all rows apart."
    for join in table.joins[:_JOINS]:
        share = "declared" if join.declared else f"{100 * (join.share or 0):.0f} % found"
        here, there = ", ".join(join.columns), ", ".join(join.to_columns)
        yield f"Joins {join.table} by {here} = {there} ({share})."
    for column in table.columns:
        if column.role in ("category", "text", "boolean") and column.top:
            values = ", ".join(f"{each.value} ({each.count:,})" for each in column.top[:_TOP])
            yield f"Most frequent in {column.name}: {values}."
    for row in table.sample[:_SAMPLE]:
        yield f"A row: {json.dumps(row, ensure_ascii=False, default=str)[:500]}"
    yield from (f"Note: {note}" for note in table.notes)


def _missing(table: Table) -> str:
    holes = [f"{c.name} ({c.missing:,})" for c in table.columns if c.missing]
    return f"Missing values in {', '.join(holes)}." if holes else "No value is missing."


def _bytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size >= 1_000_000 else f"{size / 1e3:,.1f} kB"
