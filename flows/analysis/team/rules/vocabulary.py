"""Lists of words."""

from __future__ import annotations


def words_in(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())
