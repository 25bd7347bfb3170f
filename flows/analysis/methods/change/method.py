"""Change explained: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.change.arguments import Change
from flows.analysis.methods.change.cue import CUE
from flows.analysis.methods.change.findings import ChangePart, read_change
from flows.analysis.methods.method import Call, FollowUp, Method
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import about, capital, names

_TOLD = 3


def _calls(study: Specification[Change], title: str) -> list[Call]:
    given = study.arguments
    told = (given.time, list(given.fields), list(given.group), given.how, given.before,
            given.period, title, given.yes,
            given.against, _what(given))  # fmt: skip
    return [Call("result", "change", told)]


def _say(study: Specification[Change], parts: Sequence[ChangePart], _total: int) -> str:
    whole, *groups = parts
    said = [_whole(study, whole)]
    if whole.change.number:
        for each in study.arguments.group:
            split = [part for part in groups if part.dimension.value == each]
            said += [_split(each, split, len(study.arguments.group))] if split else []
    return " ".join(said)


def _whole(study: Specification[Change], whole: ChangePart) -> str:
    """By how much it has changed, and that what was taken for granted is not so."""
    given, change = study.arguments, whole.change.number
    what = f"{_measure(given)}{about(study)}"
    went = "fell" if change < 0 else "rose" if change > 0 else "did not change:"
    denied = ""
    if given.expected and given.expected != {"fell": "fall", "rose": "rise"}.get(went):
        denied = f"{what} did not {given.expected}. "
        what = "it"
    before, since, until = (e.text() for e in (whole.value_before, whole.since, whole.until))
    if not change:
        told = f"it is {before} in {since} as in {until}"
        return f"{capital(denied)}{capital(told)}." if denied else capital(f"{what} {went} {told}.")
    percent = f" ({whole.percent} %)" if whole.percent.value is not None else ""
    told = (f"{what} {went} from {before} in {since} to {whole.value_after} in {until}, a "
            f"change of {whole.change}{percent}.")  # fmt: skip
    return f"{capital(denied)}{capital(told)}"


def _measure(given: Change) -> str:
    if given.how == "count":
        return "the number of rows"
    of = given.words or names(given.fields)
    if given.how == "share":
        return f"the share of {of}" + (f" = {given.yes}" if given.yes and not given.words else "")
    return f"the average {of}" if given.how == "mean" else f"the {of}"


def _what(given: Change) -> str:
    """The measure as the subject of a sentence."""
    what = _measure(given).removeprefix("the ")
    return what if given.words or given.how == "count" else " ".join(what.replace("_", " ").split())


def _split(column: str, parts: Sequence[ChangePart], splits: int) -> str:
    """Which groups have the largest part in the change, and which goes most against it."""
    with_it = [part for part in parts if part.contribution.number > 0]
    against = [part for part in parts if part.contribution.number < 0]
    first, *others = with_it[: _TOLD if splits == 1 else 1]
    rest = " and ".join(f"{part.group} ({part.words})" for part in others)
    before = f", before {rest}" if rest else ""
    other = ""
    if against:
        other = f"; {against[-1].group} goes most against it ({against[-1].words})"
    return (f"By {names([column])}, {first.group} has the largest part in it "
            f"({first.words}){before}{other}.")  # fmt: skip


def _follow_ups(study: Specification[Change]) -> list[FollowUp]:
    given = study.arguments
    series = {"fields": given.fields, "time": given.time, "how": given.how}
    return [FollowUp("trend", series)] if given.fields else []


METHOD = Method(
    arguments=Change,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(ChangePart, _say),),
    steps=computing(
        "Compute the measure in both periods and its change; split the change by the groups of "
        "each column, so that the parts add up to the whole."
    ),
    picture="the part of each group in the change as bars",
    reader=read_change,
    answers=frozenset({"drivers"}),
    follow_ups=_follow_ups,
)
