"""Going back to an earlier turn: `go back to the first one`, `back to the maximum temperature`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from flows.analysis.conversation.choice import content_of
from flows.analysis.conversation.turn import ConversationTurn
from flows.analysis.parser.ranks import listed
from flows.semantics.request import Request

_BACK: Final = re.compile(
    r"^\W*(?:(?:now|ok|okay|please|let'?s|can we|and|no)\W+)*(?:go(?:ing)? back to|back to|"
    r"return to|"
    r"show (?:me )?again|undo|as before|(?:show )?(?:me )?(?:the )?previous)\b",
    re.IGNORECASE,
)
# The groups of which one came first, or all of them.
_ALL: Final = re.compile(r"\ball\b|s$", re.IGNORECASE)
_FIRST: Final = re.compile(r"\b(?:first|beginning|start|original)\b", re.IGNORECASE)
_LAST: Final = re.compile(r"\b(?:previous|last|before|undo|one before)\b", re.IGNORECASE)


def recall(text: str, before: Sequence[ConversationTurn]) -> Request | None:
    """The request of the earlier turn that is meant, as the rest of the words changes it; None
    where the words do not go back."""
    back = _BACK.match(text)
    if back is None or not before:
        return None
    rest = text[back.end() :].strip(" .!?")
    if _FIRST.search(rest):
        return before[0].request
    if not rest or _LAST.search(back.group() + rest):
        return before[-2 if len(before) > 1 else -1].request
    turn = _named(rest, before)
    if turn is None:
        return None
    query = turn.query
    if query is not None and query.rank is not None and _ALL.search(rest):
        return listed(query)
    return turn.request


def _named(rest: str, before: Sequence[ConversationTurn]) -> ConversationTurn | None:
    """The latest turn before the last that has most of the words, above all in what was said."""
    wanted = content_of(rest, ends=True)
    found: tuple[int, int] | None = None
    for place, each in enumerate(before[:-1]):
        shared = 2 * len(wanted & content_of(each.text, ends=True))
        shared += len(wanted & content_of(each.read, ends=True))
        if shared and (found is None or shared >= found[0]):
            found = shared, place
    return None if found is None else before[found[1]]
