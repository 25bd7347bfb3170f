"""The beginning of a text, for an error: what a database says may hold a value of any length."""

from __future__ import annotations

_LONGEST = 400


def excerpt(said: object, longest: int = _LONGEST) -> str:
    """What is said, in one line, with three dots where it is cut."""
    # More than is kept, since blanks are joined; all of it may be a gigabyte.
    text = str(said)
    line = " ".join(text[: longest * 4].split())
    is_cut = len(line) > longest or len(text) > longest * 4
    return f"{line[:longest]} ..." if is_cut else line
