"""Categories that are written in several ways, which differ in case or blanks only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

# Single letters that mean the same in both cases when a column has no others.
_LETTERS = (frozenset("mfxdou"), frozenset("ynu"), frozenset("tf"), frozenset("jn"))
_SYMBOL = 3


def folded_names(values: Sequence[str], counts: Mapping[str, int]) -> tuple[tuple[str, str], ...]:
    """Pairs of what stands in the data and what is meant. `values` are distinct, the most frequent
    first, and `counts` say how many rows have them: the most frequent spelling is taken, of equal
    ones rather none in capitals.

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
        most = counts.get(members[0], 0)
        equal = [each for each in members if counts.get(each, 0) == most]
        meant = " ".join(min(equal, key=str.isupper).split())
        pairs += [(each, meant) for each in members if each != meant]
    return tuple(sorted(pairs))


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_natural(text: str) -> bool:
    """Whether words are written small, large or with a capital, as symbols are not."""
    letters = "".join(filter(str.isalpha, text))
    usual = letters.islower() or letters.isupper() or text.istitle() or text.capitalize() == text
    return usual or len(letters) > _SYMBOL
