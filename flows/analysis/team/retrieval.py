"""An answer from passages of documents, in their own sentences, or what of them helps."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from flows.analysis.team.document_question import (
    DocumentQuestion,
    content_of,
    read_question,
    terms_of,
)
from flows.data.documents.sentences import sentences
from flows.data.tables import Table

_ITEM: Final = re.compile(r"^\s*(?:[-*•]|\d{1,3}[.)])\s+")
_GOES_ON: Final = re.compile(
    r"(?:it|its|they|their|this|these|those|such|otherwise|however|except|exceptions?|unless|also|"
    r"in (?:that|this|these) cases?|after that|then|but)\b",
    re.IGNORECASE,
)
_REASONS: Final = re.compile(
    r"\b(?:because|since|due to|so that|in order to|as a result|therefore|thus|reasons?|caused? by"
    r"|owing to|to (?:avoid|ensure|protect|prevent|keep|reduce|make|allow|comply|meet))\b",
    re.IGNORECASE,
)
_TIMES: Final = re.compile(
    r"\d|\b(?:daily|weekly|monthly|quarterly|yearly|annually|hourly|immediately|at once|always"
    r"|never|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july"
    r"|august|september|october|november|december|(?:one|two|three|four|five|six|seven|eight|nine"
    r"|ten|twelve|once|twice|every|each|first|last|end|before|after|until)\b)",
    re.IGNORECASE,
)
_NUMBER_WORDS: Final = (
    r"\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty"
    r"|sixty|ninety"
)
_COUNTS: Final = re.compile(r"\bcounts? as\b", re.IGNORECASE)
_IS: Final = re.compile(
    r"\s(?:is|are|means?|stands? for|refers? to|denotes?|describes?|measures?)\s|:\s", re.IGNORECASE
)
# Where a passage stands, if no heading says it.
_PLACE: Final = re.compile(r"(?:lines?|pages?) [\d-]+|beginning")
_ALIKE: Final = 0.4
_MOST_SENTENCES: Final = 3
_HELPS: Final = 0.15
_HEADING_SHARE: Final = 0.5


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A sentence of the passage `number` (from 1), the `place`-th there. `own` are the question's
    terms in it, `above` those in the headings and the name of its document; `beside` counts the
    words of the headings that the question has not."""

    text: str
    number: int
    place: int
    own: frozenset[str]
    above: frozenset[str]
    beside: int

    @property
    def covers(self) -> frozenset[str]:
        return self.own | self.above


