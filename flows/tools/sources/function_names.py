"""Names of functions as models take them: letters, digits, `_` and `-`, at most 64 of them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

LONGEST_NAME: Final = 64
_LONGEST_WRITTEN: Final = 1_000


def ascii_name(written: str, kept: str = "_-") -> str:
    """The text with `_` for all but ASCII letters, digits and the signs that are kept; accents are
    dropped. "" for a text of which nothing is left."""
    letters = unicodedata.normalize("NFKD", written[:_LONGEST_WRITTEN])
    bare = "".join(each for each in letters if not unicodedata.combining(each))
    name = re.sub(rf"[^A-Za-z0-9{re.escape(kept)}]+", "_", bare)[:LONGEST_NAME]
    return name if re.search(r"[A-Za-z0-9]", name) else ""


class FunctionNames:
    """Gives each function of a source a name that no other of it has."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}  # the last number that a name was given with

    @staticmethod
    def as_written(written: object, otherwise: str) -> str:
        """A name made of what is written, or of another text where that gives none."""
        text = ascii_name(written) if isinstance(written, str) else ""
        name = (text or ascii_name(otherwise)).strip("_-")
        return name if re.match(r"[A-Za-z_]", name) else f"f_{name}"[:LONGEST_NAME]

    def free(self, written: object, otherwise: str) -> str:
        """The same, with a number where the name is taken."""
        name = free = self.as_written(written, otherwise)
        start = name[: LONGEST_NAME - 8]
        while free in self._taken:
            self._numbers[start] = number = self._numbers.get(start, 1) + 1
            free = f"{start}_{number}"
        self._taken.add(free)
        return free
