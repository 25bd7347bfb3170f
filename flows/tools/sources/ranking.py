"""Ranking descriptions by the words that they share with a question (BM25)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Final

from flows.core.function_description import FunctionDescription
from flows.core.function_store import FunctionMatch
from flows.semantics.inference.words import words_of

_SATURATION: Final = 1.5
_LENGTH_SHARE: Final = 0.75


def ranked(question: str, descriptions: Sequence[FunctionDescription]) -> list[FunctionMatch]:
    """The descriptions that share words with the question, the best first."""
    counts = [Counter(_words(_text(each))) for each in descriptions]
    mean = sum(each.total() for each in counts) / max(len(counts), 1) or 1
    found_in = Counter(word for each in counts for word in each)
    wanted = sorted(set(_words(question)))
    matches = []
    for each, words in zip(descriptions, counts, strict=True):
        share = _SATURATION * (1 - _LENGTH_SHARE + _LENGTH_SHARE * words.total() / mean)
        score = sum(
            math.log(1 + (len(counts) - found_in[word] + 0.5) / (found_in[word] + 0.5))
            * (_SATURATION + 1)
            * words[word]
            / (words[word] + share)
            for word in wanted
            if word in words
        )
        if score > 0:
            matches.append(FunctionMatch(description=each, score=score))
    return sorted(matches, key=lambda each: (-each.score, each.description.id))


def _text(described: FunctionDescription) -> str:
    arguments = " ".join(
        f"{name} {part.get('description', '') if isinstance(part, dict) else ''}"
        for name, part in (described.parameters.get("properties") or {}).items()
    )
    return f"{described.name} {described.name} {described.description} {arguments}"


def _words(text: str) -> list[str]:
    return [each.removesuffix("s") for each in words_of(text.replace("_", " "))]
