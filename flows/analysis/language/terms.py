"""Text to the words that a search compares: folded, identifiers taken apart, CJK in pairs."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import pairwise

STOP_WORDS = frozenset({
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but",
    "by", "can", "could", "did", "do", "does", "for", "from", "had", "has", "have", "he", "her",
    "his", "how", "i", "if", "in", "into", "is", "it", "its", "just", "may", "me", "more", "most",
    "my", "no", "not", "of", "on", "only", "or", "our", "out", "over", "she", "should", "so",
    "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "too", "up", "us", "very", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
})  # fmt: skip
"""English words that say little about what a text is on; they count, but little."""

_RUN = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")


def words(text: str) -> list[str]:
    """The words of a text in order, casefolded, without accents and punctuation.

    `unit_price` and `unitPrice` are two words each. Scripts without blanks between words (Chinese,
    Japanese, Thai) and Korean are cut into overlapping pairs of characters.
    """
    found: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFKC", text)):
        for part in _HUMP.split(run):
            found.extend(_pieces(_fold(part)))
    return found


def _fold(word: str) -> str:
    if word.isascii():
        return word.lower()
    apart = unicodedata.normalize("NFD", word.casefold())
    bare = "".join(each for each in apart if unicodedata.category(each) != "Mn")
    return unicodedata.normalize("NFC", bare or word)


def _pieces(word: str) -> Iterator[str]:
    if word.isascii():
        yield word
        return
    end = 0
    for match in _UNSPACED.finditer(word):
        if word[end : match.start()]:
            yield word[end : match.start()]
        yield from _pairs(match.group())
        end = match.end()
    if word[end:]:
        yield word[end:]


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for first, second in pairwise(run):
        yield first + second
