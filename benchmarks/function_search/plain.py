"""Plain methods that the index of functions is compared with."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from flows.core.function_description import FunctionDescription
from flows.tools.catalog.terms import parameter_text

Scores = Mapping[str, float]
_WORD = re.compile(r"[a-z0-9]+")


class PlainBM25:
    """BM25 (k1 1.5, b 0.75) over words as they stand, without stems or weights."""

    def __init__(self, functions: Sequence[FunctionDescription], *, parameters: bool) -> None:
        self._counts = {each.name: Counter(_words(_text(each, parameters))) for each in functions}
        self._mean = sum(each.total() for each in self._counts.values()) / len(self._counts)
        self._holding: dict[str, list[str]] = defaultdict(list)
        for name, counts in self._counts.items():
            for word in counts:
                self._holding[word].append(name)

    def scores(self, question: str) -> Scores:
        found: dict[str, float] = defaultdict(float)
        for word in set(_words(question)):
            names = self._holding.get(word, ())
            rarity = math.log(1 + (len(self._counts) - len(names) + 0.5) / (len(names) + 0.5))
            for name in names:
                counts = self._counts[name]
                share = 1.5 * (0.25 + 0.75 * counts.total() / self._mean)
                found[name] += rarity * counts[word] * 2.5 / (counts[word] + share)
        return found


class Vectors:
    """Cosine similarity of the vectors of an embedder."""

    def __init__(self, names: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        self._names = list(names)
        self._matrix = _unit(np.array(vectors))

    def scores(self, vector: Sequence[float]) -> Scores:
        found = self._matrix @ _unit(np.array([vector]))[0]
        return dict(zip(self._names, found.tolist(), strict=True))


def best(scores: Scores, limit: int = 10) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))[:limit]


def fused(*rankings: Sequence[str]) -> list[str]:
    """Reciprocal rank fusion (k 60) of rankings of names."""
    found: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for place, name in enumerate(ranking, 1):
            found[name] += 1 / (60 + place)
    return best(found)


def _text(function: FunctionDescription, parameters: bool) -> str:
    more = parameter_text(function.parameters) if parameters else ""
    return f"{function.name} {function.description} {more}"


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower().replace("_", " "))


def _unit(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    return found
