"""Whether a value stands in another one, and how: as it is, in a text, in the JSON of a reply."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from flows.library.blocks.reading import ReplyProblem, read_object

How = Literal["same value", "part of the text", "in the JSON of the text", "holds its text"]
Path = tuple[str, ...]

# What is shorter may stand somewhere by chance.
_TELLING_TEXT: Final = 3
LONG_PART: Final = 8
_TELLING_NUMBER: Final = 100


class ValuePlace(NamedTuple):
    """Where a value was found: a path of keys, and how it stands there. `inner` is the path in
    the JSON of a text."""

    path: Path
    how: How
    inner: Path = ()


def tells(value: Any) -> bool:
    """Whether a value says by itself where it comes from: `true`, 3 or an empty list do not."""
    if isinstance(value, str):
        return len(value.strip()) >= _TELLING_TEXT
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int | float):
        return math.isfinite(value) and (abs(value) >= _TELLING_NUMBER or value != int(value))
    items = value.values() if isinstance(value, Mapping) else value
    return any(tells(each) for each in items)


def walk_value(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """A plain value and all below it, from the top down, with their paths."""
    yield path, value
    items: Iterator[tuple[Any, Any]] = iter(())
    if isinstance(value, Mapping):
        items = iter(value.items())
    elif isinstance(value, list):
        items = iter(enumerate(value))
    for key, each in items:
        yield from walk_value(each, (*path, str(key)))


def same(one: Any, other: Any) -> bool:
    """Whether two plain values are equal, and of one type: 1 is neither 1.0 nor true."""
    return type(one) is type(other) and bool(one == other) and repr(one) == repr(other)


def equal_in(holder: Mapping[str, Any], value: Any, key: str = "") -> ValuePlace | None:
    """Where the equal value stands; with a key only under that one."""
    for path, each in walk_value(dict(holder)):
        if path and (not key or path[-1] == key) and same(each, value):
            return ValuePlace(path, "same value")
    return None


def read_in(holder: Mapping[str, Any], value: Any, key: str = "") -> ValuePlace | None:
    """Where a text holds JSON with the equal value; with a key only under that one."""
    for path, each in walk_value(dict(holder)):
        if isinstance(each, str) and "{" in each:
            for inner, found in _json_of(each):
                if (not key or inner[-1] == key) and same(found, value):
                    return ValuePlace(path, "in the JSON of the text", inner)
    return None


def part_in(holder: Mapping[str, Any], value: Any, least: int = _TELLING_TEXT) -> ValuePlace | None:
    """Where a text stands in a longer one, as it is or with the escapes of JSON.

    It must have `least` characters: what is shorter stands somewhere by chance.
    """
    if not isinstance(value, str) or len(value.strip()) < least:
        return None
    forms = (value, *(json.dumps(value, ensure_ascii=each)[1:-1] for each in (False, True)))
    for path, each in walk_value(dict(holder)):
        if isinstance(each, str) and any(form in each for form in forms):
            return ValuePlace(path, "part of the text", _inner_of(each, value))
    return None


def _inner_of(text: str, value: str) -> Path:
    """The text within the JSON of a text of which the value is a part."""
    if "{" not in text:
        return ()
    within = (path for path, each in _json_of(text) if isinstance(each, str) and value in each)
    return next(within, ())


@lru_cache(maxsize=1024)
def _json_of(text: str) -> tuple[tuple[Path, Any], ...]:
    """All that stands in the JSON object of a reply, with its paths; nothing without one."""
    try:
        found = read_object(text, "stop")
    except ReplyProblem:
        return ()
    return tuple(pair for pair in walk_value(found) if pair[0])


def made_with(holder: Mapping[str, Any], value: Any) -> ValuePlace | None:
    """Where a text stands that is a part of the value, when that is a text."""
    if not isinstance(value, str):
        return None
    for path, each in walk_value(dict(holder)):
        if isinstance(each, str) and len(each.strip()) >= LONG_PART and each in value:
            return ValuePlace(path, "holds its text")
    return None
