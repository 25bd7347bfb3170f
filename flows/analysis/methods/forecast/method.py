"""Forecasts: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, group_of, more, names, text
from flows.analysis.methods.forecast.cue import CUE
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study
from flows.analysis.methods.time_series import series_of


def _forecast_calls(study: Study, _title: str) -> list[Call]:
    until = int(study.setting("until") or 0)
    goal = [study.number, study.setting("unit"), until]
    return [Call("result", "forecast", (*series_of(study), goal))]


def _say_forecast(study: Study, rows: Sequence[Row], total: int) -> str:
    said = []
    for row in rows[:GROUPS]:
        name = f"{group_of(study, row)}, " if study.group else ""
        said.append(
            f"{name}{text(row, study.time)}: {text(row, 'forecast')} (interval "
            f"{text(row, 'lower')} to {text(row, 'upper')})"
        )
    first, rest = rows[0], more(rows, total, GROUPS, "steps")
    how = "total" if study.setting("how") == "sum" else "mean"
    return (
        f"The forecast of the {how} {names(study.columns)}{about(study)}, by "
        f"{text(first, 'method')} over {text(first, 'points')} points in time, with intervals "
        f"that hold "
        f"ninety-five percent{rest}: "
        f"{'; '.join(said)}."
    )


METHOD = Method(
    kind="forecast",
    cue=CUE,
    calls=_forecast_calls,
    say=_say_forecast,
    needs=("forecast", "lower", "upper", "method", "points"),
)
