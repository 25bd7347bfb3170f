"""The effect of one column on another: direction, size, how sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from flows.analysis.methods.findings import CorrelatedPair, Driver
from flows.analysis.team.rules.correlations import LITTLE, UNSURE, WEAK, strength
from flows.analysis.team.rules.evidence import Outcome, TaskEvidence
from flows.analysis.team.rules.models import counts, direction_words
from flows.analysis.team.rules.rendering import listed, plain, sentence

# Of a model of a few columns a question may name these in part.
_FEW, _IN_PART = 4, 0.5


def effect(evidence: TaskEvidence) -> list[str]:
    """The effect of one column on another: direction, size, how sure."""
    pair = _asked_pair(evidence)
    if pair is None:
        return []
    outcome, link, cause, target = pair
    value = outcome.sheet.cell(link.row, link.column).text(".2f")
    sure = link.p is None or link.p < UNSURE
    one, other = plain(cause), plain(target)
    if abs(link.value) < LITTLE or not sure:
        why = ", and even that may be chance" if not sure else ""
        return [sentence(f"{one} has hardly to do with {other}: their correlation is {value}{why}")]
    size = {"strong": "strongly", "moderate": "moderately"}.get(strength(link.value), "weakly")
    less = "lower" if link.value < 0 else "higher"
    text = f"where {one} is higher, {other} tends to be {less}: the two go together {size}"
    chance = ", and that is unlikely to be chance" if link.p is not None else ""
    said = [sentence(f"{text} (correlation {value}){chance}")]
    return [*said, *_slope(evidence, cause, target)]


def beside_each_other(evidence: TaskEvidence) -> list[str]:
    """Of several columns that the question names: which of them still count in a model of all,
    where the others are held constant, and which only seem to by themselves."""
    for outcome in evidence.models:
        model = outcome.model
        if model is None or not model.effect or not model.target:
            continue
        least = _IN_PART if len(model.found) <= _FEW else 1.0
        goal = evidence.goal
        named = [each for each in model.found if goal.share_of(each.feature) >= least]
        named.sort(key=lambda each: goal.place_of(each.feature))
        if len(named) < 2:
            continue
        top = model.found[0].size
        kept = [e for e in named if counts(e, top) and e.effect is not None]
        gone = [each for each in named if not counts(each, top)]
        if kept:
            return list(_held_constant(evidence, outcome, kept, gone))
    return []


def _held_constant(
    evidence: TaskEvidence, outcome: Outcome, kept: Sequence[Driver], gone: Sequence[Driver]
) -> Iterator[str]:
    model = outcome.model
    if model is None:
        return
    what = plain(model.target)
    names = listed([plain(each.feature) for each in kept])
    verb = "counts" if len(kept) == 1 else "count"
    words = direction_words(outcome.sheet, model, kept, what)
    text = f"with the other columns of the model held constant, {names} {verb} for {what}: {words}"
    yield sentence(text)
    for each in gone:
        alone = _alone(evidence, each.feature, model.target)
        yield sentence(
            f"{plain(each.feature)} hardly counts for {what} once {names} "
            f"{'is' if len(kept) == 1 else 'are'} accounted for{alone}"
        )


def _alone(evidence: TaskEvidence, feature: str, target: str) -> str:
    """How a column goes with the target by itself, where it seems to."""
    for outcome in evidence.correlated:
        for link in outcome.links:
            if {link.first, link.second} == {feature, target} and abs(link.value) >= WEAK:
                value = outcome.sheet.cell(link.row, link.column).text(".2f")
                return f", although the two go together by themselves (correlation {value})"
    return ""


def _asked_pair(evidence: TaskEvidence) -> tuple[Outcome, CorrelatedPair, str, str] | None:
    """The pair that the question names: what is said to affect, and what is affected."""
    for outcome in evidence.correlated:
        names = [n for each in outcome.links for n in (each.first, each.second) if n]
        named = evidence.goal.named(names)
        for link in outcome.links:
            if len(named) > 1 and {link.first, link.second} == set(named[:2]):
                turned = evidence.goal.names_target_first
                cause, target = (named[1], named[0]) if turned else (named[0], named[1])
                return outcome, link, cause, target
        if len(outcome.links) == 1 and outcome.links[0].second:
            return outcome, outcome.links[0], outcome.links[0].first, outcome.links[0].second
    return None


def _slope(evidence: TaskEvidence, cause: str, target: str) -> list[str]:
    """By how much the target changes with the cause, by a regression."""
    for outcome in evidence.models:
        model = outcome.model
        if model is None or not model.effect or (model.target and model.target != target):
            continue
        drivers = [each for each in model.found if each.feature == cause]
        if drivers and drivers[0].effect is not None:
            text = direction_words(outcome.sheet, model, drivers, plain(target))
            return [sentence(text)]
    return []
