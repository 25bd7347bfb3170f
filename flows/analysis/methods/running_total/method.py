"""Running totals: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, group_of, more, names, text
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.running_total.cue import CUE
from flows.analysis.methods.specification import Study
from flows.analysis.methods.time_series import series_of
from flows.analysis.telling.wording import in_words


def _smoothed_calls(study: Study, _title: str) -> list[Call]:
    window = int(study.setting("size") or 0)
    return [Call("result", "smoothed", (*series_of(study), window))]


def _say_smoothed(study: Study, rows: Sequence[Row], total: int) -> str:
    window = study.setting("size")
    key = f"moving_average_{window}" if window else "cumulative"
    shown = [row for row in rows if row[key].value is not None]
    said = [
        f"{group_of(study, row) + ', ' if study.group else ''}{text(row, study.time)}: "
        f"{text(row, key)}"
        for row in shown[:GROUPS]
    ]
    what = f"moving average over {in_words(int(window))} steps" if window else "running total"
    rest = more(shown, total, GROUPS, "steps")
    return f"The {what} of {names(study.columns)}{about(study)}{rest}: {'; '.join(said)}."


METHOD = Method(
    kind="cumulative",
    cue=CUE,
    calls=_smoothed_calls,
    say=_say_smoothed,
    needs=("cumulative",),
)
