"""Text that a terminal shows as it is: without anything that commands the terminal."""

from __future__ import annotations

import re

_LINE_ENDS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_SEQUENCES = re.compile(
    # Strings for the terminal (titles, links, device control), with their end.
    "(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\\\|\x9c)"
    # Colours, cursor, modes.
    "|(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    # Function keys, and all other sequences of two or three characters.
    "|\x1bO[ -~]|\x1b[ -/]*[0-~]"
)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and newline
    "\u202a-\u202e\u2066-\u2069\u061c"  # embeddings, overrides and isolates turn text around
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # marks and tags that nobody sees
)
_HALVES = re.compile("[\ud800-\udfff]")


def plain(text: str) -> str:
    """The text without control and escape sequences; lines end with a newline, tabs stay.

    Characters that reverse or hide other text are taken out too, and halves of characters, which
    no terminal can encode, become U+FFFD.
    """
    text = _LINE_ENDS.sub("\n", text)
    text = _SEQUENCES.sub("", text)
    return _HALVES.sub("\ufffd", _INVISIBLE.sub("", text))
