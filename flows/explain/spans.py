"""Where each value stands in the text of a JSON document."""

from __future__ import annotations

import json
import re
from typing import Final, NamedTuple

from flows.explain.containment import Path

_BLANK: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()


class ValueSpan(NamedTuple):
    """A value of the document: its path of keys, and where its text begins and ends."""

    path: Path
    start: int
    end: int


def spans_of(text: str) -> list[ValueSpan]:
    """The spans of all values, each after that which it stands in. Errors: `ValueError`."""
    found: list[ValueSpan] = []
    _read(text, _skip(text, 0), (), found)
    return found


def _read(text: str, at: int, path: Path, found: list[ValueSpan]) -> int:
    """Note the value at a place and those in it; the place after it."""
    own = len(found)
    found.append(ValueSpan(path, at, at))
    sign = text[at : at + 1]
    if sign in ("{", "["):
        end = _read_items(text, at, path, found)
    else:
        end = _DECODER.raw_decode(text, at)[1]
    found[own] = ValueSpan(path, at, end)
    return end


def _read_items(text: str, at: int, path: Path, found: list[ValueSpan]) -> int:
    closing = "}" if text[at] == "{" else "]"
    at = _skip(text, at + 1)
    number = 0
    while text[at : at + 1] != closing:
        if number:
            at = _skip(text, at + 1)  # a comma
        key = str(number)
        if closing == "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _skip(text, _skip(text, at) + 1)  # a colon
        at = _skip(text, _read(text, at, (*path, key), found))
        number += 1
    return at + 1


def _skip(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at
