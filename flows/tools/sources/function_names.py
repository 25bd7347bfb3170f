"""Names of functions as models take them: letters, digits, `_` and `-`, at most 64 of them."""

from __future__ import annotations

import re
from typing import Final

LONGEST_NAME: Final = 64


class FunctionNames:
    """Gives each function of a source a name that no other of it has."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def free(self, written: object, otherwise: str) -> str:
        """A name made of what is written, or of another text where that is no name."""
        text = written if isinstance(written, str) and written.strip() else otherwise
        name = re.sub(r"[^A-Za-z0-9_-]+", "_", text).strip("_-")[:LONGEST_NAME]
        if not re.match(r"[A-Za-z_]", name):
            name = f"f_{name}"[:LONGEST_NAME]
        number, free = 1, name
        while free in self._taken:
            number += 1
            free = f"{name[: LONGEST_NAME - 6]}_{number}"
        self._taken.add(free)
        return free
