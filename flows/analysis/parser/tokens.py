"""The words, numbers, quoted texts and signs of a text, each with its place."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple, cast

from flows.analysis.language.phrasebook import ARTICLES

Kind = Literal["word", "number", "ordinal", "date", "text", "name", "sign"]

_DAY, _HOUR = r"[0-9]{4}-[0-9]{2}-[0-9]{2}", r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?"
_TOKEN = re.compile(
    rf"""(?P<name>`(?:[^`]|``)*`)
    |(?P<text>(?<!\w)'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<date>{_DAY}(?:[T\ ]{_HOUR})?(?![\w-]))
    |(?P<thousands>[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?(?![\w,]))
    |(?P<ordinal>[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?(?:st|nd|rd|th)(?!\w))
    |(?P<number>[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?(?!\w|\.[0-9]))
    |(?P<word>\w+(?:'\w+)?)
    |(?P<sign>[<>!=]+|[^\s])""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_DATE = re.compile(rf"{_DAY}(?:[T ]{_HOUR})?")
_END = frozenset("?!.")


class Token(NamedTuple):
    """A piece of a text. `text` is a word in lower case, what stands between quotes, or a number
    or sign as it is written; `start` and `end` are the places of its first character and behind
    its last."""

    kind: Kind
    text: str
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, without articles and without the sign that ends a sentence."""
    found = [_token(match) for match in _TOKEN.finditer(text)]
    while found and found[-1].kind == "sign" and found[-1].text in _END:
        found.pop()
    return [each for each in found if each.kind != "word" or each.text not in ARTICLES]


def _token(match: re.Match[str]) -> Token:
    group, text = match.lastgroup, match.group()
    kind = cast(Kind, "number" if group == "thousands" else group)
    if kind in ("name", "text"):
        text = text[1:-1].replace(text[0] * 2, text[0])
    elif kind == "number":
        text = text.replace(",", "")
    elif kind in ("word", "ordinal"):
        text = text.casefold()
    return Token(kind, text, *match.span())


def quote_name(name: str) -> str:
    """A name as it is read exactly as it is."""
    return "`" + name.replace("`", "``") + "`"


def quote_text(text: str) -> str:
    """A text between quotes; a date as it is."""
    if _DATE.fullmatch(text):
        return text
    if "'" in text and '"' not in text:
        return f'"{text}"'
    return "'" + text.replace("'", "''") + "'"


def is_date(value: object) -> bool:
    """Whether a value is a date or a time in ISO form."""
    return isinstance(value, str) and _DATE.fullmatch(value) is not None


def ordinal(number: str) -> str:
    """A number as a place: `2nd`, `11th`, `99.9th`."""
    ending = "th" if number[-2:-1] == "1" else {"1": "st", "2": "nd", "3": "rd"}.get(number[-1])
    return f"{number}{ending or 'th'}"
