"""Texts that were found: the sentence that says most of what is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.analysis.functions.meanings import likeness
from flows.analysis.functions.mentions import mentions_of
from flows.analysis.functions.terms import term, terms
from flows.analysis.functions.told import ResultAnswer

_LEAST_SHARE: Final = 0.3
# What is left of the score of a sentence without a figure where one is asked for.
_NO_FIGURE: Final = 0.4
_SENTENCE: Final = 6  # words that a text has at least, where a list is one of texts
_FIGURE: Final = re.compile(
    r"(?<![\w-])\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b"
)


def tell_text(wanted: QuestionIntent, result: CallResult, text: str) -> ResultAnswer | None:
    """The sentence of a text that says most of what is asked."""
    return tell_passages(wanted, result, [("", text)])


def passages_of(data: Any) -> list[tuple[str, str]]:
    """The texts of a search for texts, with their places: a list of records with a long `text`."""
    if not isinstance(data, list) or not data:
        return []
    if all(isinstance(each, str) for each in data):
        long = sum(len(each.split()) >= _SENTENCE for each in data) * 2 > len(data)
        return [(f"/{place}", each) for place, each in enumerate(data)] if long else []
    found = [
        (f"/{place}/text", each["text"]) for place, each in enumerate(data)
        if isinstance(each, Mapping) and isinstance(each.get("text"), str)
    ]  # fmt: skip
    return found if len(found) == len(data) else []


def tell_passages(
    wanted: QuestionIntent, result: CallResult, passages: Sequence[tuple[str, str]]
) -> ResultAnswer | None:
    """The sentence of the texts that says most of what is asked."""
    names = _names_of(wanted)
    words = tuple(dict.fromkeys(each for each in wanted.words if term(each) not in names))
    scored = [
        (_share(words, names, sentence, text), sentence, path)
        for path, text in passages for sentence in _sentences(text)
    ]  # fmt: skip
    if not scored:
        return None
    share, best, path = max(scored, key=lambda each: each[0])
    if len(scored) > 1 and share < _LEAST_SHARE:
        return None
    score = min(0.85, 0.3 + 0.6 * share)
    if wanted.is_numeric and not _FIGURE.search(best):
        score *= _NO_FIGURE
    cited = ResultCitation(call=result.number, path=path, value=best)
    return ResultAnswer(best, (cited,), score, (best,), is_text=True)


def _names_of(wanted: QuestionIntent) -> frozenset[str]:
    """The terms of the names and identifiers of a question."""
    named = ("name", "code", "quoted")
    return frozenset(
        part for each in mentions_of(wanted.text) if each.kind in named for part in terms(each.text)
    )


def _sentences(text: str) -> list[str]:
    found = [each.strip() for each in re.split(r"(?<=[.!?])\s+|\n+", text)]
    return [each for each in found if each]


def _share(words: Sequence[str], names: frozenset[str], sentence: str, text: str) -> float:
    """The share of the words of a question that a sentence has. The names may stand elsewhere in
    the text; one that has none of them speaks of something else."""
    said, around = set(terms(sentence)), set(terms(text))
    found = sum(max((likeness(word, each) for each in said), default=0.0) for word in words)
    share = found / len(words) if words else 0.3
    if not names:
        return share
    named = len(names & around) / len(names)
    return share * (0.5 + 0.5 * named) + 0.01 * len(names & said)
