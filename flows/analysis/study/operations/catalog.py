"""All kinds of studies, in the order in which they are tried: what is more special comes before
what is more general. A new kind is one entry here, with its recipe and its tests."""

from __future__ import annotations

from typing import Final

from flows.analysis.study.operation import Operation
from flows.analysis.study.operations.charts import CHARTS
from flows.analysis.study.operations.comparison import COMPARE
from flows.analysis.study.operations.correlation import CORRELATION, SCATTER
from flows.analysis.study.operations.distribution import BOX, HISTOGRAM, SUMMARY
from flows.analysis.study.operations.drivers import DRIVERS
from flows.analysis.study.operations.forecast import FORECAST
from flows.analysis.study.operations.growth import GROWTH, TREND
from flows.analysis.study.operations.models import IMPORTANCE, MODEL
from flows.analysis.study.operations.oddities import MISSING, NORMALITY, OUTLIERS
from flows.analysis.study.operations.ranking import RANKING
from flows.analysis.study.operations.regression import REGRESSION
from flows.analysis.study.operations.smoothing import CUMULATIVE, MOVING
from flows.analysis.study.operations.structure import CLUSTERS, COMPONENTS

OPERATIONS: Final[tuple[Operation, ...]] = (
    MISSING, RANKING, NORMALITY, COMPONENTS, CLUSTERS, SCATTER, BOX, MOVING, CUMULATIVE,
    FORECAST, GROWTH, TREND, MODEL, IMPORTANCE, COMPARE, REGRESSION, OUTLIERS, CORRELATION,
    SUMMARY, HISTOGRAM, CHARTS,
)  # fmt: skip
# Drivers are what the team's modeller makes of a model, a regression or importances.
BY_KIND: Final = {each.kind: each for each in OPERATIONS} | {
    "changes": GROWTH, DRIVERS.kind: DRIVERS,
}  # fmt: skip
