"""Numbers that are written as words: three, twenty-five, two hundred and ten, a dozen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from flows.data.answers.numbers import NumberReading, WrittenNumber

_ONES: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_SMALL: Final = _ONES.split(" ")
_TENS: Final = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
WORDS: Final = {
    **{word: number for number, word in enumerate(_SMALL)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
_SCALES: Final = {
    "dozen": 12,
    "hundred": 100,
    "thousand": 10**3,
    "million": 10**6,
    "billion": 10**9,
}
_PARTS: Final = {"half": 0.5, "quarter": 0.25}
_SCALE: Final = rf"(?:[ ](?:{'|'.join(_SCALES)})\b)"
_WORD: Final = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_SMALL[1:10])})\b)?|(?:{'|'.join(_SMALL)}))\b"
)
# What follows a hundred or a thousand: a smaller number that has no such word behind it.
_REST: Final = rf"(?:[ ](?:and[ ])?{_WORD}(?!{_SCALE}|-))"
_TENS_OF: Final = (
    rf"[ ](?:and[ ])?(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_SMALL[1:10])}))?"
    r"(?=[ ](?:thousand|million)\b)"
)
_BELOW_THOUSAND: Final = rf"(?:{_WORD}|a\b)[ ]hundred\b(?:{_TENS_OF}|{_REST})?"
_SPELLED: Final = re.compile(
    rf"""\b(?:
        (?:{_BELOW_THOUSAND}|{_WORD}|a(?={_SCALE}))
        (?:[ ]thousand\b(?:[ ](?:and[ ])?{_BELOW_THOUSAND}(?!{_SCALE})|{_REST})?|{_SCALE})?
        (?:[ ]and[ ]a[ ](?:half|quarter)\b(?:[ ](?:thousand|million|billion)\b)?)?
    )(?!-)""",
    re.IGNORECASE | re.VERBOSE,
)


def find_spelled(text: str) -> Iterator[WrittenNumber]:
    """The numbers in words. A bare `one` is none of them: it stands for things."""
    for match in _SPELLED.finditer(text):
        words = re.split(r"[ -]", match[0].lower())
        if words == ["one"]:
            continue
        reading = _reading(words)
        yield WrittenNumber(match[0], match.start(), match.end(), "number", (reading,))


def _reading(words: list[str]) -> NumberReading:
    """The number with what its last word counts in: 100 of `two hundred`."""
    total = 0.0
    below: float = 0
    step = 1.0
    for word in words:
        if word in _PARTS:
            below, step = below + _PARTS[word], _PARTS[word]
        elif word in _SCALES:
            step = float(_SCALES[word]) * (step if step < 1 else 1)
            below = (below or 1) * _SCALES[word]
            if _SCALES[word] >= 1000:
                total, below = total + below, 0
        elif word in WORDS:
            below, step = below + WORDS[word], 1.0
    return NumberReading(total + below, step)
