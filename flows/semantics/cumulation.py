"""How a metric that sums up along time goes along the periods of a query."""

from __future__ import annotations

from collections.abc import Sequence

from flows.semantics.model import Cumulative, Dataset
from flows.semantics.query import Expression, FieldRef, Period

# How many of a shorter period make a longer one; a month is no number of weeks.
_MAKE_UP = {
    "year": {"half": 2, "quarter": 4, "month": 12},
    "half": {"quarter": 2, "month": 6},
    "quarter": {"month": 3},
    "week": {"day": 7},
}
_INSIDE = {
    "year": ("half", "quarter", "month", "day"),
    "half": ("quarter", "month", "day"),
    "quarter": ("month", "day"),
    "month": ("day",),
    "week": ("day",),
}


def find_periods(by: Sequence[Expression], dataset: Dataset) -> list[Expression]:
    """The groups that are periods of the time of a dataset, or its days."""
    return [each for each in by if grain_of(each, dataset)]


def grain_of(group: Expression, dataset: Dataset) -> str:
    """The length of a period of the dataset's time; empty for any other group."""
    of = group.of if isinstance(group, Period) else group
    own = isinstance(of, FieldRef) and not of.via and of.dataset == dataset.name
    if not (own and isinstance(of, FieldRef) and dataset.time and of.field == dataset.time):
        return ""
    if not isinstance(group, Period):
        field = dataset.find(dataset.time)
        return "day" if field is not None and field.type == "date" else "moment"
    lengths = ("year", "half", "quarter", "month", "week", "day", "hour")
    return group.grain if group.grain in lengths else ""


def window_periods(metric: Cumulative, grain: str) -> int:
    """How many periods of `grain` the window of a metric holds; 0 where it holds no whole ones."""
    if metric.grain == grain:
        return metric.window
    return metric.window * _MAKE_UP.get(metric.grain, {}).get(grain, 0)


def goes_along(metric: Cumulative, grain: str) -> bool:
    """Whether a metric can be summed up along periods of this length."""
    if not metric.grain:
        return True
    if metric.window:
        return window_periods(metric, grain) > 0
    return grain == metric.grain or grain in _INSIDE.get(metric.grain, ())
