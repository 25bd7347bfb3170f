"""Growth and changes from step to step: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, group_of, more, names, text
from flows.analysis.methods.growth.cue import CUE
from flows.analysis.methods.method import Call, Method, Row
from flows.analysis.methods.specification import Study
from flows.analysis.methods.time_series import series_of


def _growth_calls(study: Study, _title: str) -> list[Call]:
    if study.kind == "changes":
        return [Call("result", "changes", (*series_of(study), study.setting("every")))]
    return [Call("result", "growth", (*series_of(study), study.setting("order")))]


def _say_growth(study: Study, rows: Sequence[Row], total: int) -> str:
    if study.kind == "changes":
        return _say_changes(study, rows, total)
    said = []
    for row in rows[:GROUPS]:
        head = f"{group_of(study, row)}: " if study.group else ""
        yearly = f", {text(row, 'cagr')} % a year" if row["cagr"].value is not None else ""
        said.append(
            f"{head}from {text(row, 'first_value')} ({text(row, 'from')}) to "
            f"{text(row, 'last_value')} ({text(row, 'to')}), by {text(row, 'percent')} %{yearly}"
        )
    rest = more(rows, total, GROUPS, "groups")
    where = about(study)
    return f"The growth of {names(study.columns)}{where}{rest}: {'; '.join(said)}."


def _say_changes(study: Study, rows: Sequence[Row], total: int) -> str:
    shown = [row for row in rows if row["percent"].value is not None][:GROUPS]
    said = [
        f"{group_of(study, row) + ', ' if study.group else ''}{text(row, study.time)}: "
        f"{text(row, 'percent')} %"
        for row in shown
    ]
    first = rows[0]
    rest = more(shown, total, GROUPS, "steps")
    return (
        f"The change of {names(study.columns)}{about(study)} from step to step is "
        f"{text(first, 'mean_percent')} % on average, with a standard deviation of "
        f"{text(first, 'std_percent')} %{rest}: {'; '.join(said)}."
    )


METHOD = Method(
    kind="growth",
    cue=CUE,
    calls=_growth_calls,
    say=_say_growth,
    needs=("percent",),
)
