"""The answer to a question for drivers: what counts most, which way, where to act first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.methods.duplicates import SAME
from flows.analysis.methods.findings import CorrelatedPair
from flows.analysis.team.rules.comparison import Gap
from flows.analysis.team.rules.correlations import (
    UNSURE,
    WEAK,
    is_copy_of,
    ranked_links,
    target_of,
    twins_of,
)
from flows.analysis.team.rules.evidence import Outcome, TaskEvidence
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.models import counts, share_of
from flows.analysis.team.rules.rendering import listed, plain, sentence
from flows.analysis.telling.cells import foreign

_LEVERS: Final = 7
_NEXT: Final = 2
_WEAK_MODEL, _SMALL = 0.1, 0.1
# Of these less is better, so that who improves them lowers them.
_BURDENS: Final = re.compile(
    r"\b(?:costs?|times?|errors?|delays?|churn|defects?|complaints?|loss(?:es)?|waits?|waiting|"
    r"latency|risks?|failures?|faults?|emissions?|waste|absen\w+|downtime|deaths?)\b"
)


@dataclass(frozen=True, slots=True)
class Lever:
    """A column that counts for the target: `direction` more than 0 where more of it goes with more
    of the target, and how that is told; `same` that the two are nearly one."""

    name: str
    direction: float
    told: str
    same: bool = False


@dataclass(frozen=True, slots=True)
class Levers:
    """What counts for a target, most first. `by_model` says that a model ordered them."""

    target: str
    found: tuple[Lever, ...]
    by_model: bool = False


def levers_of(evidence: TaskEvidence) -> Levers | None:
    """The columns that count for what the question asks about; None where nothing shows any."""
    links, target = _links(evidence)
    for outcome in evidence.models:
        model = outcome.model
        if model is None or (model.target and target and model.target != target):
            continue
        if model.score and (outcome.sheet.number(0, model.score) or 0.0) < _WEAK_MODEL:
            continue
        copies = {copy for copy, _ in evidence.twins}
        found = tuple(
            Lever(each.feature, each.direction, _told(outcome, each.feature, links),
                  abs(each.correlation or 0.0) >= SAME)
            for each in model.found
            if counts(each, model.found[0].size) and each.feature not in copies
            and each.size >= _SMALL * model.found[0].size
        )  # fmt: skip
        if found:
            return Levers(model.target or target, found[:_LEVERS], by_model=True)
    found = tuple(
        Lever(name, link.value, _correlation(outcome, link), abs(link.value) >= SAME)
        for name, (outcome, link) in links.items()
        if abs(link.value) >= WEAK and (link.p is None or link.p < UNSURE)
    )  # fmt: skip
    return Levers(target, found[:_LEVERS]) if found else None


def _links(evidence: TaskEvidence) -> tuple[dict[str, tuple[Outcome, CorrelatedPair]], str]:
    """The pairs of the target, the strongest first, without copies."""
    for outcome in evidence.correlated:
        target = target_of(outcome.links, evidence.goal, outcome.scope)
        if not target:
            continue
        pairs = [e for e in outcome.links if e.has(target) and not is_copy_of(target, e)]
        order = ranked_links(pairs, target, twins_of(outcome.links, target))
        return {each.other(target): (outcome, each) for each in order}, target
    return {}, ""


def _correlation(outcome: Outcome, link: CorrelatedPair) -> str:
    return f"correlation {outcome.sheet.cell(link.row, link.column).text('.2f')}"


def _told(outcome: Outcome, feature: str, links: dict[str, tuple[Outcome, CorrelatedPair]]) -> str:
    """How strongly a column goes with the target, by the simplest numbers there are."""
    sheet, model = outcome.sheet, outcome.model
    if model is None:
        return ""
    each = next(each for each in model.found if each.feature == feature)
    said = []
    if feature in links and abs(links[feature][1].value) >= WEAK:
        said.append(_correlation(*links[feature]))
    elif each.correlation is not None and abs(each.correlation) >= WEAK:
        said.append(f"correlation {sheet.cell(each.row, 'correlation').text('.2f')}")
    if each is model.found[0] and (share := share_of(sheet, model, each)):
        said.append(f"{share} of the importance in the model")
    return ", ".join(said)


def advise(evidence: TaskEvidence, levers: Levers) -> list[str]:
    """The answer in one to three sentences."""
    who, gaps = evidence.gaps
    by_name = {each.measure: each for each in gaps if each.notable}
    if not evidence.goal.acts:
        return _explained(evidence, levers, who, by_name)
    less = wants_less(evidence.goal, levers.target)
    behind = [e for e in levers.found if e.name in by_name and _is_behind(e, by_name[e.name], less)]
    first = first_of(evidence, levers)
    ahead = [e for e in levers.found if e.name in by_name and e not in behind]
    entity = foreign(who or evidence.entity)
    of = f" of {entity}" if entity else ""
    target = plain(levers.target) if levers.target else "it"
    text = (
        f"to {evidence.goal.verb} the {target}{of}, {_act(first, less)} {plain(first.name)} "
        f"{'still further' if first in ahead else 'first'}: {_why(first, levers)}"
    )
    if first.name in by_name and behind:
        gap = by_name[first.name]
        text += (f", and {entity} lies {'below' if gap.by < 0 else 'above'} the others in it "
                 f"({gap.own} against {gap.others})")  # fmt: skip
    said = [sentence(text)]
    said += _then([e for e in levers.found if e is not first and e not in ahead], less)
    said += _ahead(ahead, by_name, entity, first)
    return said


def first_of(evidence: TaskEvidence, levers: Levers) -> Lever:
    """Where to act first: on what counts most of that in which the one that is asked about is
    behind the others, else on what counts most."""
    less = wants_less(evidence.goal, levers.target)
    gaps = {each.measure: each for each in evidence.gaps[1] if each.notable}
    behind = [e for e in levers.found if e.name in gaps and _is_behind(e, gaps[e.name], less)]
    return (behind or list(levers.found))[0]


def next_step(evidence: TaskEvidence, levers: Levers) -> str:
    """What to try, and what to watch meanwhile."""
    first, entity = first_of(evidence, levers), foreign(evidence.gaps[0] or evidence.entity)
    where = f" in {entity}" if entity else " where that is easy"
    act = _act(first, wants_less(evidence.goal, levers.target))
    target = plain(levers.target) if levers.target else "the result"
    text = f"next: {act} {plain(first.name)}{where} for a trial and watch whether {target} follows"
    return sentence(text)


def wants_less(goal: BusinessGoal, target: str) -> bool:
    """Whether there should be less of the target: it says so, or improving it means so."""
    burden = _BURDENS.search(plain(target)) is not None
    return goal.wants_less or (burden and not goal.wants_more)


def _is_behind(lever: Lever, gap: Gap, less: bool) -> bool:
    return lever.direction * gap.by * (-1 if less else 1) < 0


def _act(lever: Lever, less: bool) -> str:
    if not lever.direction:
        return "look at"
    return "raise" if (lever.direction > 0) != less else "lower"


def _why(lever: Lever, levers: Levers) -> str:
    target = plain(levers.target) if levers.target else "it"
    told = f" ({lever.told})" if lever.told else ""
    verb = f"counts most for {target}" if levers.by_model else f"goes most closely with {target}"
    if lever is levers.found[0]:
        return f"of all that was measured it {verb}{told}"
    return f"it is among what {verb}{told}"


def _then(levers: Sequence[Lever], less: bool) -> list[str]:
    rest = [plain(e.name) + _in_brackets(f"{_better(e, less)}{e.told}") for e in levers[:_NEXT]]
    verb = "comes" if len(rest) == 1 else "come"
    return [sentence(f"{listed(rest)} {verb} next")] if rest else []


def _in_brackets(text: str) -> str:
    return f" ({text})" if text else ""


def _better(lever: Lever, less: bool) -> str:
    if not lever.direction:
        return ""
    end = "; " if lever.told else ""
    return f"{'higher' if (lever.direction > 0) != less else 'lower'} is better{end}"


def _ahead(levers: Sequence[Lever], gaps: dict[str, Gap], entity: str, first: Lever) -> list[str]:
    """In what the one that is asked about does well already."""
    if not levers:
        return []
    said = [f"{plain(e.name)} ({gaps[e.name].own} against {gaps[e.name].others})" for e in levers]
    text = f"{entity or 'it'} is already ahead of the others in {listed(said)}"
    return [sentence(text if first in levers else f"{text}, so there is less to gain")]


def _explained(evidence: TaskEvidence, levers: Levers, who: str, gaps: dict[str, Gap]) -> list[str]:
    """What counts, for a question that wants to know and not to change."""
    target = plain(levers.target) if levers.target else "it"
    first, *rest = levers.found
    verb = f"counts most for {target}" if levers.by_model else f"goes most closely with {target}"
    told = f" ({first.told})" if first.told else ""
    less = "lower" if first.direction < 0 else "higher"
    text = f"{plain(first.name)} {verb}{told}"
    if first.direction:
        text += f": where it is higher, {target} tends to be {less}"
    if first.same:
        text += f", so nearly exactly that it may be a part or another measure of {target}"
    said = [sentence(text)]
    if rest:
        names = [plain(e.name) + _in_brackets(f"{_way(e)}{e.told}") for e in rest[:_NEXT]]
        text = f"{listed(names)} {'comes' if len(names) == 1 else 'come'} next"
        more = listed([plain(each.name) for each in rest[_NEXT:]])
        verb = "counts" if len(rest) == _NEXT + 1 else "count"
        said.append(sentence(f"{text}; {more} {verb} too" if more else text))
    apart = [gaps[each.name] for each in levers.found if each.name in gaps]
    if apart:
        told = listed([f"{plain(e.measure)} ({e.own} against {e.others})" for e in apart[:2]])
        said.append(sentence(f"{foreign(who)} differs from the others in {told}"))
    del evidence
    return said


def _way(lever: Lever) -> str:
    if not lever.direction:
        return ""
    return f"{'with' if lever.direction > 0 else 'against'} it{', ' if lever.told else ''}"
