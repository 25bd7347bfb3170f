"""Where a text speaks of a column or a group, however its name is written there."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_SHORT: Final = 2
_PIECES = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")


@lru_cache(maxsize=1_000)
def naming(name: str) -> re.Pattern[str]:
    """What finds a name: `on_road_time` is also "on-road time". A longer name is another one; of
    one or two letters the case counts, as "a" is a word."""
    pieces = [re.escape(each) for each in _PIECES.findall(name)] or [re.escape(name)]
    flags = re.IGNORECASE if len(name) > _SHORT else re.NOFLAG
    return re.compile(r"(?<!\w)" + r"[\s_-]*".join(pieces) + r"(?!\w)", flags)


def names(text: str, name: str) -> bool:
    """Whether the text speaks of it."""
    return naming(name).search(text) is not None
