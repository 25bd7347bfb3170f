"""Growth and changes from step to step: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, head, more, names, text
from flows.analysis.methods.findings import Changes, in_columns
from flows.analysis.methods.growth.arguments import Growth
from flows.analysis.methods.growth.cue import CUE
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.time_series import series_of


def _calls(study: Specification[Growth], _title: str) -> list[Call]:
    if study.arguments.stepwise:
        return [Call("result", "changes", (*series_of(study), study.arguments.every))]
    return [Call("result", "growth", (*series_of(study), study.arguments.order))]


def _say(study: Specification[Growth], rows: Sequence[Row], total: int) -> str:
    if study.arguments.stepwise:
        return _say_changes(study, rows, total)
    said = []
    for row in rows[:GROUPS]:
        yearly = f", {text(row, 'cagr')} % a year" if row["cagr"].value is not None else ""
        said.append(
            f"{head(study, row)}from {text(row, 'first_value')} ({text(row, 'from')}) to "
            f"{text(row, 'last_value')} ({text(row, 'to')}), by {text(row, 'percent')} %{yearly}"
        )
    rest = more(rows, total, GROUPS, "groups")
    where = about(study)
    return f"The growth of {names(study.columns)}{where}{rest}: {'; '.join(said)}."


def _say_changes(study: Specification[Growth], rows: Sequence[Row], total: int) -> str:
    shown = [row for row in rows if row["percent"].value is not None][:GROUPS]
    said = [f"{head(study, row, time=True)}{text(row, 'percent')} %" for row in shown]
    first = rows[0]
    rest = more(shown, total, GROUPS, "steps")
    return (
        f"The change of {names(study.columns)}{about(study)} from step to step is "
        f"{text(first, 'mean_percent')} % on average, with a standard deviation of "
        f"{text(first, 'std_percent')} %{rest}: {'; '.join(said)}."
    )


def _steps(study: Specification[Growth]) -> list[str]:
    stepwise = "Compute the change from each time to the next, in percent."
    whole = "Compute the change from the first to the last time, and for each step."
    return computing(stepwise if study.arguments.stepwise else whole)(study)


def _follow_ups(study: Specification[Growth]) -> list[FollowUp]:
    return [FollowUp("trend", study.arguments.series)]


METHOD = Method(
    arguments=Growth,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("percent",),
    steps=_steps,
    picture="the course of the changes from step to step",
    cautions=words("missing_left_out not_positive"),
    findings=in_columns(
        Changes,
        first="first_value",
        last="last_value",
        since="from",
        until="to",
        percent="percent",
    ),
    answers=frozenset({"trend"}),
    follow_ups=_follow_ups,
)
