"""Which way a sentence says that one thing goes with another: up, down, or not clear."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.language.phrasebook import AMOUNTS, CHANGES, EFFECTS
from flows.evaluation.names import naming

_NOT: Final = re.compile(r"\b(no|not|neither|nor|without|hardly|never)\b|n't", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[;:,]|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_RISING, _FALLING = (CHANGES.pattern(up) for up in (True, False))
_MORE, _LESS = (AMOUNTS.pattern(up) for up in (True, False))
_UP: Final = re.compile(
    rf"\b(?:positiv\w*|{_RISING}|{_MORE}|{EFFECTS.pattern(True)})\b", re.IGNORECASE
)
_DOWN: Final = re.compile(
    rf"\b(?:negativ\w*|invers\w*|{_FALLING}|{_LESS}|{EFFECTS.pattern(False)})\b",
    re.IGNORECASE,
)
# What is said of the thing itself, and not of what goes with it.
_MORE_OF: Final = re.compile(
    rf"\b(?:{_MORE}|{_RISING})(?:\W+(?:hours?|days?|points?|units?|of|in|the))*\W*$",
    re.IGNORECASE,
)
_LESS_OF: Final = re.compile(
    rf"\b(?:{_LESS}|reduced|reducing|{_FALLING})(?:\W+(?:of|in|the))*\W*$",
    re.IGNORECASE,
)
_IT_RISES: Final = re.compile(rf"^\W*(?:{_RISING}|is (?:{_MORE}))\b", re.IGNORECASE)
_IT_FALLS: Final = re.compile(rf"^\W*(?:{_FALLING}|is (?:{_LESS}))\b", re.IGNORECASE)


def said_sign(sentence: str, name: str) -> int:
    """1 when more of `name` goes with more, -1 with less, 0 where that is not clear.

    The clause that names it counts; where that says nothing, the sentence.
    """
    clauses = [each for each in _CLAUSE.split(sentence) if naming(name).search(each)]
    for text in (*clauses, sentence):
        sign = _sign(text, name)
        if sign:
            return sign
    return 0


def _sign(text: str, name: str) -> int:
    match = naming(name).search(text)
    if match is None or _NOT.search(text):
        return 0
    before, after = text[: match.start()], text[match.end() :]
    turned = 1
    for pattern, sign in ((_MORE_OF, 1), (_LESS_OF, -1)):
        before, found = pattern.subn(" ", before)
        turned = sign if found else turned
    for pattern, sign in ((_IT_RISES, 1), (_IT_FALLS, -1)):
        after, found = pattern.subn(" ", after)
        turned = sign if found else turned
    up, down = (bool(each.search(before + " " + after)) for each in (_UP, _DOWN))
    return 0 if up == down else turned * (1 if up else -1)
