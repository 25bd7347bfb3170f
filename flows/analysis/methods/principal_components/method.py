"""Principal components: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about, text
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, FollowUp, Method, Row, words
from flows.analysis.methods.principal_components.arguments import PrincipalComponents
from flows.analysis.methods.principal_components.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.telling.wording import in_words


def _calls(study: Specification[PrincipalComponents], _title: str) -> list[Call]:
    return [Call("result", "components", (list(study.columns), study.arguments.share))]


def _say(study: Specification[PrincipalComponents], rows: Sequence[Row], total: int) -> str:
    said = [
        f"{text(row, 'explained')} % (most weight: {text(row, 'heaviest')})" for row in rows[:3]
    ]
    two = rows[min(1, len(rows) - 1)]
    return (
        f"The first principal components of {in_words(len(study.columns))} standardised columns"
        f"{about(study)} explain {'; '.join(said)} of the variance. The first "
        f"{text(two, 'component')} hold {text(two, 'cumulative')} % together; for "
        f"{text(two, 'wanted')} % it "
        f"takes {text(rows[0], 'needed')} of {in_words(total)}."
    )


def _follow_ups(study: Specification[PrincipalComponents]) -> list[FollowUp]:
    return [FollowUp("clustering", {"fields": study.columns})]


METHOD = Method(
    arguments=PrincipalComponents,
    cue=CUE,
    calls=_calls,
    say=_say,
    needs=("component", "explained", "cumulative", "needed", "heaviest"),
    steps=computing("Find the directions in which the columns vary most."),
    picture="the share of the variance by component",
    cautions=words("missing_left_out small_sample"),
    findings=in_rows,
    answers=frozenset(),
    follow_ups=_follow_ups,
)
