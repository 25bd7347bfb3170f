"""What a run is doing, in lines for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_DEPTH: Final = 2
_CHARACTERS: Final = 300


def progress_line(event: Mapping[str, Any]) -> str:
    """What a public event says of what is being done; "" for one that says nothing."""
    match event:
        case {"kind": "progress", "state": "begun", "address": str(address), "goal": str(goal)}:
            text = goal if address and address.count("/") < _DEPTH else ""
        case {"kind": "progress", "state": "retrying", "wait_s": wait, "message": why}:
            text = f"Trying again in {wait:.0f} s: {why}"
        case {"kind": "round", "round": number, "max_rounds": most}:
            text = f"Round {number} of {most}" if most else f"Round {number}"
        case {"kind": "notice", "text": str(text)}:
            pass
        case _:
            text = ""
    line = " ".join(text.split())
    return line if len(line) <= _CHARACTERS else f"{line[: _CHARACTERS - 1]}…"
