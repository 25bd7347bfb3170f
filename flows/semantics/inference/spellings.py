"""Categories that are written in several ways, which differ in case or blanks only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

# Single letters that mean the same in both cases when a column has no others.
_LETTERS = (frozenset("mfxdou"), frozenset("ynu"), frozenset("tf"), frozenset("jn"))
_SYMBOL = 3


def folded_names(values: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of what stands in the data and what is meant. `values` are distinct, the most frequent
    first: that is how each category is to be written.

    Symbols whose case has a meaning (`mW` and `MW`, the alleles `a` and `A`) stay apart.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for each in values:
        groups[_folded(each)].append(each)
    letters = {each for each in groups if len(each) == 1}
    small = any(letters <= known for known in _LETTERS)
    pairs = []
    for key, members in groups.items():
        if len(key) == 1 and not small:
            continue
        if len(members) > 1 and not all(_is_natural(each.strip()) for each in members):
            continue
        meant = " ".join(members[0].split())
        pairs += [(each, meant) for each in members if each != meant]
    return tuple(sorted(pairs))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_natural(text: str) -> bool:
    """Whether words are written small, large or with a capital, as symbols are not."""
    letters = "".join(filter(str.isalpha, text))
    usual = letters.islower() or letters.isupper() or text.istitle() or text.capitalize() == text
    return usual or len(letters) > _SYMBOL
