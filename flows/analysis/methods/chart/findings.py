"""What a chart shows: the groups and figures of what it draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from flows.analysis.compiler import result_columns
from flows.analysis.methods.about import query_of_rows
from flows.analysis.methods.chart.arguments import Chart
from flows.analysis.methods.narration import InColumn
from flows.analysis.methods.specification import Specification
from flows.analysis.telling.told import Told


def drawn_columns(study: Specification[Chart]) -> Sequence[str]:
    """The columns of the query that a chart draws."""
    return result_columns(*query_of_rows(study))


@dataclass(frozen=True, kw_only=True)
class ChartMark:
    """One mark of the drawing: what it is of, and its figures."""

    cells: Annotated[tuple[Told, ...], InColumn(drawn_columns)]
