"""The one JSON object that a command writes to standard output."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any

from flows.cli import silence


def write_json(found: Mapping[str, Any], *, quiet: bool = True) -> None:
    """The one object on standard output. Whoever stopped reading does not change the exit code.

    Errors: `BrokenPipeError` when nobody reads any more, unless it is to be `quiet` about that.
    """
    if sys.stdout is None:
        return
    try:
        try:
            print(json.dumps(found, ensure_ascii=False), flush=True)
        except UnicodeEncodeError:  # half a character, or a terminal of another alphabet
            print(json.dumps(found), flush=True)
    except BrokenPipeError:
        if not quiet:
            raise
        silence()
