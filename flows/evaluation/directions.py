"""Which way a sentence says that one thing goes with another: up, down, or not clear."""

from __future__ import annotations

import re
from typing import Final

from flows.evaluation.names import naming

_NOT: Final = re.compile(r"\b(no|not|neither|nor|without|hardly|never)\b|n't", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"[;:,]|\b(?:and|but|while|whereas)\b", re.IGNORECASE)
_UP: Final = re.compile(
    r"\b(?:positiv\w*|ris(?:es?|ing)|rose|rais(?:es?|ed|ing)|increas\w*|improv\w*|grows?|grew|"
    r"gains?|higher|more|longer|better|up)\b",
    re.IGNORECASE,
)
_DOWN: Final = re.compile(
    r"\b(?:negativ\w*|invers\w*|falls?|fell|falling|drops?|dropp\w*|declin\w*|decreas\w*|reduc\w*|"
    r"lower\w*|hurts?|harm\w*|worse\w*|less|fewer|shorter|down)\b",
    re.IGNORECASE,
)
# What is said of the thing itself, and not of what goes with it.
_MORE_OF: Final = re.compile(
    r"\b(?:more|higher|longer|larger|greater|additional|further|increas\w*(?: in| of)?|rising|"
    r"growing)(?:\W+(?:hours?|days?|points?|units?|of|in|the))*\W*$",
    re.IGNORECASE,
)
_LESS_OF: Final = re.compile(
    r"\b(?:less|lower|shorter|smaller|fewer|falling|reduc\w*|decreas\w*(?: in| of)?)"
    r"(?:\W+(?:of|in|the))*\W*$",
    re.IGNORECASE,
)
_IT_RISES: Final = re.compile(
    r"^\W*(?:rises?|grows?|increases?|goes up|is (?:higher|longer|larger|greater))\b", re.IGNORECASE
)
_IT_FALLS: Final = re.compile(
    r"^\W*(?:falls?|drops?|decreases?|declines?|goes down|is (?:lower|shorter|smaller))\b",
    re.IGNORECASE,
)


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
