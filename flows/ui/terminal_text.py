"""Untrusted text on its way to a terminal."""

from __future__ import annotations

import json
import re

from pydantic_core import to_jsonable_python

from flows.human.terminal_text import plain

_TAB = "    "
_BLANKS = re.compile(r"[ \t\n]+")


def clean(text: object, *, keep_newlines: bool = True) -> str:
    """The text without anything that commands a terminal, tabs as blanks.

    Without `keep_newlines` it becomes one line, and runs of blanks one blank.
    """
    shown = plain(str(text))
    return shown.replace("\t", _TAB) if keep_newlines else _BLANKS.sub(" ", shown).strip()


def one_line(text: object, limit: int) -> str:
    """The text as one line of at most `limit` characters."""
    shown = clean(str(text)[: limit * 4 + 1000], keep_newlines=False)
    return shown if len(shown) <= limit else f"{shown[: limit - 1].rstrip()}…"


def shorten(text: object, *, chars: int, lines: int) -> str:
    """The beginning of a text, and how much of it is not shown."""
    given = str(text)
    whole = clean(given[: chars * 4 + 10_000]).strip("\n").rstrip()
    kept = "\n".join(whole.split("\n")[:lines])[:chars].rstrip()
    left = len(whole) - len(kept) + max(0, len(given) - chars * 4 - 10_000)
    return kept if len(whole) == len(kept) else f"{kept}\n… {left:,} more characters"


def as_text(value: object, indent: int | None = None) -> str:
    """A value of a flow as a person reads it: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(to_jsonable_python(value, fallback=str), ensure_ascii=False, indent=indent)
