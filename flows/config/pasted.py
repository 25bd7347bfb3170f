"""Marks that a text from a chat or a word processor brings into a file: to YAML they are text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from flows.config.tree import Section, ValueNode, dotted, leaves
from flows.errors import ConfigError

# Pairs of quotation marks that are none of YAML's.
_QUOTES: Final = ("“”", "‘’", "„“", "„”", "‚‘", "«»", "»«", "””", "’’", "＂＂")  # noqa: RUF001
_SPACES: Final = "\u00a0\u2007\u202f"
_INVISIBLE: Final = f"{_SPACES}\u200b\u200c\u200d\u2060\ufeff"


def pasted_marks(tree: Section) -> Iterator[ConfigError]:
    """A warning for each value that stands in quotes which YAML does not know, and for each that
    begins or ends with a character that nobody sees."""
    for path, node in leaves(tree):
        text = node.value if isinstance(node, ValueNode) else None
        if isinstance(text, str) and (told := _told(text)):
            warning = ConfigError(told, place=node.place, path=dotted(path))
            warning.warning = True
            yield warning


def has_odd_space(line: str) -> bool:
    """Whether a line has a space in it that is none to YAML."""
    return any(each in line for each in _SPACES)


def _told(text: str) -> str:
    """What is to be said of a value; "" for nothing."""
    inner = text[1:-1]
    for begin, end in _QUOTES:
        is_within = text.startswith(begin) and text.endswith(end) and len(text) > 2
        if is_within and begin not in inner and end not in inner:
            return f"{begin} and {end} are part of the text; quotes in YAML are \" or '"
    for where, each in (("begins", text[:1]), ("ends", text[-1:])):
        if each and each in _INVISIBLE:
            name = f"U+{ord(each):04X}, {unicodedata.name(each).lower()}"
            return f"the text {where} with a character that nobody sees ({name}); leave it out"
    return ""
