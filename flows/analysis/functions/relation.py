"""Questions about a thing that another one names: the salary of somebody's manager."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.functions.decision import CallResult
from flows.analysis.functions.filters import plain_value, scalars_of
from flows.analysis.functions.keys import is_number
from flows.analysis.functions.matching import content_words
from flows.analysis.functions.meanings import MEANT, likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.records import data_of, fields_of
from flows.analysis.language.lexicon import OPERATION_WORDS, WEAK_VERBS

_NAMING: Final = ("code", "name", "quoted", "email", "number")
_OWNER = r"(?P<owner>[\w .-]+?)['\u2019]s"
_LINK = r"(?:of|for|behind|who|that|which|on|in|from|with)"
_OWNED_TWICE: Final = re.compile(rf"\b{_OWNER} (?P<rel>\w+)['\u2019]s (?P<head>[\w ]+)")
_DEGREE: Final = re.compile(r"\bhow \w+", re.IGNORECASE)  # how far asks of what follows
_OF_OWNED: Final = re.compile(rf"^(?P<head>.+? of) (?:the )?{_OWNER} (?P<rel>\w+)\b")
_OF_OF: Final = re.compile(rf"^(?P<head>.+? of) (?:the |an? )?(?P<rel>\w+) {_LINK} (?P<owner>.+)$")
# `the doctor's phone for visit V-100`: what it is of has a value to be found by.
_OWNED_OF: Final = re.compile(
    rf"\bthe (?P<rel>[a-z]+)['\u2019]s (?P<head>[a-z]+(?: [a-z]+)??) {_LINK} (?P<owner>.+)$"
)
_OWNED_BEFORE: Final = re.compile(
    r"^(?P<owner>[^:,]+)[:,].*\bthe (?P<rel>[a-z]+)['\u2019]s (?P<head>[a-z]+(?: [a-z]+)?)$"
)
_VERB_OF: Final = re.compile(
    r"^(?P<head>.+? (?:does|did|is|was|are|were|has|have)) (?:the |an? )?(?P<rel>\w+) "
    rf"{_LINK} (?P<owner>.+)$"
)

_LINKING: Final = re.compile(
    rf"\b(?:the|an?|its|their|whose) (?P<rel>[a-z]+) (?:{_LINK}|did|has|have|had|is|was)\b",
    re.IGNORECASE,
)
_OWNED: Final = re.compile(r"\b(?:of|by) (?:the )?[\w/-]+['\u2019]s (?P<rel>[a-z]+)", re.IGNORECASE)
_OWNING: Final = re.compile(r"\b(?P<rel>[a-z]+)['\u2019]s? (?=[a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Relation:
    """A question for the `head` of the `rel` of an owner; `tail` are its words after the owner."""

    head: str
    rel: str
    tail: str = ""


def relation_of(text: str) -> Relation | None:
    """The relation that a question speaks of; None where it speaks of a thing directly."""
    plain = text.strip(" ?.!")
    if match := _OWNED_TWICE.search(plain):
        return Relation(f"What is the {match['head'].strip()} of", match["rel"])
    for pattern in (_OWNED_OF, _OWNED_BEFORE):
        match = pattern.search(plain)
        if match is not None and any(e.kind in _NAMING for e in mentions_of(match["owner"])):
            return Relation(f"What is the {match['head']} of", match["rel"])
    for pattern in (_OF_OWNED, _OF_OF):
        if match := pattern.search(plain):
            return Relation(match["head"], match["rel"])
    if match := _VERB_OF.search(plain):
        tail = _after_mentions(match["owner"])
        # `who is the manager of Ida` asks for the manager, `which pieces does the body of it have`
        # for the pieces.
        if content_words(tail) or content_words(match["head"]):
            return Relation(match["head"], match["rel"], tail)
    return None


def linking_words(text: str) -> frozenset[str]:
    """The words that only say of which thing something is asked: `publisher` and `book` in `the
    country of the publisher of this book`. What stands first is asked for."""
    slight = WEAK_VERBS | OPERATION_WORDS
    found: set[str] = set()
    for pattern in (_LINKING, _OWNED, _OWNING):
        for match in pattern.finditer(text):
            before = content_words(_DEGREE.sub("how", text[: match.start()]))
            after = content_words(text[match.end() :]) if pattern is _OWNING else ()
            if any(each not in slight for each in (*before, *after)):
                found.add(match["rel"].casefold())
    return frozenset(found)


def _after_mentions(text: str) -> str:
    ends = [each.end for each in mentions_of(text) if each.kind not in ("phrase", "number")]
    return text[max(ends) :].strip() if ends else ""


def followed(text: str, results: Sequence[CallResult]) -> tuple[str, int]:
    """The question with the relation replaced by what a result says it is, once one does, and the
    number of the call that gave it: 0 where the question stays as it is.

    `What is the salary of Tom Reed's manager?` becomes `What is the salary of Mia Holt?`
    """
    relation = relation_of(text)
    if relation is None:
        return text, 0
    for result in results:
        given = {plain_value(each) for each in scalars_of(result.arguments)}
        if result.kind != "ok" or not any(each in plain_value(text) for each in given):
            continue
        for field in fields_of(data_of(result)):
            if is_number(field.value) or plain_value(field.value) in given:
                continue
            if any(likeness(relation.rel, each) >= MEANT for each in field.terms):
                value = str(field.value)
                rel = relation.rel if any(each.isdigit() for each in value) else ""
                words = (relation.head, rel, value, relation.tail)
                return " ".join(each for each in words if each), result.number
    return text, 0
