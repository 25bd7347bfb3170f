"""The answer to a question from all that a team has found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from flows.analysis.methods.findings import Differences
from flows.analysis.team.rules.advice import Levers, advise, levers_of, next_step
from flows.analysis.team.rules.comparison import Gap, gaps
from flows.analysis.team.rules.documents import from_documents, with_documents
from flows.analysis.team.rules.effects import beside_each_other, effect
from flows.analysis.team.rules.evidence import Outcome, TaskEvidence, references, skeleton
from flows.analysis.team.rules.limits import limits_of, open_parts, why
from flows.analysis.team.rules.parts import by_part
from flows.analysis.team.rules.relevance import is_beside, is_general, nearness, overlap
from flows.analysis.team.rules.rendering import plain, sentence, some, spelled_out
from flows.analysis.telling.cells import foreign
from flows.analysis.telling.query_words import in_words
from flows.data.tables import Table

_BULLETS: Final = 5
_HEAD: Final = 2
_TWINS: Final = 3
_SAME: Final = 0.75
# An insight that says of two columns that they are one: the summary says it once, for all of them.
_OF_TWINS: Final = re.compile(r"so the two count as one")
# What does not matter is worth one line.
_LITTLE: Final = re.compile(r"\bsays? little about\b|\bhardly counts? for\b")
# How one stands beside the others: told anew, without what the answer has of it.
_STANDING: Final = re.compile(r"\b(?:lies (?:below|above)|is about like) the others in\b")
# A table in which nothing is wrong.
_FAULTLESS: Final = re.compile(r"^No fault was found\b")
# How large a result is says something of the data only where that is asked.
_SIZE: Final = re.compile(r"^The result holds\b")
_ENDS: Final = {
    "high": re.compile(r"\bhas the highest\b"), "low": re.compile(r"\bhas the lowest\b")
}  # fmt: skip
_QUALITY: Final = re.compile(r"\bthe model (?:explains|gets)\b|\bthe model is off by\b", re.I)
# What a method says of the figure that is asked about comes first.
_STATED: Final = 6.0
_ALL: Final = 9
# What only stands beside what is asked comes after all else.
_BESIDE: Final = 4.0


def summarize(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `summary_generation`."""
    del tables
    evidence = TaskEvidence.of(given)
    context = from_documents(str(given.get("context") or ""), evidence.goal, evidence.entity)
    if not evidence.done or is_general(evidence):
        return _nothing(evidence, context)
    levers = levers_of(evidence) if evidence.goal.wants_drivers else None
    head = with_documents(_head(evidence, levers), evidence, context)
    missing = _missing(evidence, head, levers)
    bullets = _bullets(evidence, head)
    lines = [*bullets, *_twin_line(evidence), *(e for e in context if e not in head)]
    text = " ".join(head) + "".join(f"\n- {each}" for each in lines)
    text += _next(evidence, levers)
    if not text.strip():
        return _nothing(evidence, context)
    answered = "answered" if head and not missing else "partly"
    observed = levers is not None or evidence.goal.kind in ("drivers", "effect")
    names = [name for each in evidence.done for name in each.names]
    return {
        "summary": spelled_out(text.strip(), names, evidence.goal),
        "answered": answered,
        "limits": limits_of(evidence, missing, observed),
    }


def _head(evidence: TaskEvidence, levers: Levers | None) -> list[str]:
    """The answer itself."""
    if not (evidence.goal.acts and levers) and (said := _stated(evidence)):
        return said
    if said := by_part(evidence):
        return [*said, *effect(evidence)[:1]]
    if not evidence.goal.acts and (said := beside_each_other(evidence)):
        return said
    of_effect = evidence.goal.kind in ("effect", "question") and not evidence.goal.acts
    if of_effect and (said := effect(evidence)):
        return said
    if levers is not None:
        said = advise(evidence, levers)
        return [*_how_well(evidence), *said] if evidence.goal.asks_how_well else said
    ranked = _ranked(evidence)
    if not ranked:
        return []
    first = ranked[0]
    other = next((e for e in ranked[1:] if e[0] is not first[0] and e[2] >= first[2] / 2), None)
    second = other or next((each for each in ranked[1:] if each[0] is first[0]), None)
    return _apart([first[1], *([second[1]] if second is not None else [])])[:_HEAD]


def _stated(evidence: TaskEvidence) -> list[str]:
    """The first of what methods say of the figure that is asked about, of each at most one where
    there are several."""
    found = [each for each in _ranked(evidence) if each[0].states]
    firsts = {id(each[0].sheet): each[1] for each in reversed(found)}
    several = len({each[0].sheet.name for each in found}) > 1 and evidence.goal.kind != "anomalies"
    texts = list(reversed(firsts.values())) if several else [each[1] for each in found]
    return _apart(texts)[:_HEAD]


def _how_well(evidence: TaskEvidence) -> list[str]:
    """How good the models are, in the words of their insights."""
    texts = (text for each in evidence.done for text in each.insights)
    return [each for each in dict.fromkeys(texts) if _QUALITY.search(each)][:_HEAD]


Ranked = tuple[Outcome, str, float]


