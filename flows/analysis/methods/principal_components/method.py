"""Principal components: what is called, what is found, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.method import Call, Method, then
from flows.analysis.methods.narration import Narration
from flows.analysis.methods.principal_components.arguments import PrincipalComponents
from flows.analysis.methods.principal_components.cue import CUE
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.steps import computing
from flows.analysis.methods.subject import about
from flows.analysis.telling.cells import CitedCell
from flows.analysis.telling.query_words import in_words


@dataclass(frozen=True, kw_only=True)
class Component:
    """The share of the variance of a component, and which columns weigh most in it."""

    component: CitedCell
    explained: CitedCell
    cumulative: CitedCell
    needed: CitedCell
    wanted: CitedCell
    heaviest: CitedCell


def _calls(study: Specification[PrincipalComponents], _title: str) -> list[Call]:
    return [Call("result", "components", (list(study.columns), study.arguments.share))]


def _say(study: Specification[PrincipalComponents], found: Sequence[Component], total: int) -> str:
    said = [f"{each.explained} % (most weight: {each.heaviest})" for each in found[:3]]
    two = found[min(1, len(found) - 1)]
    return (
        f"The first principal components of {in_words(len(study.columns))} standardised "
        f"columns{about(study)} explain {'; '.join(said)} of the variance. The first "
        f"{two.component} hold {two.cumulative} % together; for {two.wanted} % it takes "
        f"{found[0].needed} of {in_words(total)}."
    )


METHOD = Method(
    arguments=PrincipalComponents,
    cue=CUE,
    calls=_calls,
    narrations=(Narration(Component, _say),),
    steps=computing("Find the directions in which the columns vary most."),
    picture="the share of the variance by component",
    follow_ups=then("clustering", "fields"),
)
