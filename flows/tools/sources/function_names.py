"""Names of functions as models take them: letters, digits, `_` and `-`, at most 64 of them."""

from __future__ import annotations

import re
from typing import Final

LONGEST_NAME: Final = 64


class FunctionNames:
    """Gives each function of a source a name that no other of it has."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}  # the last number that a name was given with

    @staticmethod
    def as_written(written: object, otherwise: str) -> str:
        """A name made of what is written, or of another text where that is no name."""
        text = written if isinstance(written, str) and written.strip() else otherwise
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_-")[:LONGEST_NAME]
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
