"""Moving averages: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, head, more, names, text
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.moving_average.arguments import MovingAverage
from flows.analysis.methods.moving_average.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.time_series import series_of
from flows.analysis.telling.wording import in_words


def _calls(study: Specification[MovingAverage], _title: str) -> list[Call]:
    return [Call("result", "smoothed", (*series_of(study), study.arguments.window))]


def _say(study: Specification[MovingAverage], rows: Sequence[Row], total: int) -> str:
    window = study.arguments.window
    key = f"moving_average_{window}"
    shown = [row for row in rows if row[key].value is not None]
    said = [f"{head(study, row, time=True)}{text(row, key)}" for row in shown[:GROUPS]]
    rest = more(shown, total, GROUPS, "steps")
    return (
        f"The moving average over {in_words(window)} steps of {names(study.columns)}{about(study)}"
        f"{rest}: {'; '.join(said)}."
    )


def _follow_ups(study: Specification[MovingAverage]) -> list[FollowUp]:
    return [FollowUp("trend", study.arguments.series)]


METHOD = Method(
    arguments=MovingAverage,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=(),
    steps=computing("Average each value with those before it."),
    picture="the course and its average",
    cautions=words("missing_left_out"),
    findings=in_rows,
    answers=frozenset({"trend"}),
    follow_ups=_follow_ups,
)
