"""Regular expressions of foreign schemas: those whose matching can take for ever are left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from flows.core.function_description import JsonSchema

_LONGEST: Final = 200
_MOST_OPEN: Final = 3  # repeats without an end: each more is another power of the text's length
_REPEATED_GROUP: Final = re.compile(r"(?<!\\)\)(?:[*+]|\{\d*,?\d*\})")
_OPEN_REPEAT: Final = re.compile(r"(?<!\\)(?:[*+]|\{\d*,\})")
_LOOKS_BACK: Final = re.compile(r"\\[1-9]|\(\?[=!<P]")


def is_fast(pattern: str) -> bool:
    """Whether the pattern is of a kind that matches in a time that its text bounds: no group is
    repeated, few parts repeat without an end, and nothing refers back or looks around."""
    if len(pattern) > _LONGEST or _REPEATED_GROUP.search(pattern) or _LOOKS_BACK.search(pattern):
        return False
    if len(_OPEN_REPEAT.findall(pattern)) > _MOST_OPEN:
        return False
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def without_slow_patterns(schema: Mapping[str, Any]) -> JsonSchema:
    """The JSON schema without the patterns that are not fast; whoever wrote it checks them."""
    kept = {key: _cleaned(key, each) for key, each in schema.items() if _is_kept(key, each)}
    return {key: each for key, each in kept.items() if key != "patternProperties"}


def _is_kept(key: str, value: Any) -> bool:
    return key != "pattern" or not isinstance(value, str) or is_fast(value)


def _cleaned(key: str, value: Any) -> Any:
    if key in ("properties", "$defs", "definitions") and isinstance(value, Mapping):
        # The keys below are names, of which one may be "pattern".
        return {name: _of_schema(each) for name, each in value.items()}
    if key in ("enum", "const", "default", "examples"):
        return value
    if isinstance(value, list | tuple):
        return [_of_schema(each) for each in value]
    return _of_schema(value)


def _of_schema(value: Any) -> Any:
    return without_slow_patterns(value) if isinstance(value, Mapping) else value
