"""Change explained: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about, capital, names, number, text
from flows.analysis.methods.change.arguments import Change
from flows.analysis.methods.change.cue import CUE
from flows.analysis.methods.findings import Changes, in_columns
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing

_TOLD = 3


def _calls(study: Specification[Change], title: str) -> list[Call]:
    given = study.arguments
    told = (given.time, list(given.fields), list(given.group), given.how, given.before,
            given.period, title)  # fmt: skip
    return [Call("result", "change", told)]


def _say(study: Specification[Change], rows: Sequence[Row], _total: int) -> str:
    whole = rows[0]
    said = [_whole(study, whole)]
    if number(whole["change"].value):
        for each in study.arguments.group:
            split = [row for row in rows if row["dimension"].value == each]
            said += [_split(each, split, len(study.arguments.group))] if split else []
    return " ".join(said)


def _whole(study: Specification[Change], row: Row) -> str:
    """By how much it has changed, and that what was taken for granted is not so."""
    given, change = study.arguments, number(row["change"].value)
    what = f"{_measure(given)}{about(study)}"
    went = "fell" if change < 0 else "rose" if change > 0 else "did not change:"
    denied = ""
    if given.expected and given.expected != {"fell": "fall", "rose": "rise"}.get(went):
        denied = f"{what} did not {given.expected}. "
        what = "it"
    if not change:
        told = f"it is {text(row, 'value_before')} in {text(row, 'from')} as in {text(row, 'to')}"
        return f"{capital(denied)}{capital(told)}." if denied else capital(f"{what} {went} {told}.")
    percent = f" ({text(row, 'percent')} %)" if row["percent"].value is not None else ""
    told = (f"{what} {went} from {text(row, 'value_before')} in {text(row, 'from')} to "
            f"{text(row, 'value_after')} in {text(row, 'to')}, a change of {text(row, 'change')}"
            f"{percent}.")  # fmt: skip
    return f"{capital(denied)}{capital(told)}"


def _measure(given: Change) -> str:
    if given.how == "count":
        return "the number of rows"
    of = names(given.fields)
    return f"the average {of}" if given.how == "mean" else f"the {of}"


def _split(column: str, rows: Sequence[Row], splits: int) -> str:
    """Which groups have the largest part in the change, and which goes most against it."""
    with_it = [row for row in rows if number(row["contribution"].value) > 0]
    against = [row for row in rows if number(row["contribution"].value) < 0]
    shown = with_it[: _TOLD if splits == 1 else 1]
    told = [f"{text(shown[0], 'group')} has the largest part in it ({_part(shown[0])})"]
    told += [f"{text(row, 'group')} ({_part(row)})" for row in shown[1:]]
    other = ""
    if against:
        other = f"; {text(against[-1], 'group')} goes most against it ({_part(against[-1])})"
    rest = f", before {' and '.join(told[1:])}" if told[1:] else ""
    return f"By {names([column])}, {told[0]}{rest}{other}."


def _part(row: Row) -> str:
    return f"{text(row, 'effect')}, {text(row, 'contribution')} % of the change"


def _follow_ups(study: Specification[Change]) -> list[FollowUp]:
    given = study.arguments
    series = {"fields": given.fields, "time": given.time, "how": given.how}
    return [FollowUp("trend", series)] if given.fields else []


METHOD = Method(
    arguments=Change,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=(
        "dimension",
        "group",
        "from",
        "to",
        "value_before",
        "value_after",
        "change",
        "percent",
        "effect",
        "contribution",
    ),
    steps=computing(
        "Compute the measure in both periods and its change; split the change by the groups of "
        "each column, so that the parts add up to the whole."
    ),
    picture="the part of each group in the change as bars",
    cautions=words("no_cause partial_period missing_left_out"),
    findings=in_columns(
        Changes,
        first="value_before",
        last="value_after",
        since="from",
        until="to",
        percent="percent",
    ),
    answers=frozenset({"drivers"}),
    follow_ups=_follow_ups,
)
