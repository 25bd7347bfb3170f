"""What summary statistics find: where the values of a column lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from flows.analysis.methods.findings import Spreads, in_columns
from flows.analysis.methods.narration import InColumn, OfColumn, OfRows
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.summary_statistics.arguments import USUAL, SummaryStatistics
from flows.analysis.telling.cells import CitedCell

read_spreads: Final = in_columns(
    Spreads, column="column", middle="mean median", low="minimum min", high="maximum max",
    mean="mean", median="median", deviation="std",
)  # fmt: skip


def told_statistics(study: Specification[SummaryStatistics]) -> Sequence[str]:
    """The columns of the statistics that are told: those that were asked for, else the usual."""
    given = study.arguments
    return [*(f"p{each:g}" for each in given.percentiles), *given.statistics] or USUAL


@dataclass(frozen=True, kw_only=True)
class Summary(OfColumn, OfRows):
    """The statistics of a column."""

    left_out: Annotated[CitedCell | None, InColumn("missing")] = None
    statistics: Annotated[tuple[CitedCell, ...], InColumn(told_statistics)]
