"""The table of methods, in the order in which they are tried: what is more special comes before
what is more general. A new method is one folder beside this module, and one line here."""

from __future__ import annotations

from typing import Any, Final

from flows.analysis.methods.box_plot.method import METHOD as BOX_PLOT
from flows.analysis.methods.breakdown.method import METHOD as BREAKDOWN
from flows.analysis.methods.change.method import METHOD as CHANGE
from flows.analysis.methods.chart.method import METHOD as CHART
from flows.analysis.methods.clustering.method import METHOD as CLUSTERING
from flows.analysis.methods.correlation.method import METHOD as CORRELATION
from flows.analysis.methods.data_quality.method import METHOD as DATA_QUALITY
from flows.analysis.methods.distribution.method import METHOD as DISTRIBUTION
from flows.analysis.methods.feature_importance.method import METHOD as FEATURE_IMPORTANCE
from flows.analysis.methods.findings import Findings
from flows.analysis.methods.forecast.method import METHOD as FORECAST
from flows.analysis.methods.growth.method import METHOD as GROWTH
from flows.analysis.methods.hypothesis_test.method import METHOD as HYPOTHESIS_TEST
from flows.analysis.methods.key_drivers.method import METHOD as KEY_DRIVERS
from flows.analysis.methods.method import Method
from flows.analysis.methods.missing_values.method import METHOD as MISSING_VALUES
from flows.analysis.methods.moving_average.method import METHOD as MOVING_AVERAGE
from flows.analysis.methods.normality.method import METHOD as NORMALITY
from flows.analysis.methods.outliers.method import METHOD as OUTLIERS
from flows.analysis.methods.prediction.method import METHOD as PREDICTION
from flows.analysis.methods.predictive_model.method import METHOD as PREDICTIVE_MODEL
from flows.analysis.methods.principal_components.method import METHOD as PRINCIPAL_COMPONENTS
from flows.analysis.methods.ranking.method import METHOD as RANKING
from flows.analysis.methods.regression.method import METHOD as REGRESSION
from flows.analysis.methods.running_total.method import METHOD as RUNNING_TOTAL
from flows.analysis.methods.scatter_plot.method import METHOD as SCATTER_PLOT
from flows.analysis.methods.sheet import Sheet
from flows.analysis.methods.summary_statistics.method import METHOD as SUMMARY_STATISTICS
from flows.analysis.methods.survival.method import METHOD as SURVIVAL
from flows.analysis.methods.trend.method import METHOD as TREND

# Those that a text asks for by its words.
ASKED: Final[tuple[Method[Any], ...]] = (
    SURVIVAL,
    PREDICTION,
    CHANGE,
    DATA_QUALITY,
    MISSING_VALUES,
    RANKING,
    NORMALITY,
    PRINCIPAL_COMPONENTS,
    CLUSTERING,
    SCATTER_PLOT,
    BOX_PLOT,
    MOVING_AVERAGE,
    RUNNING_TOTAL,
    FORECAST,
    GROWTH,
    TREND,
    PREDICTIVE_MODEL,
    FEATURE_IMPORTANCE,
    HYPOTHESIS_TEST,
    REGRESSION,
    OUTLIERS,
    CORRELATION,
    SUMMARY_STATISTICS,
    DISTRIBUTION,
    CHART,
)
# What the team asks for, and no word does.
METHODS: Final[tuple[Method[Any], ...]] = (*ASKED, KEY_DRIVERS, BREAKDOWN)
BY_NAME: Final = {each.name: each for each in METHODS}


def find_findings(sheet: Sheet, method: str = "") -> Findings | None:
    """What a result says, as its method reads it; one that this cannot read, or that no method of
    ours has made, as the first method that can. None for rows that are no findings of a method."""
    own = BY_NAME.get(method)
    for each in (*([own] if own else ()), *METHODS):
        found: Findings | None = each.reader(sheet)
        if found is not None:
            return found
    return None
