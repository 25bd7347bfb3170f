"""Values that a question enumerates: `orders KT-1, KT-2 and KT-3`, `line 12 with line 15`."""

from __future__ import annotations

import re
from typing import Final

from flows.analysis.functions.forms import shape
from flows.analysis.functions.mentions import ValueMention

_JOINED: Final = re.compile(
    r"(?:[\s\w'-]*(?:,|\band\b|\bor\b|\bwith\b|\bthan\b|\bversus\b|&|\bvs\.?))+[\s]*"
    r"(?:with|the|for|of|in|one of)?\s*"
)
_LONGEST: Final = 40


def is_alike(one: ValueMention, other: ValueMention, question: str) -> bool:
    """Whether two mentions of a question are values of one kind: identifiers of the same form, or
    values that `and` or the like joins, with the same word before each or none."""
    if one.kind != other.kind or one.kind == "phrase":
        return False
    if one.kind == "code" and shape(one.text) == shape(other.text):
        return True
    first, second = sorted((one, other), key=lambda each: each.start)
    between = question[first.end : second.start]
    ways = [between]
    label = first.before[0] if first.before else ""
    if label and second.before[:1] == (label,):
        ways.append(between.rstrip()[: -len(label)])
    return len(between) < _LONGEST and any(_JOINED.fullmatch(each) for each in ways)
