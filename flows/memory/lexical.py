"""The embedder that needs no model and no download."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from flows.analysis.language.terms import STOP_WORDS, words

ALGORITHM = 1
"""Part of the embedder's name: a change of the features below has to raise it."""

_STOP_WORD_WEIGHT = 0.1
_PAIR_WEIGHT = 0.5
_GRAM_SIZES = (3, 4, 5)
_GRAMS_WEIGHT = 0.7
_IN_THREAD_FROM_CHARS = 20_000


class LexicalEmbedder:
    """Turns a text into a vector by hashing its words, word pairs and character n-grams.

    It compares spellings, so it finds inflections, compounds and typing errors. It knows no
    synonyms and no other language's word for the same thing: "car" and "automobile" are strangers
    to it. Vectors have length 1 and are the same in every process, on every machine.
    """

    class Config(BaseModel):
        model_config = ConfigDict(frozen=True, extra="forbid")

        dimension: int = Field(default=1024, ge=64, le=65_536)

    def __init__(self, config: Config | None = None) -> None:
        self._dimension = (config or LexicalEmbedder.Config()).dimension

    @property
    def name(self) -> str:
        return f"lexical-{ALGORITHM}"

    @property
    def dimension(self) -> int:
        return self._dimension

    async def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if sum(map(len, texts)) < _IN_THREAD_FROM_CHARS:
            return self._embed_all(texts)
        return await asyncio.to_thread(self._embed_all, texts)

    def _embed_all(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> list[float]:
        # A text of punctuation alone has no words, but it still is some text and no other.
        in_order = words(text) or list(text)
        vector = [0.0] * self._dimension
        for word, count in Counter(in_order).items():
            damping = 1.0 + math.log(count)
            for place, weight in _word_features(word):
                vector[place % self._dimension] += weight * damping
        pairs = Counter(pairwise(in_order))
        for (first, second), count in pairs.items():
            if first in STOP_WORDS and second in STOP_WORDS:
                continue
            place, sign = _hashed(f"p:{first} {second}")
            vector[place % self._dimension] += sign * _PAIR_WEIGHT * (1.0 + math.log(count))
        return _unit(vector)


@lru_cache(maxsize=20_000)
def _word_features(word: str) -> tuple[tuple[int, float], ...]:
    if word in STOP_WORDS:
        place, sign = _hashed(f"w:{word}")
        return ((place, sign * _STOP_WORD_WEIGHT),)
    grams = list(_grams(word))
    # The n-grams of a word weigh as much together, however long the word is.
    weight = _GRAMS_WEIGHT / math.sqrt(len(grams)) if grams else 0.0
    place, sign = _hashed(f"w:{word}")
    features = [(place, float(sign))]
    features.extend((place, sign * weight) for place, sign in map(_hashed, grams))
    return tuple(features)


def _grams(word: str) -> Iterator[str]:
    framed = f"<{word[:64]}>"
    for size in _GRAM_SIZES:
        for start in range(len(framed) - size + 1):
            yield f"g:{framed[start : start + size]}"


def _hashed(feature: str) -> tuple[int, int]:
    """A place and a sign that depend on nothing but the feature's text."""
    digest = blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
    number = int.from_bytes(digest, "little")
    return number >> 1, 1 if number & 1 else -1


def _unit(vector: list[float]) -> list[float]:
    length = math.sqrt(sum(value * value for value in vector))
    if length == 0.0:
        # Nothing to compare: a fixed direction keeps cosine distances defined.
        return [1.0] + [0.0] * (len(vector) - 1)
    return [value / length for value in vector]
