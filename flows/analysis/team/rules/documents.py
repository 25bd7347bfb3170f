"""What documents say of a question, beside what was computed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.team.rules.evidence import TaskEvidence
from flows.analysis.team.rules.goal import BusinessGoal
from flows.analysis.team.rules.mentions import Mentions
from flows.analysis.team.rules.relevance import overlap
from flows.analysis.team.rules.rendering import sentence
from flows.analysis.team.rules.targets import against_target
from flows.analysis.telling.cells import foreign

_CONTEXT: Final = 2
_SENTENCE: Final = re.compile(r"(?<=[.!?\]])\s+(?=[A-Z\"'(`])|\n+")
_MARKED: Final = re.compile(r"\[\d+\]")
_STOP: Final = re.compile(r"\.\s*((?:\[\d+\]\s*)+)$")
# Where documents are listed, and nothing of them is said.
_SOURCE: Final = re.compile(r"^\[\d+\]\s")
# A document answers instead of the data where it has so much more of the question's words.
_NEARER: Final = 0.25


def with_documents(head: list[str], evidence: TaskEvidence, context: Sequence[str]) -> list[str]:
    """The answer with what documents have of it: whether a target is reached comes first, and a
    document that speaks of the question more than what was computed does too."""
    for each in context:
        if compared := against_target(evidence, each):
            return [*head, compared] if evidence.goal.acts else [compared, each, *head[:1]]
    best = max((overlap(each, evidence) for each in head), default=-_NEARER)
    nearer = [each for each in context if overlap(each, evidence) > best + _NEARER]
    return [*nearer[:1], *head] if nearer else head


def from_documents(context: str, goal: BusinessGoal, entity: str) -> list[str]:
    """The sentences of documents that speak of what is asked of the entity, with their marks."""
    lines = [" ".join(each.split()) for each in _SENTENCE.split(context)]
    marked = [each for each in lines if _MARKED.search(each) and not _SOURCE.match(each)]
    # A document that only names the one that is asked about says nothing of what is asked.
    wanted = goal.roots - Mentions(entity).roots or goal.roots
    scored = [(len(Mentions(_MARKED.sub("", each)).roots & wanted), each) for each in marked]
    best = sorted(scored, key=lambda each: -each[0])[:_CONTEXT]
    said = [_STOP.sub(r" \1", text.rstrip(".")) for score, text in best if score > 0]
    return [sentence(f"the documents say: {foreign(text)}") for text in said]
