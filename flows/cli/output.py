"""The one JSON object that a command writes to standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from math import isfinite
from typing import Any

from flows.cli import silence


def write_json(found: Mapping[str, Any], *, quiet: bool = True) -> None:
    """The one object on standard output. Whoever stopped reading does not change the exit code.
    Numbers that JSON does not have (NaN and the infinities) are null.

    Errors: `BrokenPipeError` when nobody reads any more, unless it is to be `quiet` about that.
    """
    if sys.stdout is None:
        return
    try:
        try:
            print(_text(found, ascii_only=False), flush=True)
        except UnicodeEncodeError:  # half a character, or a terminal of another alphabet
            print(_text(found, ascii_only=True), flush=True)
    except BrokenPipeError:
        if not quiet:
            raise
        silence()


def _text(found: Any, *, ascii_only: bool) -> str:
    try:
        return json.dumps(found, ensure_ascii=ascii_only, allow_nan=False)
    except ValueError:
        return json.dumps(_finite(found), ensure_ascii=ascii_only, allow_nan=False)


def _finite(value: Any) -> Any:
    """The value with null for each number that JSON does not have."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return value
