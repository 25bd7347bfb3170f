"""The shapes of data as the rest of the package sees them: tables, columns, results."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict

from flows.core.observation import Cell

ColumnType = Literal["integer", "real", "text", "boolean", "date", "timestamp", "time", "other"]
ColumnRole = Literal["id", "measure", "category", "time", "text", "boolean"]
Dialect = Literal["duckdb", "sqlite", "postgres", "mysql"]


class Quantiles(BaseModel):
    """What 5, 25, 50, 75 and 95 % of the numbers lie below; interpolated between two of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    p5: float
    p25: float
    p50: float
    p75: float
    p95: float


class Frequent(BaseModel):
    """A value as text, and in how many rows it stands."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str
    count: int


class Lengths(BaseModel):
    """How many characters the texts of a column have."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shortest: int
    longest: int
    mean: float


class Column(BaseModel):
    """One column and what is known of it.

    `values` are distinct values as text, most frequent first: all of them when there are at most
    `VALUES_KEPT` (then `values_complete`), else the most frequent ones. `top` are the first of them
    with their counts. `minimum` and `maximum` are of the column's own type, dates in ISO form.
    `mean`, `std` (of a sample, n - 1) and `quantiles` are of finite numbers. `unit` is what the
    name says, "" when it says nothing. `words` are what people call the column besides its name;
    `additive` says whether its figures add up, None where nobody knows.
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
    std: float | None = None
    quantiles: Quantiles | None = None
    lengths: Lengths | None = None
    unit: str = ""
    values: tuple[str, ...] = ()
    values_complete: bool = False
    top: tuple[Frequent, ...] = ()
    description: str = ""
    words: tuple[str, ...] = ()
    additive: bool | None = None


class ForeignKey(BaseModel):
    """A declared reference from columns of this table to those of another."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    table: str
    to_columns: tuple[str, ...]


class Join(BaseModel):
    """Columns of this table whose values are found in columns of another.

    `share` is the part of the distinct values that is found there, None when nobody looked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    columns: tuple[str, ...]
    table: str
    to_columns: tuple[str, ...]
    declared: bool = False
    share: float | None = None


class Table(BaseModel):
    """One table of a source. `source` is its name in the config, `name` the one SQL uses.

    `keys` are columns, or pairs of them, whose values are never missing and never repeated: the
    declared key first. `sample` are the first rows, `bytes` the memory that all rows take, `notes`
    what was noticed while it was read, such as a guessed encoding; one about a column begins with
    its name and a colon. `copies` are rows that repeat another one exactly, where each of the
    others has a name of its own. `words` are what people call its rows besides its name, `time` is
    the column that says when, of several.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: str
    name: str
    dialect: Dialect
    rows: int
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    joins: tuple[Join, ...] = ()
    sample: tuple[tuple[Cell, ...], ...] = ()
    bytes: int | None = None
    notes: tuple[str, ...] = ()
    copies: int = 0
    description: str = ""
    words: tuple[str, ...] = ()
    time: str = ""

    def without_sample(self) -> Table:
        """The same without its rows, for records that are kept with every question."""
        return self.model_copy(update={"sample": ()}) if self.sample else self


VALUES_KEPT = 2000
TOP_KEPT = 10
SAMPLE_ROWS = 10


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


def plain_name(name: str) -> str:
    """A name without what people write differently: case, blanks, marks."""
    return re.sub(r"[\W_]+", "", name).casefold()
