"""Which study a text asks for, by the words that say so, and the text without them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flows.analysis.methods.catalog import ASKED
from flows.analysis.methods.method import Cue, Method, MethodSetting
from flows.data.tables import Table

_ALL = re.compile(
    r"\b(?:(?:of|for|between|among|across|all|the|every|each|any|two|2) )*(?:the )?(?:(?:numeric|"
    r"numerical|number|quantitative|continuous) (?:columns|variables|features|fields|attributes|"
    r"measures|data|values)|(?:all|two|2) (?:the )?(?:columns|variables|features|fields|attributes|"
    r"measures|measurements)|pairs? of (?:columns|variables|features|fields|attributes|"
    r"measures))\b",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"\b(i|we|you)['\u2019]d\b", re.IGNORECASE)
# `smokers and non-smokers`: all values of one column, named by one of them.
_BOTH = re.compile(
    r"(?:,? *\b(?:and|or|versus|vs\.?|than|from|to|with)(?: (?:for|of|by|in|the))*)? *\bnon[- ]?"
    r"(?P<name>\w{3,}?)s?\b(?:,? *\b(?:and|or|versus|vs\.?|than|from|to)\b(?= (?:the "
    r")?(?P=name)s?\b))?",
    re.IGNORECASE,
)
_AGAINST = re.compile(r"\b(?:against|versus|vs\.?)(?=\s)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Ask:
    """A text that asks for a method.

    `pieces` are what is left of the text before, between and after the words that said so; `also`
    is the noun of another method that the text asks for.
    """

    method: str
    cue: Cue
    pieces: tuple[str, ...]
    settings: dict[str, str]
    text: str
    swapped: bool = False
    also: str = ""

    @property
    def rest(self) -> str:
        """The text without the words that asked."""
        return " ".join(self.pieces)


def ask_study(text: str, tables: Sequence[Table] = ()) -> Ask | None:
    """The method that a text asks for over tables; None when no word of it does."""
    plain = _ALL.sub(" ", _both(_CONTRACTED.sub(r"\1 would", text)))
    method = next((each for each in ASKED if _asks(each, plain, tables)), None)
    if method is None:
        return None
    settings: dict[str, str] = {}
    rest = plain
    for each in method.cue.settings:
        rest = _set(each, rest, settings)
    words = method.cue.phrase("words")
    pieces = words.split(rest) if words else (rest,)
    if len(pieces) == 1:
        pieces = ("", _uncapital(rest))
    swapped = any(_AGAINST.search(each) for each in pieces)
    also = next(filter(None, (_also(method, each) for each in pieces)), "")
    left = tuple(_AGAINST.sub("and", each) for each in pieces)
    return Ask(method.name, method.cue, left, settings, text, swapped, also)


def _both(text: str) -> str:
    """The text without `non-smokers`, where smokers are named beside them."""
    found = _BOTH.search(text)
    if found is None:
        return text
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    named = re.search(rf"\b{re.escape(found['name'])}(?:s|e?r|ing)?\b", rest, re.IGNORECASE)
    return rest if named else text


def _uncapital(text: str) -> str:
    """A text that stood at the beginning, as it is written after another word."""
    text = text.lstrip()
    return f"{text[:1].lower()}{text[1:]}" if text[1:2].islower() else text


def _asks(method: Method[Any], text: str, tables: Sequence[Table]) -> bool:
    cue = method.cue
    found = (cue.phrase("words"), cue.phrase("hint"))
    if not any(phrase and phrase.search(text) for phrase in found):
        return False
    return cue.accepts is None or cue.accepts(text, tables)


def _set(each: MethodSetting, text: str, settings: dict[str, str]) -> str:
    """Take a setting's phrase out of the text; the first that sets a name stands."""
    if each.only and not each.only.search(text):
        return text
    found = each.phrase.search(text)
    if found is None:
        return text
    said = each.value or found.groupdict().get("value") or found.group()
    settings.setdefault(each.name, said.strip())
    return f"{text[: found.start()]} {each.leave} {text[found.end() :]}"


def _also(method: Method[Any], rest: str) -> str:
    """The noun of another method that is asked for in the same text."""
    for other in ASKED:
        noun = other.cue.phrase("noun")
        if other is method or other.name in method.cue.includes or noun is None:
            continue
        if found := noun.search(rest):
            return str(found.group())
    return ""