def retrieve(given: Mapping[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """The reply of the role `retrieval_augmented_generation`: sentences of the passages as they
    stand there. Nothing is enough for a question that data answers."""
    del tables
    asked = read_question(str(given.get("question") or ""))
    said = _sentences(given.get("passages") or (), asked)
    weights = _weights(said, asked)
    if not asked.computed and asked.terms:
        answer = _answer(said, asked, weights)
        if answer:
            return {"enough": True, "answer": _told(answer)}
    return {"enough": False, "context": _told(_helpful(said, weights))}


def _sentences(passages: Iterable[Mapping[str, Any]], asked: DocumentQuestion) -> list[_Sentence]:
    """Every sentence once, though neighbouring passages share some."""
    wanted = frozenset(asked.terms)
    found: dict[str, _Sentence] = {}
    for number, passage in enumerate(passages, 1):
        headings = _PLACE.sub("", str(passage["where"]))
        above = terms_of(f"{passage['document']} {headings}") & wanted
        beside = len(content_of(headings) - wanted)
        for place, each in enumerate(sentences(str(passage["text"]))):
            text = _ITEM.sub("", each).strip()
            key = " ".join(text.lower().split())
            if text and key not in found:
                found[key] = _Sentence(text, number, place, terms_of(text) & wanted, above, beside)
    return list(found.values())


def _weights(said: Sequence[_Sentence], asked: DocumentQuestion) -> dict[str, float]:
    """How telling each term of the question is: the rarer in the sentences, the more."""
    counts = Counter(term for each in said for term in each.covers)
    return {term: math.log(2 + len(said) / (1 + counts[term])) for term in asked.terms}


def _score(sentence: _Sentence, weights: Mapping[str, float]) -> float:
    """The share of the question that it speaks of; what only its headings say counts half."""
    total = sum(weights.values())
    own = sum(weights[term] for term in sentence.own)
    above = sum(weights[term] for term in sentence.above - sentence.own)
    return (own + _HEADING_SHARE * above) / total if total else 0.0


def _answer(
    said: Sequence[_Sentence], asked: DocumentQuestion, weights: Mapping[str, float]
) -> list[_Sentence]:
    """Sentences of one passage that speak of all that is asked for, and give the kind of answer;
    none if there are none."""
    wanted = frozenset(asked.terms)
    ranked = sorted(
        said, key=lambda s: (-round(_score(s, weights), 6), s.beside, s.number, s.place)
    )
    whole = [each for each in ranked if each.covers >= wanted and _is_kind(each.text, asked)]
    if asked.definition:
        whole.sort(key=lambda each: _from_definition(each, wanted))
    if not whole:
        return _pair(ranked, asked)
    best = whole[0]
    if not best.own:  # the headings alone name it: then the whole section is on it
        section = [each for each in said if each.number == best.number]
        return section[:_MOST_SENTENCES]
    # Another document may say otherwise, which the reader has to see.
    others = [s for s in whole[1:] if s.number != best.number and _are_alike(s, best)]
    return [*_with_next(best, said), *others[:1]]


def _from_definition(sentence: _Sentence, wanted: frozenset[str]) -> int:
    """How far it is from saying what that is: the telling words that its subject has beside it."""
    if not sentence.own >= wanted:
        return len(wanted) if not sentence.own else 2 * len(wanted)
    if (counts := _COUNTS.search(sentence.text)) and terms_of(
        sentence.text[counts.end() :]
    ) & wanted:
        return 0  # what counts as something is said before the verb
    verb = _IS.search(sentence.text)
    subject = sentence.text[: verb.start()] if verb else sentence.text
    return len(content_of(subject) - wanted)


def _are_alike(one: _Sentence, other: _Sentence) -> bool:
    """Whether two sentences say the same, or nearly the same with other values."""
    first, second = content_of(one.text), content_of(other.text)
    return len(first & second) >= _ALIKE * len(first | second)


def _pair(ranked: Sequence[_Sentence], asked: DocumentQuestion) -> list[_Sentence]:
    """Two sentences of one passage that together speak of all that is asked for."""
    wanted = frozenset(asked.terms)
    near = [each for each in ranked if each.own][: 4 * _MOST_SENTENCES]
    for one, other in combinations(near, 2):
        together = one.number == other.number and abs(one.place - other.place) <= 1
        if together and one.covers | other.covers >= wanted:
            pair = sorted((one, other), key=lambda each: each.place)
            if _is_kind(" ".join(each.text for each in pair), asked):
                return pair
    return []


def _with_next(sentence: _Sentence, said: Sequence[_Sentence]) -> list[_Sentence]:
    """A sentence with the one behind it, if that goes on about it (`They must be ...`)."""
    after = (sentence.number, sentence.place + 1)
    following = [s for s in said if (s.number, s.place) == after and _GOES_ON.match(s.text)]
    return [sentence, *following]


def _is_kind(text: str, asked: DocumentQuestion) -> bool:
    """Whether the text gives what is asked for: a reason, a time, a number of something."""
    if asked.kind == "reason":
        return _REASONS.search(text) is not None
    if asked.kind == "time":
        return _TIMES.search(text) is not None
    if asked.kind == "number":
        counted = re.finditer(rf"\b(?:{_NUMBER_WORDS})\s+(?:[^\W\d_]+\s+)?([^\W\d_]+)", text, re.I)
        near = re.finditer(rf"\b(?:{_NUMBER_WORDS})\s+([^\W\d_]+)", text, re.I)
        return any(asked.unit in terms_of(each[1]) for each in (*counted, *near))
    return True


def _helpful(said: Sequence[_Sentence], weights: Mapping[str, float]) -> list[_Sentence]:
    """The few sentences that speak most of what is asked for."""
    scored = [(_score(each, weights), each) for each in said if each.own]
    best = sorted(scored, key=lambda each: (-each[0], each[1].number, each[1].place))
    chosen = [each for score, each in best[:_MOST_SENTENCES] if score >= _HELPS]
    return sorted(chosen, key=lambda each: (each.number, each.place))


def _told(chosen: Sequence[_Sentence]) -> str:
    return " ".join(f"{each.text} [{each.number}]" for each in chosen)
