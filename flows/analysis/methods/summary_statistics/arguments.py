"""Summary statistics: the arguments."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from flows.analysis.methods.arguments import MOST_COLUMNS, Arguments, Groups, Numbers

Statistic = Literal[
    "mean", "median", "std", "variance", "minimum", "maximum", "range", "mode", "skewness",
    "kurtosis", "q1", "q3", "iqr", "cv", "mad", "standard_error", "ci_low", "ci_high",
    "population_std", "population_variance",
]  # fmt: skip
USUAL: tuple[Statistic, ...] = (
    "mean", "std", "minimum", "q1", "median", "q3", "maximum", "skewness",
)  # fmt: skip
Percentile = Annotated[float, Field(gt=0, lt=100)]


class SummaryStatistics(Arguments):
    """The columns, and which statistics of them are told (none: the usual ones)."""

    method: ClassVar[str] = "summary_statistics"

    fields: tuple[Numbers, ...] = Field(min_length=1, max_length=MOST_COLUMNS)
    group: Groups = ""
    statistics: tuple[Statistic, ...] = ()
    percentiles: tuple[Percentile, ...] = ()
