"""How many decimals a question wants: `rounded to two decimals`, `as an integer`."""

from __future__ import annotations

import re

_NUMBERS = {"no": 0, "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_COUNT = rf"(?P<count>\d|{'|'.join(_NUMBERS)})"
_DECIMALS = (
    r"(?:decimals?(?: places?| points?| digits?)?|digits?(?: after the (?:decimal )?point)?)"
)
_ROUNDED = re.compile(
    r",?(?: and)?(?: please)?(?: give the (?:answer|result))?\s+"
    rf"(?:(?:(?:rounded|round)(?: it| them| the (?:result|answer|number)s?)?(?: off)? )?"
    rf"(?:to|with) {_COUNT} {_DECIMALS}"
    r"|(?:rounded|round) (?:off )?to (?:the nearest |a |an )?(?P<whole>integer|whole numbers?)"
    r"|(?:as|to) (?:an? |the nearest )(?P<nearest>integer|whole number))(?!\w)",
    re.IGNORECASE,
)


def without_rounding(question: str) -> tuple[str, int | None]:
    """The question with blanks in the place of such words, and the decimals; None without."""
    found = _ROUNDED.search(question)
    if found is None:
        return question, None
    blank = " " * len(found.group())
    plain = question[: found.start()] + blank + question[found.end() :]
    said = found["count"]
    return plain, 0 if said is None else int(_NUMBERS.get(said.casefold(), said))
