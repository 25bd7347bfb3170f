"""Principal components: the calls of the recipes, and how the result is told."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.methods.about import about
from flows.analysis.methods.findings import in_rows
from flows.analysis.methods.method import Call, Method, then, words
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.principal_components.arguments import PrincipalComponents
from flows.analysis.methods.principal_components.cue import CUE
from flows.analysis.methods.principal_components.findings import Component
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.telling.wording import in_words


def _calls(study: Specification[PrincipalComponents], _title: str) -> list[Call]:
    return [Call("result", "components", (list(study.columns), study.arguments.share))]


def _say(study: Specification[PrincipalComponents], found: Sequence[Component], total: int) -> str:
    said = [
        f"{each.explained.text()} % (most weight: {each.heaviest.text()})" for each in found[:3]
    ]
    two = found[min(1, len(found) - 1)]
    return (
        f"The first principal components of {in_words(len(study.columns))} standardised columns"
        f"{about(study)} explain {'; '.join(said)} of the variance. The first "
        f"{two.component.text()} hold {two.cumulative.text()} % together; for {two.wanted.text()} "
        f"% it takes {found[0].needed.text()} of {in_words(total)}."
    )


METHOD = Method(
    arguments=PrincipalComponents,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Component, _say),),
    steps=computing("Find the directions in which the columns vary most."),
    picture="the share of the variance by component",
    cautions=words("missing_left_out small_sample"),
    reader=in_rows,
    answers=frozenset(),
    follow_ups=then("clustering", "fields"),
)
