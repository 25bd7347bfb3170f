"""Short statements on long results, taken from them word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from flows.analysis.functions.matching import content_words

_MOST: Final = 5
_LONGEST: Final = 240  # characters of a statement
_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z\u00c0-\u00de\d])|\n+")


def summarize_texts(question: str, texts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The sentences of each text that share the most words with the question, in their order.

    `texts` have the number of a `call` and its `text`; JSON is no prose and gives no statement.
    """
    asked = set(content_words(question))
    return {
        "summaries": [
            {"call": each["call"], "statements": _statements(str(each["text"]), asked)}
            for each in texts
        ]
    }


def _statements(text: str, asked: set[str]) -> list[str]:
    if text.lstrip()[:1] in ("{", "["):
        return []
    sentences = list(_sentences(text))
    shared = [len(asked & set(content_words(each))) for each in sentences]
    ranked = sorted(range(len(sentences)), key=lambda place: (-shared[place], place))
    return [sentences[place] for place in sorted(ranked[:_MOST])]


def _sentences(text: str) -> Iterator[str]:
    for each in _END.split(text):
        sentence = " ".join(each.split())
        if sentence and len(sentence) <= _LONGEST:
            yield sentence
