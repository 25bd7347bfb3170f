"""Regular expressions by the hundred: one is compiled when a text first holds what it needs.

Most phrases of a grammar are in no text of a run, and compiling one takes as long as looking for a
thousand words. So the words that a phrase cannot do without are read from it first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

Match = re.Match[str]
# Texts of which one at least has to be there.
Choice = tuple[str, ...]

_TOKENS = re.compile(
    r"""(?P<open>\((?!\?)|\(\?(?::|P<\w+>)) | (?P<look>\(\?<?[=!]) | (?P<back>\(\?P=\w+\))
    |(?P<unknown>\(\?) | (?P<close>\)) | (?P<or>\|) | (?P<many>\+[?+]?|\{[1-9]\d*(?:,\d*)?\}[?+]?)
    |(?P<maybe>[?*][?+]?|\{\d*(?:,\d*)?\}[?+]?) | (?P<class>\[\^?\]?(?:\\.|[^\]\\])*\])
    |(?P<sign>\\[^a-zA-Z0-9]) | (?P<kind>\\(?:x..|u.{4}|U.{8}|N\{[^}]*\}|\d{1,3}|.)|[.^$])
    |(?P<char>[^()|?*+{\[\\.^$]+|.)""",
    re.VERBOSE | re.DOTALL,
)
Token = tuple[str, str]


class PhrasePattern:
    """A regular expression, searched for like a compiled one.

    `outline` is the same expression with less detail, from which is read what texts must hold; all
    that matches `text` must match it.
    """

    def __init__(self, text: str, flags: int = 0, *, outline: str = "") -> None:
        self.text = text
        self._flags = flags
        self._outline = outline or text

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.text, self._flags)

    @cached_property
    def needed(self) -> tuple[Choice, ...]:
        """Of each of these choices a text must hold one. Where case does not matter, folded."""
        found = () if self._flags & re.VERBOSE else needed_by(self._outline)
        if self._flags & re.IGNORECASE:
            return tuple(tuple(word.casefold() for word in choice) for choice in found)
        return found

    def is_possible(self, text: str) -> bool:
        """False if it cannot match; that is found out without compiling it."""
        held = text.casefold() if self._flags & re.IGNORECASE else text
        return all(any(word in held for word in choice) for choice in self.needed)

    def search(self, text: str) -> Match | None:
        return self.pattern.search(text) if self.is_possible(text) else None

    def sub(self, replacement: str | Callable[[Match], str], text: str) -> str:
        return self.pattern.sub(replacement, text) if self.is_possible(text) else text

    def split(self, text: str) -> tuple[str, ...]:
        """What stands before, between and after the places that match."""
        if not self.is_possible(text):
            return (text,)
        places = [(0, 0), *(each.span() for each in self.pattern.finditer(text))]
        ends = [start for start, _ in places[1:]] + [len(text)]
        return tuple(text[end:until] for (_, end), until in zip(places, ends, strict=True))


def needed_by(expression: str) -> tuple[Choice, ...]:
    """What each text that matches a regular expression holds; may leave things out."""
    tokens = [(str(each.lastgroup), each.group()) for each in _TOKENS.finditer(expression)]
    if any(kind == "unknown" for kind, _ in tokens):
        return ()
    return tuple(_alternatives(iter(tokens)))


def _alternatives(tokens: Iterator[Token]) -> list[Choice]:
    """What one of several alternatives needs, up to the bracket that closes them."""
    ways: list[list[Choice]] = [[]]
    run = ""
    last: list[Choice] = []  # what the group or sign before needs, unless it may be missing

    def take() -> None:
        nonlocal run, last
        ways[-1].extend([(run,)] if run else [])
        ways[-1].extend(last)
        run, last = "", []

    for kind, token in tokens:
        if kind == "close":
            break
        if kind in ("char", "sign"):
            if last:
                take()
            run += token.removeprefix("\\")
        elif kind == "maybe":
            run, last = run[:-1] if not last else run, []
            take()
        elif kind == "or":
            take()
            ways.append([])
        else:
            take()
            last = _alternatives(tokens) if kind in ("open", "look") else []
            if kind == "look":
                last = []
    take()
    return ways[0] if len(ways) == 1 else _either(ways)


def _either(ways: Sequence[list[Choice]]) -> list[Choice]:
    """One choice for several alternatives: of each the words that are the rarest, as the longest
    ones are; none where an alternative needs nothing."""
    if not all(ways):
        return []
    best = [max(way, key=lambda choice: min(map(len, choice))) for way in ways]
    return [tuple(dict.fromkeys(word for choice in best for word in choice))]
