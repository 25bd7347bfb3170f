"""Text of data and models as a page may show it: nothing invisible or turned around."""

from __future__ import annotations

import re
from typing import Final

_LINE_ENDS: Final = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and newline
    "\u200e\u200f\u202a-\u202e\u2066-\u2069\u061c"  # marks that reverse the text around them
    "\u200b\u2060\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # marks and tags that nobody sees
)
_HALVES: Final = re.compile("[\ud800-\udfff]")


def clean(text: str) -> str:
    """The text with line feeds as its line ends; halves of characters become U+FFFD."""
    text = _LINE_ENDS.sub("\n", text)
    return _HALVES.sub("\ufffd", _UNSEEN.sub("", text))


def one_line(text: str, most: int = 300) -> str:
    """The text in one line, cut after so many characters."""
    line = " ".join(clean(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}\u2026"
