"""A length of time as people write it: 90s, 15m, 2h, 1d, or a number of seconds."""

from __future__ import annotations

import re
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

_UNITS: Final = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_WRITTEN: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([smhd]?)")
LONGEST_S: Final = 366 * 86_400.0


def seconds_of(written: object) -> float:
    """The seconds of an interval. Errors: `ValueError` for what is none, or longer than a year."""
    found = _WRITTEN.fullmatch(str(written).strip())
    if isinstance(written, bool) or found is None:
        raise ValueError(f"{written!r} is no interval, such as 90s, 15m, 2h or 1d")
    seconds = float(found[1]) * _UNITS[found[2] or "s"]
    if seconds > LONGEST_S:
        raise ValueError(f"{written!r} is longer than a year")
    return seconds


# A key that holds an interval, in seconds.
Interval = Annotated[float, BeforeValidator(seconds_of), Field(gt=0)]
