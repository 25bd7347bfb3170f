"""Categories that are written in several ways, which differ in case or blanks only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from flows.semantics.model import Fold

# Single letters that mean the same in both cases when a column has no others.
_LETTERS = (frozenset("mfxdou"), frozenset("ynu"), frozenset("tf"), frozenset("jn"))
_SYMBOL = 3
# Ways to write that something is so, and that it is not.
_TRUE_TEXT = "yes y true t 1 1.0 x ja j wahr oui si sí on ✓ ✔"
_FALSE_TEXT = "no n false f 0 0.0 nein falsch non off ✗ ✘"
_TRUE, _FALSE = frozenset(_TRUE_TEXT.split()), frozenset(_FALSE_TEXT.split())
_PAIRS = (("yes", "no"), ("ja", "nein"), ("oui", "non"), ("true", "false"))


def flag_fold(values: Sequence[str]) -> Fold | None:
    """How yes and no that are written in more than two ways are made two; None where a value is
    neither, or nothing says one of both."""
    said = {each: each.strip().casefold() for each in values}
    found = set(said.values())
    if len(said) < 3 or not found <= _TRUE | _FALSE or found <= _TRUE or found <= _FALSE:
        return None
    yes, no = next((pair for pair in _PAIRS if found & set(pair)), _PAIRS[0])
    meant = {each: yes if plain in _TRUE else no for each, plain in said.items()}
    names = {(each.strip(" "), to) for each, to in meant.items() if each.strip(" ") != to}
    return Fold(names=tuple(sorted(names)))


def fold_of(values: Sequence[str], counts: Mapping[str, int]) -> Fold | None:
    """How categories are made one; None where each of them is written in one way: a blank around
    one that nothing else is equal to stays.

    `values` are distinct, the most frequent first, and `counts` say how many rows have them: the
    most frequent spelling is taken, of equal ones rather none in capitals.

    Symbols whose case has a meaning (`mW` and `MW`, the alleles `a` and `A`) stay apart.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for each in values:
        groups[_folded(each)].append(each)
    letters = {each for each in groups if len(each) == 1}
    small = any(letters <= known for known in _LETTERS)
    pairs, is_padded = [], False
    for key, members in groups.items():
        if len(members) == 1 or not _is_one(key, members, small=small):
            continue
        most = counts.get(members[0], 0)
        equal = [each for each in members if counts.get(each, 0) == most]
        meant = " ".join(min(equal, key=str.isupper).split())
        pairs += [(said, meant) for each in members if (said := each.strip(" ")) != meant]
        is_padded |= any(each != each.strip(" ") for each in members)
    return Fold(names=tuple(sorted(set(pairs)))) if pairs or is_padded else None


def folded(text: str, fold: Fold | None) -> str:
    """A category as it is meant."""
    if fold is None:
        return text
    return dict(fold.names).get(text.strip(" "), text.strip(" "))


def _is_one(key: str, members: Sequence[str], *, small: bool) -> bool:
    """Whether spellings that differ in case are one word: no symbols, no codes of a letter."""
    letters = sum(map(str.isalpha, key))
    known = small if len(key) == 1 else letters > 1
    return known and all(_is_natural(each.strip()) for each in members)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _is_natural(text: str) -> bool:
    """Whether words are written small, large or with a capital, as symbols are not."""
    letters = "".join(filter(str.isalpha, text))
    usual = letters.islower() or letters.isupper() or text.istitle() or text.capitalize() == text
    return usual or len(letters) > _SYMBOL
