"""Numbers that are written as words: three, twenty-five, two million, a dozen."""

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
_SPELLED: Final = re.compile(
    rf"\b(?:(?P<tens>{'|'.join(_TENS)})[- ](?P<unit>{'|'.join(_SMALL[1:10])})"
    rf"|(?P<word>{'|'.join((*_SMALL, *_TENS))}|a(?=[ ](?:dozen|hundred|thousand|million)\b)))"
    rf"(?:[ ](?P<scale>{'|'.join(_SCALES)}))?\b(?!-)",
    re.IGNORECASE,
)


def find_spelled(text: str) -> Iterator[WrittenNumber]:
    """The numbers in words. A bare `one` is none of them: it stands for things."""
    for match in _SPELLED.finditer(text):
        scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
        value = _value(match) * scale
        if match[0].lower() == "one":
            continue
        reading = NumberReading(float(value), float(scale))
        yield WrittenNumber(match[0], match.start(), match.end(), "number", (reading,))


def _value(match: re.Match[str]) -> int:
    if match["tens"]:
        return WORDS[match["tens"].lower()] + WORDS[match["unit"].lower()]
    return WORDS.get(match["word"].lower(), 1)
