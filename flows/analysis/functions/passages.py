"""Texts that were found: the sentence that answers what is asked, and where it stands."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from flows.analysis.functions.answer_kinds import AnswerKind, answer_kind
from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.analysis.functions.meanings import likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.terms import term
from flows.analysis.functions.told import ResultAnswer
from flows.analysis.functions.wording import values_of
from flows.analysis.language.terms import STOP_WORDS, words
from flows.data.documents.sentences import sentences

# What a word of the question counts that only the sentences around say, beside one of its own.
_AROUND: Final = 0.5
_KIND: Final = 0.3  # what a sentence has before others that are not of the kind that is asked for
_LACKING: Final = 0.15  # what is off where no text has the noun of `what colour`
_LEAST_OWN: Final = 0.3  # of what is asked, in a sentence of a text that is no search's
_LEAST: Final = 0.2  # of what is asked: a text that speaks of less of it is none
_MOST: Final = 0.85
_SENTENCE: Final = 6  # words that a text has at least, where a list is one of texts
_LONG: Final = 10  # the same without a full stop at its end
_MOST_BESIDE: Final = 3  # fields of a record that is kept for its text
_LONGEST_WHOLE: Final = (
    500  # characters of a text that is told whole where nothing special is asked
)
# Words of a question that speak of asking, or of the texts themselves.
_ASKING: Final = frozenset(
    words("""
    please tell say says said know find show give explain describe note notes noted text texts
    document documents write written wrote mention mentions according exactly actually
    """)
)
_OPEN: Final = re.compile(
    r"\btell (?:me|us) (?:more )?about\b|\bwhat (?:do|does|did|can|could) (?:\w+ ){1,5}?"
    r"(?:say|know|write|note|tell)\b.*\b(?:about|of|on)\b|\bwhat is known (?:about|of)\b"
)


@dataclass(frozen=True, slots=True)
class FoundText:
    """A text of a result: its JSON pointer, its name where it has one, and how well the search says
    that it fits, from 0 to 1."""

    path: str
    text: str
    name: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class SentenceFit:
    """A sentence of a passage: how much of the question it says itself (`own`), how much with the
    sentences around it (`around`), both from 0 to 1, and whether it has the kind of answer."""

    passage: FoundText
    sentence: str
    place: int
    own: float
    around: float
    has_kind: bool

    @property
    def rank(self) -> float:
        """By which sentences are compared."""
        return self.own + _AROUND * (self.around - self.own) + _KIND * self.has_kind


def passages_of(data: Any) -> list[FoundText]:
    """The texts of a search for texts, in its order: a list of records with a `text`, or of texts
    that are longer than names."""
    if not isinstance(data, list) or not data:
        return []
    if all(isinstance(each, str) for each in data):
        long = sum(map(_is_prose, data)) * 2 > len(data)
        return [FoundText(f"/{n}", each) for n, each in enumerate(data)] if long else []
    key = _prose_key(data)
    found = [
        FoundText(f"/{place}/{key}", each[key], _name(each), _score(each))
        for place, each in enumerate(data)
        if key and isinstance(each, Mapping) and isinstance(each.get(key), str)
    ]
    return found if len(found) == len(data) else []


def _prose_key(rows: Sequence[Any]) -> str:
    """The key of the texts in records of a search: `text`, or the only one that holds prose in
    records of few fields; "" for none."""
    first = rows[0]
    if not isinstance(first, Mapping) or "text" in first:
        return "text"
    if len(first) > _MOST_BESIDE:
        return ""
    prose = [
        str(key) for key in first
        if all(isinstance(each, Mapping) and _is_prose(each.get(key)) for each in rows)
    ]  # fmt: skip
    return prose[0] if len(prose) == 1 else ""


def _is_prose(value: Any) -> bool:
    """Whether a value is a text of sentences, and no name or label."""
    if not isinstance(value, str):
        return False
    count = len(value.split())
    return count >= _LONG or (count >= _SENTENCE and value.rstrip()[-1:] in ".!?")


def tell_text(wanted: QuestionIntent, result: CallResult, text: str) -> ResultAnswer | None:
    """The sentence of a text that says most of what is asked. A text of one sentence is told even
    where it shares no words: the function that gave it has been asked for it."""
    passage = FoundText("", text)
    asked = _asked(wanted.text, [passage])
    given = {word for each in values_of(result.arguments) for word in words(str(each))}
    if (
        is_key_lookup(result) and len(sentences(text)) > 1
    ):  # of which thing the text is has been said by the call
        asked = {word: each for word, each in asked.items() if word not in given} or asked
    fits = _fits(asked, answer_kind(wanted.text), [passage])
    measured = [each for each in fits if wanted.unit and wanted.unit in _measures(each.sentence)]
    best = max(measured or fits, key=lambda each: each.rank, default=None)
    if best is None or (len(fits) > 1 and best.own < _LEAST_OWN and len(measured) != 1):
        return None
    cited = ResultCitation(call=result.number, path="", value=best.sentence)
    return ResultAnswer(best.sentence, (cited,), min(0.8, 0.35 + 0.5 * best.own), (best.sentence,))


def _measures(sentence: str) -> set[str]:
    """The units of the numbers of a sentence."""
    return {each.measure for each in mentions_of(sentence) if each.kind == "number"}


def is_key_lookup(result: CallResult) -> bool:
    """Whether a call was given names and numbers alone, and no question in words."""
    return all(len(str(each).split()) < _SENTENCE // 2 for each in values_of(result.arguments))


def tell_passages(
    wanted: QuestionIntent, result: CallResult, passages: Sequence[FoundText]
) -> ResultAnswer | None:
    """The sentence of the texts that answers best; with the one that gives the cause, where a cause
    is asked for, and the whole of a short text where all of it is."""
    kind = answer_kind(wanted.text)
    fits = _fits(_asked(wanted.text, passages), kind, passages)
    best = max(fits, key=lambda each: each.rank, default=None)
    if best is None or best.around < _LEAST or (kind.is_needed and not best.has_kind):
        return None
    if not _speaks(wanted, best.passage) and not _OPEN.search(wanted.text.casefold()):
        return None
    told = _told(wanted, kind, best, fits)
    text = " ".join(each.sentence for each in told)
    citations = tuple(
        ResultCitation(call=result.number, path=each.passage.path, value=each.sentence)
        for each in told
    )
    return ResultAnswer(text, citations, _sureness(best, kind), (text,), accounted=True)


def _speaks(wanted: QuestionIntent, passage: FoundText) -> bool:
    """Whether a text has a word of what is asked, beside the names and identifiers in it."""
    said = _terms(f"{passage.name} {passage.text}")
    asked = [each for each in wanted.words if each not in STOP_WORDS and each not in _ASKING]
    return not asked or any(likeness(word, each) for word in asked for each in said)


def _told(
    wanted: QuestionIntent, kind: AnswerKind, best: SentenceFit, fits: Sequence[SentenceFit]
) -> list[SentenceFit]:
    """The sentences that are told, in the order of their text."""
    if kind.name == "cause":
        return _with_cause(max(fits, key=lambda each: each.own + each.around), fits)
    if _OPEN.search(wanted.text.casefold()) and len(best.passage.text) <= _LONGEST_WHOLE:
        return [each for each in fits if each.passage is best.passage]
    return [best]


def _sureness(best: SentenceFit, kind: AnswerKind) -> float:
    """How surely a sentence answers: all that is asked has to be spoken of in its text, and as much
    as can be in the sentence itself."""
    said = 0.4 * best.own + 0.6 * best.around
    sure = 0.25 + 0.55 * said + (0.1 if best.has_kind else 0.0)
    return min(_MOST, sure) - (_LACKING if kind.noun and not best.has_kind else 0.0)


def _with_cause(fact: SentenceFit, fits: Sequence[SentenceFit]) -> list[SentenceFit]:
    """The sentence that states what is asked about, and the one that gives the cause: its own, else
    another of its text, else the next."""
    if fact.has_kind:
        return [fact]
    others = [each for each in fits if each.passage is fact.passage and each is not fact]
    causes = [each for each in others if each.has_kind]
    following = [each for each in others if each.place == fact.place + 1]
    cause = next(iter([*causes, *following]), None)
    return [fact] if cause is None else sorted([fact, cause], key=lambda each: each.place)


def _fits(
    asked: Mapping[str, float], kind: AnswerKind, passages: Sequence[FoundText]
) -> list[SentenceFit]:
    total = sum(asked.values())
    found: list[SentenceFit] = []
    for passage in passages:
        texts = sentences(passage.text)
        own = [_likes(asked, text) for text in texts]
        named = _likes(asked, passage.name)
        whole = {word: max((each[word] for each in (*own, named)), default=0.0) for word in asked}
        around = max(_share(asked, whole, total), min(1.0, passage.score) if total else 0.0)
        found += [
            SentenceFit(passage, text, place, _share(asked, likes, total), around, kind.is_in(text))
            for place, (text, likes) in enumerate(zip(texts, own, strict=True))
        ]
    return found


def _asked(question: str, passages: Sequence[FoundText]) -> dict[str, float]:
    """The words of a question with their weights: rare ones in the sentences count more."""
    telling = [each for each in words(question) if each not in STOP_WORDS and each not in _ASKING]
    lines = [_terms(text) for passage in passages for text in sentences(passage.text)]
    found: dict[str, float] = {}
    for word in dict.fromkeys(telling):
        held = sum(any(likeness(word, each) >= 1.0 for each in line) for line in lines)
        found[word] = math.log(1.0 + len(lines) / max(1, held))
    return found


def _likes(asked: Mapping[str, float], text: str) -> dict[str, float]:
    said = _terms(text)
    return {word: max((likeness(word, each) for each in said), default=0.0) for word in asked}


def _share(asked: Mapping[str, float], likes: Mapping[str, float], total: float) -> float:
    return sum(weight * likes[word] for word, weight in asked.items()) / total if total else 0.0


def _terms(text: str) -> frozenset[str]:
    return frozenset(term(each) for each in words(text) if each not in STOP_WORDS)


def _name(record: Mapping[str, Any]) -> str:
    names = (record.get(key) for key in ("title", "name", "heading"))
    return " ".join(each for each in names if isinstance(each, str))


def _score(record: Mapping[str, Any]) -> float:
    score = record.get("score")
    is_share = isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1
    return float(score) if is_share else 0.0  # type: ignore[arg-type]
