"""The shapes of data as the rest of the package sees them: tables, columns, results."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from flows.core.observation import Cell

ColumnType = Literal["integer", "real", "text", "boolean", "date", "timestamp", "time", "other"]
ColumnRole = Literal["id", "measure", "category", "time", "text", "boolean"]
Dialect = Literal["duckdb", "sqlite"]


class Column(BaseModel):
    """One column and what is known of it.

    `values` are distinct values as text, most frequent first: all of them when there are at most
    `VALUES_KEPT` (then `values_complete`), else the most frequent ones. `minimum` and `maximum` are
    of the column's own type, dates in ISO form.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: ColumnType
    role: ColumnRole
    rows: int
    missing: int
    distinct: int
    minimum: Cell = None
    maximum: Cell = None
    mean: float | None = None
    values: tuple[str, ...] = ()
    values_complete: bool = False
    description: str = ""


class ForeignKey(BaseModel):
    """A declared reference from columns of this table to those of another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    table: str
    to_columns: tuple[str, ...]


class Table(BaseModel):
    """One table of a source. `source` is its name in the config, `name` the one SQL uses."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    name: str
    dialect: Dialect
    rows: int
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    description: str = ""


VALUES_KEPT = 2000


class ResultTable(BaseModel):
    """What a query gave. Dates and times are ISO text, decimals are floats, bytes are hex text.

    `truncated` says that there were more rows than `max_rows`; `sql` is the text that ran.
    `sources` maps the name of each source that was read to the SHA-256 of its content.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    types: tuple[ColumnType, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool
    sql: str
    sources: dict[str, str]
    elapsed_ms: float
