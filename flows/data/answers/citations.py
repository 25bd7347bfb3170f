"""Citations: for every number of an answer, the cell, the count or the words that it comes from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict

from flows.core.observation import Cell, Preview
from flows.data.tables import ResultTable

Origin = Literal["cell", "derived", "rows", "question", "query", "none"]


class Citation(BaseModel):
    """Where a number of an answer comes from.

    `text` stands at `start`:`end` of the answer. `cell`: `value` is exactly what stands in `row`
    (from 0) and `column` of the result. `derived`: `formula` works it out from that column's cells
    in the rows `rows_used`, whose numbers stand in the same sentence. `rows`: the result has
    `value` rows. `question` and `query`: the number was given there. `none`: nothing that was found
    holds it. With a `reference` the text was rendered from cells, so that nothing had to be found.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str
    start: int
    end: int
    origin: Origin
    result: str | None = None
    row: int | None = None
    column: str | None = None
    value: Cell = None
    sql: str | None = None
    formula: str | None = None
    rows_used: tuple[int, ...] = ()
    reference: str | None = None

    @property
    def traced(self) -> bool:
        """Whether anything holds the number."""
        return self.origin != "none"


class Traced(BaseModel):
    """How many numbers an answer has, and of how many the origin is known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    numbers: int
    traced: int
    share: float | None

    @classmethod
    def of(cls, citations: Sequence[Citation]) -> Traced:
        numbers, traced = len(citations), sum(each.traced for each in citations)
        return cls(
            numbers=numbers,
            traced=traced,
            share=round(traced / numbers, 4) if numbers else None,
        )


@dataclass(frozen=True, slots=True)
class NamedResult:
    """A result that an answer may speak of. `total_rows` is None when there were more to come."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    sql: str | None
    total_rows: int | None

    @classmethod
    def of_table(cls, name: str, table: ResultTable) -> NamedResult:
        total = None if table.truncated else len(table.rows)
        return cls(name, table.columns, table.rows, table.sql, total)

    @classmethod
    def of_preview(cls, name: str, table: Preview) -> NamedResult:
        total = None if table.truncated else table.total_rows
        return cls(name, table.columns, table.rows, table.sql, total)
