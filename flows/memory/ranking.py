"""Ranking by keywords (BM25), and one ranking made of two."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from flows.analysis.language.terms import STOP_WORDS, words

_SATURATION = 1.5
_LENGTH_SHARE = 0.75


class KeywordIndex:
    """Which words stand in which document, ranked by BM25. Not safe in threads."""

    def __init__(self, documents: Iterable[tuple[str, str]] = ()) -> None:
        self._counts: dict[str, dict[str, int]] = defaultdict(dict)
        self._words: dict[str, tuple[str, ...]] = {}
        self._lengths: dict[str, int] = {}
        self._total_length = 0
        for id_, text in documents:
            self.add(id_, text)

    def __len__(self) -> int:
        return len(self._lengths)

    def add(self, id_: str, text: str) -> None:
        """Keep a document's words under its id, in place of what stood there."""
        self.remove(id_)
        counts = Counter(words(text))
        for word, count in counts.items():
            self._counts[word][id_] = count
        self._words[id_] = tuple(counts)
        self._lengths[id_] = counts.total()
        self._total_length += counts.total()

    def search(self, query: str, n_results: int) -> dict[str, float]:
        """Scores of the documents that share a telling word with the query, best first."""
        scores: dict[str, float] = defaultdict(float)
        mean = self._total_length / len(self) if self._total_length else 1.0
        for word in sorted(set(words(query)) - STOP_WORDS):
            found = self._counts.get(word, {})
            rarity = self.rarity(word)
            for id_, count in found.items():
                share = 1 - _LENGTH_SHARE + _LENGTH_SHARE * self._lengths[id_] / mean
                scores[id_] += rarity * count * (_SATURATION + 1) / (count + _SATURATION * share)
        best = sorted(scores, key=lambda id_: (-scores[id_], id_))[:n_results]
        return {id_: scores[id_] for id_ in best}

    def rarity(self, word: str) -> float:
        """How telling a word is: the fewer documents hold it, the more; most, if none does."""
        return self.rarity_of(len(self._counts.get(word, {})))

    def rarity_of(self, found: int) -> float:
        """The rarity of a word that so many documents hold."""
        return math.log(1 + (len(self) - found + 0.5) / (found + 0.5))

    def words_of(self, id_: str) -> tuple[str, ...]:
        """The different words of a document; none of one that is not there."""
        return self._words.get(id_, ())

    def vocabulary(self) -> Collection[str]:
        """All words that some document holds."""
        return self._counts.keys()

    def remove(self, id_: str) -> None:
        """Forget a document, if it is there."""
        for word in self._words.pop(id_, ()):
            del self._counts[word][id_]
            if not self._counts[word]:
                del self._counts[word]
        self._total_length -= self._lengths.pop(id_, 0)


def fuse(
    similarities: Mapping[str, float], keywords: Mapping[str, float], keyword_share: float
) -> list[str]:
    """Ids, best first, by a weighted sum of similarity and keyword score, each brought to 0..1.

    Similarities are stretched between their least and greatest, since some embedders give 0.7 to
    strangers. Keyword scores have a true zero and are divided by the greatest.
    """
    least, greatest = min(similarities.values()), max(similarities.values())
    span = (greatest - least) or 1.0
    best = max(keywords.values(), default=0.0) or 1.0

    def score(id_: str) -> float:
        nearness = (similarities[id_] - least) / span
        return (1 - keyword_share) * nearness + keyword_share * keywords.get(id_, 0.0) / best

    return sorted(similarities, key=lambda id_: (-score(id_), -similarities[id_], id_))
