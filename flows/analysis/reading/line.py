"""The line of a question in plainer words: what says the same is written the same."""

from __future__ import annotations

import re

_PLAINER: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?<!\S)(?:{pattern})(?!\S)"), plain)
    for pattern, plain in (
        (r"respectively|please|also|either|both(?! T)", ""),
        (r",? ?(?:as well as|along with|together with|in addition to|and also|plus)", "and"),
        (r"(?:take|takes|took|taken|taking) place", "occurred"),
        (r"in total|altogether|all together|in all", ""),
        (r"(?<![a-z\d,] )(?:sort|rank|arrange|order)(?= (?:the|all|each|T\d+|C\d+|them))", "list"),
    )
)


def plain_line(line: str) -> str:
    """The line without words that change nothing, and with one word where English has many."""
    for pattern, plain in _PLAINER:
        line = pattern.sub(plain, line)
    return re.sub(r" +", " ", line).strip()