def _ranked(evidence: TaskEvidence) -> list[Ranked]:
    """All insights with how much each helps, the best first; of equal ones the earlier."""
    found: list[Ranked] = []
    overview, end = "overview" in evidence.goal.kinds, _ENDS.get(evidence.end)
    for outcome in evidence.done:
        less = _BESIDE if is_beside(outcome, evidence) else 0.0
        near = nearness(outcome, evidence)
        for place, text in enumerate(outcome.insights):
            if not _OF_TWINS.search(text) and not (_SIZE.search(text) and not overview):
                score = 3 * overlap(text, evidence) - 0.5 * place - less
                if outcome.states:  # they come in the order that matters
                    less = _BESIDE if _FAULTLESS.search(text) else 0.0
                    score = _STATED - 0.3 * place - 0.9 * near - less
                found.append((outcome, text, score + near))

    def order(each: Ranked) -> float:
        outcome, text, score = each
        return -score - bool(end and not outcome.states and end.search(text))

    return sorted(found, key=order)


def _apart(texts: Sequence[str], told: Sequence[str] = ()) -> list[str]:
    """The texts without those that say what another has said, or that `told` has."""
    seen = {skeleton(each) for each in told}
    words = [_words(each) for each in told]
    numbers = {each for text in told for each in references(text)}
    kept = []
    for text in texts:
        own, named = _words(text), references(text)
        near = any(len(own & e) > _SAME * min(len(own), len(e)) for e in words if e and own)
        if skeleton(text) in seen or (named and named <= numbers) or (near and not named - numbers):
            continue
        seen.add(skeleton(text))
        words.append(own)
        numbers |= named
        kept.append(text)
    return kept


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W\d_]{3,}", skeleton(text)))


def _bullets(evidence: TaskEvidence, head: Sequence[str]) -> list[str]:
    """The findings beside the answer, from as many tasks as have some."""
    stated = any(each.states for each in evidence.tables) and not evidence.goal.acts
    ranked = [text for each, text, _ in _ranked(evidence) if each.states or not stated]
    little = [each for each in ranked if _LITTLE.search(each)]
    who, found = evidence.gaps
    said = " ".join(head)
    left = [e for e in found if not references(e.own) <= references(said) and not _stands(e, said)]
    standing = [each.text for each in gaps(who, left)]
    ranked = [*(each for each in ranked if each not in little), *little[:1]]
    others = [e for e in ranked if not (found and _STANDING.search(e))]
    return _apart([*standing, *others], head)[: _ALL if stated else _BULLETS]


def _stands(gap: Gap, said: str) -> bool:
    """Whether the answer has said of a measure how one stands beside the others."""
    measure = plain(gap.measure).removeprefix("average ")
    return _STANDING.search(said) is not None and measure in said


def _twin_line(evidence: TaskEvidence) -> Iterator[str]:
    pairs = evidence.twins
    if not pairs:
        return
    said = some([f"{plain(copy)} of {plain(original)}" for copy, original in pairs], _TWINS)
    if len(pairs) == 1:
        copy, original = pairs[0]
        yield sentence(
            f"{plain(copy)} says the same as {plain(original)}, on another scale or as a copy, so "
            "the two were counted once"
        )
        return
    yield sentence(
        f"some columns are copies of others, or the same on another scale ({said}): each "
        "pair was counted once"
    )


def _next(evidence: TaskEvidence, levers: Levers | None) -> str:
    """What to do next, where the findings say it."""
    if levers is None or not evidence.goal.acts:
        return ""
    return f"\n\n{next_step(evidence, levers)}"


def _shows_links(evidence: TaskEvidence) -> bool:
    """Whether a pair, or a test of groups, shows what the question asks about."""
    tested = any(each.states or isinstance(each.findings, Differences) for each in evidence.tables)
    return tested or bool(effect(evidence))


def _missing(evidence: TaskEvidence, head: Sequence[str], levers: Levers | None) -> list[str]:
    """The parts of the question that nothing speaks of."""
    said = open_parts(evidence)
    if not head:
        said.append("Nothing that was found answers the question itself.")
    elif evidence.goal.wants_drivers and levers is None and not _shows_links(evidence):
        said.append("Nothing that was found shows what goes with what the question asks about.")
    entity = evidence.entity
    if entity and not evidence.mentions(entity):
        said.append(sentence(f"nothing that was found speaks of {foreign(entity)} by itself"))
    return said


def _nothing(evidence: TaskEvidence, context: Sequence[str]) -> dict[str, Any]:
    """The reply where no task found anything."""
    failed = [each for each in evidence.outcomes if each.status == "failed"]
    if failed:
        several = "both" if len(failed) == 2 else f"all {in_words(len(failed))}"
        many = "the task" if len(failed) == 1 else f"{several} tasks"
        text = f"The question could not be answered: {many} failed. {sentence(why(failed[0]))}"
    elif evidence.done:
        text = "The question could not be answered: the data has nothing of what it asks for."
    else:
        text = "The question could not be answered: nothing was found."
    text += "".join(f"\n- {each}" for each in context)
    return {
        "summary": text,
        "answered": "partly" if context else "unanswered",
        "limits": limits_of(evidence, (), observed=False),
    }
