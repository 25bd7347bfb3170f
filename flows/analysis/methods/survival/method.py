"""Survival: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration, OfGroup
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import GROUPS, about, more, names
from flows.analysis.methods.survival.arguments import Survival
from flows.analysis.methods.survival.cue import CUE
from flows.analysis.telling.cells import CitedCell


@dataclass(frozen=True, kw_only=True)
class SurvivalCurve(OfGroup):
    """The median of a group's curve with its interval; empty where it is not reached."""

    rows: CitedCell
    events: CitedCell
    median: CitedCell
    median_lower: CitedCell
    median_upper: CitedCell
    last_time: CitedCell
    last_survival: CitedCell


@dataclass(frozen=True, kw_only=True)
class ComparedCurve(SurvivalCurve):
    """A curve beside others; the test says whether these differ."""

    test: CitedCell
    statistic: CitedCell
    p_value: CitedCell
    significant: CitedCell


def _calls(study: Specification[Survival], title: str) -> list[Call]:
    given = study.arguments
    told = (given.fields[0], given.event, given.happened, given.group)
    return [
        Call("result", "survival", (*told, title)),
        Call("curves", "survival_curves", told),
    ]


def _say(study: Specification[Survival], curves: Sequence[SurvivalCurve], total: int) -> str:
    said = [_median(each) for each in curves[:GROUPS]]
    rest = more(curves, total, GROUPS, "groups")
    return (
        "By the Kaplan-Meier estimate the median of "
        f"{names(study.columns)}{_until(study)}{about(study)}, with the interval that holds "
        f"ninety-five percent{rest}: {'; '.join(said)}."
    )


def _until(study: Specification[Survival]) -> str:
    """The event in words. A number among them would look like one that was found."""
    event, happened = study.arguments.event, study.arguments.happened
    if not event:
        return ""
    is_word = isinstance(happened, str) and not any(map(str.isdigit, happened))
    return f" until {names([event])}{f' is {names([str(happened)])}' if is_word else ''}"


def _median(curve: SurvivalCurve) -> str:
    seen = f"{curve.events} events in {curve.rows} rows"
    if curve.median.value is None:
        return (f"{curve.head}not reached, {curve.last_survival} of all are left at the "
                f"last time, {curve.last_time} ({seen})")  # fmt: skip
    low, high = curve.median_lower, curve.median_upper
    upper = f"to {high}" if high.value is not None else "without an upper end"
    lower = low.text() if low.value is not None else "the beginning"
    return f"{curve.head}{curve.median} (from {lower} {upper}; {seen})"


def _say_compared(
    study: Specification[Survival], curves: Sequence[ComparedCurve], total: int
) -> str:
    test, said = curves[0], _say(study, curves, total)
    if test.p_value.value is None:
        return f"{said} Whether the groups differ cannot be tested."
    clear = "differ significantly" if test.significant.value else "do not differ significantly"
    return (f"{said} The groups {clear} at the five percent level ({test.test}: statistic "
            f"{test.statistic}, p = {test.p_value}).")  # fmt: skip


METHOD = Method(
    arguments=Survival,
    cue=CUE,
    calls=_calls,
    narrations=(
        Narration(ComparedCurve, _say_compared),
        Narration(SurvivalCurve, _say),
    ),
    steps=computing(
        "Estimate by Kaplan and Meier which share is left after each time, with those that were "
        "still waiting counted for as long as they were seen; compare groups by the log-rank test."
    ),
    picture="the curves as steps, each with its band",
    follow_ups=then("distribution", "fields", "group"),
)
