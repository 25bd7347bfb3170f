"""Forecasts: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, head, more, names, text
from flows.analysis.methods.findings import Expectations, in_columns
from flows.analysis.methods.forecast.arguments import Forecast
from flows.analysis.methods.forecast.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.time_series import series_of


def _calls(study: Specification[Forecast], _title: str) -> list[Call]:
    given = study.arguments
    goal = [given.steps, given.unit, given.until]
    return [Call("result", "forecast", (*series_of(study), goal))]


def _say(study: Specification[Forecast], rows: Sequence[Row], total: int) -> str:
    said = [
        f"{head(study, row, time=True)}{text(row, 'forecast')} (interval {text(row, 'lower')} to "
        f"{text(row, 'upper')})"
        for row in rows[:GROUPS]
    ]
    first, rest = rows[0], more(rows, total, GROUPS, "steps")
    how = "total" if study.arguments.how == "sum" else "mean"
    return (
        f"The forecast of the {how} {names(study.columns)}{about(study)}, by "
        f"{text(first, 'method')} over {text(first, 'points')} points in time, with intervals "
        f"that hold "
        f"ninety-five percent{rest}: "
        f"{'; '.join(said)}."
    )


def _follow_ups(study: Specification[Forecast]) -> list[FollowUp]:
    return [FollowUp("trend", study.arguments.series)]


METHOD = Method(
    arguments=Forecast,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("forecast", "lower", "upper", "method", "points"),
    steps=computing("Fit the course over time and continue it, with an interval around it."),
    picture="the course with its continuation and interval",
    cautions=words("far_forecast few_points gaps_in_time missing_left_out"),
    findings=in_columns(
        Expectations, expected="forecast predicted yhat expected", lower="lower", upper="upper"
    ),
    answers=frozenset({"forecast"}),
    follow_ups=_follow_ups,
)
