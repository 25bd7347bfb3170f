"""Which names and values a text mentions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import root, split_identifier

_WORD: Final = re.compile(r"[^\W_]+")
# What a word is worth that the text has in full and a name only in short.
_SHORT_FOR: Final = 0.9
_NEARLY_WHOLE: Final = 0.85
_SHORTEST_VALUE: Final = 2


@dataclass(frozen=True)
class Mentions:
    """The words of a text, beside which names of columns and values are held."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(_WORD.findall(self.text))

    @cached_property
    def roots(self) -> frozenset[str]:
        """The roots of the words that carry content."""
        folded = (each.casefold() for each in self.words)
        return frozenset(root(each) for each in folded if each not in FUNCTION_WORDS)

    def share_of(self, name: str) -> float:
        """Which part of the words of a name the text has."""
        words = _content(name)
        return sum(map(self._has, words)) / len(words) if words else 0.0

    def _has(self, word: str) -> float:
        if word in self.roots:
            return 1.0
        return _SHORT_FOR if self.full_word(word) else 0.0

    def full_word(self, word: str) -> str:
        """The word that a short one of a name stands for, as `pop` for population; "" for none."""
        if not 3 <= len(word) <= 4:
            return ""
        fitting = (each.casefold() for each in self.words if len(each) >= len(word) + 3)
        return next((each for each in fitting if each.startswith(word)), "")

    def capitals(self, word: str) -> str:
        """The word where the text writes it in capitals; "" where it does not."""
        found = (each for each in self.words if each.isupper() and len(each) > 1)
        return next((each for each in found if each.casefold() == word), "")

    def place_of(self, name: str) -> int:
        """Which of its words is the first that the name has; behind all of them for none."""
        words = {*_content(name), *(root(self.full_word(each)) for each in split_identifier(name))}
        places = (at for at, each in enumerate(self.words) if root(each.casefold()) in words)
        return next(places, len(self.words))

    def has_value(self, value: object) -> bool:
        """Whether a text stands in it as whole words."""
        if not isinstance(value, str) or len(value.strip()) < _SHORTEST_VALUE:
            return False
        words = re.escape(" ".join(value.split()).casefold())
        return re.search(rf"(?<!\w){words}(?!\w)", self.text.casefold()) is not None

    def named(self, names: Iterable[str]) -> list[str]:
        """Those of the names that it has whole, in its order; a name that is a part of a longer
        one that it has too is left out."""
        shares = {each: self.share_of(each) for each in names}
        whole = [each for each in shares if shares[each] == 1.0]
        whole = whole or [each for each in shares if shares[each] > _NEARLY_WHOLE]
        words = {each: set(split_identifier(each)) for each in whole}
        kept = [a for a in whole if not any(words[a] < words[b] for b in whole)]
        return sorted(kept, key=lambda each: (self.place_of(each), -len(words[each])))

    def wanted(self, names: Sequence[str]) -> list[str]:
        """The names that it speaks of, most of all first; all of them where it has none."""
        shares = {each: self.share_of(each) for each in names}
        most = max(shares.values(), default=0.0)
        kept = [each for each in names if shares[each] >= most / 2]
        return sorted(kept, key=lambda each: -shares[each])


def _content(name: str) -> list[str]:
    """The roots of a name's words, without those that carry no content if others are left."""
    words = split_identifier(name)
    return [root(each) for each in words if each not in FUNCTION_WORDS] or [*map(root, words)]
