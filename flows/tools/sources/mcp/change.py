"""What a tool says of itself as a text for people, and how two such texts differ."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Final

MOST_TEXT: Final = 40_000
_CONTEXT: Final = 3  # lines around a change
_SHOWN_SPACE: Final = " \n"
_WORDS: Final = ("name", "title", "description")


def tool_text(told: Mapping[str, object]) -> str:
    """All that a tool says of itself: its texts as they are, the rest as JSON, a value a line. What
    does not show on a screen, or turns the direction of a text, is written as its number."""
    texts = [f"{key}: {told[key]}" for key in _WORDS if told.get(key)]
    rest = {key: each for key, each in told.items() if key not in _WORDS and each is not None}
    data = json.dumps(rest, indent=2, sort_keys=True, ensure_ascii=False, default=str)
    return "".join(_visible("\n".join((*texts, data))))[:MOST_TEXT]


def _visible(text: str) -> Iterator[str]:
    for each in text.replace("\r\n", "\n"):
        if each in _SHOWN_SPACE or each.isprintable():
            yield each
        else:
            yield f"\\u{ord(each):04x}"


def text_change(before: str, now: str) -> str:
    """The lines that went (`-`) and came (`+`), with some around them. Without a text of before all
    lines of now."""
    if not before:
        return "\n".join(f"+ {line}" for line in now.splitlines())
    if before == now:
        return f"It differs after the first {MOST_TEXT:,} characters, which are the same."
    lines = unified_diff(before.splitlines(), now.splitlines(), n=_CONTEXT, lineterm="")
    return "\n".join(_shown(line) for line in list(lines)[3:])


def _shown(line: str) -> str:
    return "..." if line.startswith("@@") else f"{line[:1]} {line[1:]}"
