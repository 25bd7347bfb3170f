"""Which option of a question back a person's answer means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.conversation.turn import TurnOption
from flows.analysis.language.lexicon import FUNCTION_WORDS, LESS, MORE
from flows.analysis.language.words import singular

_PLACES: Final = ("first", "second", "third", "fourth")
_SAYING_TEXT: Final = """
    mean meant want wanted like choose take pick prefer option one please go with let us lets would
    think show give me i number
"""
_SAYING: Final = frozenset(_SAYING_TEXT.split())
_ASKS: Final = re.compile(
    r"^\W*(?:i mean(?:t)? )?(?:how|what|which|who|whose|when|where|why)\b", re.IGNORECASE
)
_WORD: Final = re.compile(r"[^\W_]+")


def choose(text: str, options: Sequence[TurnOption]) -> TurnOption | None:
    """The option that an answer names: by its number, by its place, or by words that only it has.

    None for words that name more than what one option says, which are a question of their own.
    """
    said = text.strip().rstrip(".)!?").casefold()
    if said.isdecimal():
        return options[int(said) - 1] if 1 <= int(said) <= len(options) else None
    for option in options:
        if option.label.casefold() == said:
            return option
    named = content_of(text)
    if len(named) == 1 and (place := next(iter(named))) in _PLACES:
        at = _PLACES.index(place)
        return options[at] if at < len(options) else None
    if not named or _ASKS.match(text):
        return None
    fitting = [each for each in options if named <= content_of(f"{each.label} {each.question}")]
    return fitting[0] if len(fitting) == 1 else None


def content_of(text: str, *, ends: bool = False) -> frozenset[str]:
    """The words of a text that say what is meant, each in its singular; with `ends` also those for
    the ends of an order, such as `highest`."""
    words = (singular(each) for each in _WORD.findall(text.casefold().replace("_", " ")))
    empty = {*FUNCTION_WORDS, *_SAYING, *(() if ends else (*MORE, *LESS))}
    return frozenset(each for each in words if each not in empty)
