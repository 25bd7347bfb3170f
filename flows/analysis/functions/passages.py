"""Texts that were found: the sentence that says most of what is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from flows.analysis.functions.asking import QuestionIntent
from flows.analysis.functions.decision import CallResult, ResultCitation
from flows.analysis.functions.meanings import likeness
from flows.analysis.functions.terms import terms
from flows.analysis.functions.told import ResultAnswer

_LEAST_SHARE: Final = 0.3


def tell_text(wanted: QuestionIntent, result: CallResult, text: str) -> ResultAnswer | None:
    """The sentence of a text that shares the most words with the question."""
    found = _best_sentence(wanted, [("", text)])
    if found is None:
        return None
    best, path, share = found
    cited = ResultCitation(call=result.number, path=path, value=best)
    return ResultAnswer(best, (cited,), min(0.8, 0.35 + 0.5 * share), (best,))


def passages_of(data: Any) -> list[tuple[str, str]]:
    """The texts of a search for texts, with their places: a list of records with a long `text`."""
    if not isinstance(data, list) or not data:
        return []
    found = [
        (f"/{place}/text", each["text"]) for place, each in enumerate(data)
        if isinstance(each, Mapping) and isinstance(each.get("text"), str)
    ]  # fmt: skip
    return found if len(found) == len(data) else []


def tell_passages(
    wanted: QuestionIntent, result: CallResult, passages: Sequence[tuple[str, str]]
) -> ResultAnswer | None:
    """The sentence of the texts that says most of what is asked."""
    found = _best_sentence(wanted, passages)
    if found is None:
        return None
    best, path, share = found
    cited = ResultCitation(call=result.number, path=path, value=best)
    return ResultAnswer(best, (cited,), min(0.85, 0.3 + 0.6 * share), (best,))


def _best_sentence(
    wanted: QuestionIntent, texts: Sequence[tuple[str, str]]
) -> tuple[str, str, float] | None:
    """The sentence that shares most words with the question, its place, and the share of them."""
    best, most = None, -1.0
    asked = {*wanted.words, *(each for each in terms(wanted.text))}
    count = 0
    for path, text in texts:
        for sentence in re.split(r"(?<=[.!?])\s+|\n+", text):
            said, plain = terms(sentence), sentence.strip()
            if not plain:
                continue
            count += 1
            score = sum(max((likeness(word, each) for each in said), default=0.0) for word in asked)
            if score > most:
                best, most = (plain, path), score
    share = most / max(1, len(asked))
    if best is None or (count > 1 and share < _LEAST_SHARE):
        return None
    return *best, share
