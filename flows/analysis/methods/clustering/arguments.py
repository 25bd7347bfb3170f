"""K-means clusters: the arguments."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, Arguments, Numbers
from flows.data.tables import Table

MOST_CLUSTERS = 50


class Clustering(Arguments):
    """The columns by which rows are near, and the number of clusters (0: the best one)."""

    method: ClassVar[str] = "clustering"

    fields: tuple[Numbers, ...] = Field(min_length=1, max_length=MOST_COLUMNS)
    number: int = Field(default=0, ge=0)

    def limits(self, table: Table) -> tuple[str, ...]:
        most = min(MOST_CLUSTERS, table.rows // 2)
        if self.number and not 2 <= self.number <= most:
            return (
                f"{self.number} clusters of {table.rows} rows tell nothing; from 2 to {most} can "
                "be made",
            )
        return ()
