"""Survival: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import GROUPS, about, head, more, names, text
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.survival.arguments import Survival
from flows.analysis.methods.survival.cue import CUE


def _calls(study: Specification[Survival], title: str) -> list[Call]:
    given = study.arguments
    told = (given.fields[0], given.event, given.happened, given.group)
    return [
        Call("result", "survival", (*told, title)),
        Call("curves", "survival_curves", told),
    ]


def _say(study: Specification[Survival], rows: Sequence[Row], total: int) -> str:
    said = [_median(study, row) for row in rows[:GROUPS]]
    rest = more(rows, total, GROUPS, "groups")
    verdict = _verdict(rows[0]) if study.group and total > 1 else ""
    return (
        f"By the Kaplan-Meier estimate the median of {names(study.columns)}{_until(study)}"
        f"{about(study)}, with the interval that holds ninety-five percent{rest}: "
        f"{'; '.join(said)}.{verdict}"
    )


def _until(study: Specification[Survival]) -> str:
    """The event in words. A number among them would look like one that was found."""
    event, happened = study.arguments.event, study.arguments.happened
    if not event:
        return ""
    is_word = isinstance(happened, str) and not any(map(str.isdigit, happened))
    return f" until {names([event])}{f' is {names([str(happened)])}' if is_word else ''}"


def _median(study: Specification[Survival], row: Row) -> str:
    name = head(study, row)
    seen = f"{text(row, 'events')} events in {text(row, 'rows')} rows"
    if row["median"].value is None:
        return (f"{name}not reached, {text(row, 'last_survival')} of all are left at the last "
                f"time, {text(row, 'last_time')} ({seen})")  # fmt: skip
    low, high = row["median_lower"], row["median_upper"]
    upper = f"to {high.text()}" if high.value is not None else "without an upper end"
    lower = low.text() if low.value is not None else "the beginning"
    return f"{name}{text(row, 'median')} (from {lower} {upper}; {seen})"


def _verdict(row: Row) -> str:
    if row["p_value"].value is None:
        return " Whether the groups differ cannot be tested."
    clear = "differ significantly" if row["significant"].value else "do not differ significantly"
    return (f" The groups {clear} at the five percent level ({text(row, 'test')}: statistic "
            f"{text(row, 'statistic')}, p = {text(row, 'p_value')}).")  # fmt: skip


def _follow_ups(study: Specification[Survival]) -> list[FollowUp]:
    return [FollowUp("distribution", {"fields": study.columns, "group": study.group})]


METHOD = Method(
    arguments=Survival,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("rows", "events", "median", "median_lower", "median_upper", "last_survival"),
    steps=computing(
        "Estimate by Kaplan and Meier which share is left after each time, with those that were "
        "still waiting counted for as long as they were seen; compare groups by the log-rank test."
    ),
    picture="the curves as steps, each with its band",
    cautions=words("all_censored all_events crossing_curves few_events missing_left_out"),
    findings=in_rows,
    answers=frozenset(),
    follow_ups=_follow_ups,
)
