"""Untrusted text made fit for a prompt and a terminal."""

from __future__ import annotations

import json
import re
from typing import Any

_ESCAPE = re.compile(
    r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles and links (OSC)
    r"|\x1b[PX^_][^\x1b]*(?:\x1b\\)?"  # strings for devices
    r"|[\x1b\x9b]\[?[0-?]*[ -/]*[@-~]"  # colours, cursor, screen (CSI) and the short ones
)
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    r"|[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"  # turns the direction of what follows
)


def plain(text: str) -> str:
    """The text without escape sequences and control characters but line ends and tabs."""
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    return _CONTROL.sub("", _ESCAPE.sub("", text)).strip()


def whole_characters(value: Any) -> Any:
    """Plain data with U+FFFD for each half of a character pair, which no file and no request can
    hold. JSON may write one, as \\ud800."""
    written = json.dumps(value, ensure_ascii=False)
    try:
        written.encode()
    except UnicodeEncodeError:
        return json.loads(written.encode("utf-16", "surrogatepass").decode("utf-16", "replace"))
    return value


def cap(text: str, max_chars: int) -> str:
    """The text, or its beginning and a note on how much there was."""
    if len(text) <= max_chars:
        return text
    return f"{text[:max_chars]}\n[cut: the first {max_chars:,} of {len(text):,} characters]"
