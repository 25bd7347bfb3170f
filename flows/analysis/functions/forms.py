"""The forms of identifiers: what their letters, figures and marks say of which kind they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from flows.analysis.language.words import NUMBER_WORDS

_TEMPLATE: Final = re.compile(r"[A-Za-z]+|\d+|[^A-Za-z\d]+")
_LETTERS_FIRST: Final = re.compile(r"[A-Za-z]{1,5}[-_ ]?\d+$")
_CAPITALS: Final = re.compile(r"[A-Z]{2,4}$")
# `gull-loft`, `m.keane`: small letters in parts.
SLUG: Final = re.compile(r"[a-z][a-z0-9]*(?:([-.])[a-z0-9]+)(?:\1[a-z0-9]+)*$")
_COUNT: Final = rf"(?P<count>\d{{1,2}}|{'|'.join(NUMBER_WORDS)})"
# `eleven-digit numbers`, `AC and five digits`.
_DIGITS: Final = re.compile(
    rf"(?:\b(?P<letters>[A-Z]{{1,4}})(?: and|,? followed by| plus|,? then)? )?\b{_COUNT}[- ]"
    r"(?:digit|figure|numeral)s?\b"
)
_SAME, _SERIES, _OTHER = 0.9, 0.1, -0.3


def form_fit(text: str, examples: Sequence[str], *, varied: bool = False) -> float | None:
    """How well an identifier has the form of some examples: 0.9 for the very same, None where it is
    one of another kind. Its letters name the kind, but where they are `varied`."""
    shaped = [each for each in examples if re.search(r"\d", each) or SLUG.match(each)]
    if not shaped:
        return 0.0
    form = shape(text)
    if form in {shape(each) for each in shaped} or any(_is_alike(text, each) for each in shaped):
        return _SAME
    if any(_is_series(text, each) for each in shaped):
        return _SERIES  # perhaps of another kind: one whose form is the very same goes before it
    if all(map(SLUG.match, shaped)) and text != text.casefold():
        return None  # a key of small letters has no capitals
    loose = shape(text, letters=False) in {shape(each, letters=False) for each in shaped}
    if varied and loose:
        return _SAME if len(_letters(text)) in {len(_letters(each)) for each in shaped} else _OTHER
    if all(map(_LETTERS_FIRST.match, shaped)) and _LETTERS_FIRST.match(text):
        return None
    return _SERIES if loose else _OTHER


def has_form(text: str, examples: Sequence[str]) -> bool:
    """Whether an identifier has the very form of one of the examples, letters and all."""
    return any(re.search(r"\d", each) and shape(text) == shape(each) for each in examples)


def capitals_fit(text: str, examples: Sequence[str]) -> float | None:
    """The fit of a short code in capitals, such as initials, to examples that are such codes: 0.0
    where one is and the other is not; None where neither is."""
    codes = [each for each in examples if _CAPITALS.match(each)]
    if not codes or len(codes) < len(examples):
        return None
    if not _CAPITALS.match(text):
        return 0.0
    return _SAME if len(text) in {len(each) for each in codes} else 0.2


def is_lettered(example: str) -> bool:
    """Whether an identifier begins with the letters of its kind, as KT-2011."""
    return _LETTERS_FIRST.match(example) is not None


def described_forms(description: str) -> tuple[str, ...]:
    """Examples of the forms that a description tells in words: `eleven-digit`, `AC and five
    digits`."""
    found: list[str] = []
    for match in _DIGITS.finditer(description):
        word = match["count"]
        count = int(word) if word.isdigit() else int(NUMBER_WORDS[word])
        found.append((match["letters"] or "") + "1" * min(count, 30))
    return tuple(found)


def _letters(text: str) -> str:
    return "".join(each for each in text if each.isalpha())


def _is_alike(text: str, example: str) -> bool:
    """Whether two have parts of the same lengths and kinds of characters, or are both in small
    letters with the same mark between their parts."""
    one, other = SLUG.match(text), SLUG.match(example)
    if one or other:
        return bool(one and other and one[1] == other[1])
    if text != text.upper() or example != example.upper():
        return False
    parts, wanted = re.split(r"[\W_]+", text), re.split(r"[\W_]+", example)
    mixed = all(any(char.isdigit() for char in each) for each in (parts[0], wanted[0])) and any(
        char.isalpha() for char in example
    )
    return mixed and len(parts) > 1 and [len(each) for each in parts] == [len(e) for e in wanted]


def _is_series(text: str, other: str) -> bool:
    """Whether two identifiers differ only in figures and single letters, as A-12 and B-3: a letter
    numbers on, while several name a kind, as KT-2011 and SH-712."""
    forms = {re.sub(r"[^\W\d_]", "A", re.sub(r"\d+", "9", each)) for each in (text, other)}
    return len(forms) == 1 and "AA" not in forms.pop()


@lru_cache(maxsize=4096)
def shape(text: str, *, letters: bool = True) -> str:
    """The form of an identifier: figures become one 9, and letters stay or become one A."""
    parts = _TEMPLATE.findall(text)
    return "".join(
        "9" if each.isdigit() else (each.casefold() if letters else "A") if each.isalpha() else each
        for each in parts
    )
