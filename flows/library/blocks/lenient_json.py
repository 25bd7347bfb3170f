"""JSON as language models write it: a grammar a little wider than JSON's, without any guess.

Beside JSON it takes single quotes, a trailing comma, plain words as keys, `True`, `False` and
`None`, and line breaks inside strings. Everything else is an error: nothing is added, dropped or
moved, so each value that comes out stands in the text between its own quotes. Comments are errors,
too: a `#` that slipped in would hide an argument.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

MAX_DEPTH: Final = 20

_BLANK = re.compile(r"\s+")
_STRINGS = {
    '"': re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"', re.DOTALL),
    "'": re.compile(r"'([^'\\]*(?:\\.[^'\\]*)*)'", re.DOTALL),
}
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?", re.ASCII)
_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WORDS: dict[str, object] = {
    "true": True,
    "True": True,
    "false": False,
    "False": False,
    "null": None,
    "None": None,
}
_ESCAPED = re.compile(r'\\.|"', re.DOTALL)


class UnreadableJson(ValueError):
    """The text is not of the grammar; says where and what was expected."""


def read_value(text: str, at: int) -> tuple[Any, int]:
    """The value that begins at `at`, and the place after it. Errors: `UnreadableJson`."""
    reader = _Reader(text, at)
    return reader.value(0), reader.at


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise UnreadableJson(f"the object is nested more than {MAX_DEPTH} deep")
        sign = self._next()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in _STRINGS:
            return self._string()
        return self._literal()

    def _object(self, depth: int) -> dict[str, object]:
        self.at += 1
        found: dict[str, object] = {}
        while self._next() != "}":
            key = self._key()
            if key in found:
                raise UnreadableJson(f"the key {key[:60]!r} stands in the object twice")
            self._take(":", "a colon after the key")
            found[key] = self.value(depth + 1)
            if self._next() != "}":
                self._take(",", "a comma or }")
        self.at += 1
        return found

    def _list(self, depth: int) -> list[Any]:
        self.at += 1
        found: list[Any] = []
        while self._next() != "]":
            found.append(self.value(depth + 1))
            if self._next() != "]":
                self._take(",", "a comma or ]")
        self.at += 1
        return found

    def _key(self) -> str:
        if self._next() in _STRINGS:
            return self._string()
        word = _WORD.match(self.text, self.at)
        if word is None:
            raise self._unexpected("a key")
        self.at = word.end()
        return word.group()

    def _string(self) -> str:
        match = _STRINGS[self.text[self.at]].match(self.text, self.at)
        if match is None:
            raise UnreadableJson(f"{self._place()}: the string that begins here has no end")
        body = _ESCAPED.sub(_as_json, match.group(1))
        try:
            text: str = json.loads(f'"{body}"', strict=False)
        except ValueError:
            raise UnreadableJson(
                f"{self._place()}: this string has an escape that is none"
            ) from None
        self.at = match.end()
        return text

    def _literal(self) -> Any:
        word = _WORD.match(self.text, self.at)
        if word is not None and word.group() in _WORDS:
            self.at = word.end()
            return _WORDS[word.group()]
        match = _NUMBER.match(self.text, self.at)
        if match is None:
            raise self._unexpected("a value")
        number = _number(match.group(), whole=not (match[1] or match[2]))
        if number is None:
            raise UnreadableJson(f"{self._place()}: this number is too large")
        self.at = match.end()
        return number

    def _next(self) -> str:
        """The next sign that is no blank. Errors: `UnreadableJson` at the end."""
        blank = _BLANK.match(self.text, self.at)
        if blank is not None:
            self.at = blank.end()
        if self.at >= len(self.text):
            raise UnreadableJson("the object is not whole: the text ends inside it")
        return self.text[self.at]

    def _take(self, sign: str, expected: str) -> None:
        if self._next() != sign:
            raise self._unexpected(expected)
        self.at += 1

    def _unexpected(self, expected: str) -> UnreadableJson:
        found = self.text[self.at : self.at + 12].split("\n")[0]
        return UnreadableJson(f"{self._place()}: {expected} was expected, not {found!r}")

    def _place(self) -> str:
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        return f"line {line}, column {column}"


def _as_json(match: re.Match[str]) -> str:
    """An escape, or a bare double quote, as a JSON string has it."""
    return {"\\'": "'", '"': '\\"'}.get(match.group(), match.group())


def _number(text: str, *, whole: bool) -> int | float | None:
    try:
        number = int(text) if whole else float(text)
    except ValueError:  # Python refuses whole numbers of some thousand digits
        return None
    return number if math.isfinite(number) else None
