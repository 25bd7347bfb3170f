"""A request for several things: what each of them is, as a task of its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import permutations
from typing import Final

from flows.analysis.analyst.proposal import Analyst
from flows.analysis.conversation.turn import TurnReading
from flows.analysis.conversation.vague import likeliest
from flows.analysis.parser.exact import words
from flows.semantics.query import Query

_HEAD: Final = re.compile(
    r"^\W*(?:(?:please|can you|could you|i want|i need|let's)\s+)*(?:analy[sz]e|create|make|show|"
    r"give|prepare|write|build|do|report|look at|explore|summari[sz]e)?\s*(?:me|us)?\s*"
    r"(?:on|at)?\s*"
    r"(?:an?|the|our|my)?\s*(?P<separate>(?:\w+\s+)?(?:separate|different|individual|own)\s+)?"
    r"(?P<reports>(?:reports?|analys[ei]s|summar(?:y|ies)|overviews?|sections?)\s*"
    r"(?:for|on|of|about)?\s*:?\s*)?(?:the|our|my)?\s*",
    re.IGNORECASE,
)
_SEPARATELY: Final = re.compile(
    r"\b(?:separately|one by one|each (?:on its own|separately))\b", re.I
)
_BETWEEN: Final = re.compile(r"\s*(?:[,;]|\b(?:and|plus|as well as)\b|&)\s*(?:also\s+)?", re.I)
_SURE: Final = 0.5
_SEVERAL: Final = range(2, 9)


def is_separate(text: str, analyst: Analyst) -> bool:
    """Whether a text says that it wants several reports, or names only things, each of which lies
    in a table that has nothing to do with those of the others."""
    head = _HEAD.match(text)
    if _SEPARATELY.search(text) is not None or bool(head and head["separate"]):
        return True
    pieces = _pieces(text)
    named = [likeliest(each, analyst) for each in pieces] if len(pieces) in _SEVERAL else []
    tables = [each.request.dataset for each in named if each and isinstance(each.request, Query)]
    related = {(each.dataset, each.to) for each in analyst.model.relationships}
    return len(tables) == len(pieces) > 1 and not any(
        one == other or (one, other) in related for one, other in permutations(tables, 2)
    )


def plan(
    text: str, analyst: Analyst, read: Callable[[str], TurnReading]
) -> tuple[TurnReading, ...]:
    """The tasks of a text that asks for several things that do not belong together, each read by
    itself; empty for a text that asks for one thing. What a part of it names may not be known: that
    task says so. `read` reads a question that stands alone."""
    pieces = _pieces(text)
    if len(pieces) not in _SEVERAL:
        return ()
    tasks = tuple(_task(each, analyst, read) for each in pieces)
    known = [each for each in tasks if each.kind == "answer"]
    return tasks if len(known) >= 2 and len({each.question for each in known}) >= 2 else ()


def _pieces(text: str) -> list[str]:
    """The parts of an enumeration, without what introduces it."""
    head = _HEAD.match(text)
    said = _SEPARATELY.sub("", text[head.end() :] if head else text).rstrip(" .!?")
    return [each.strip() for each in _BETWEEN.split(said) if each.strip()]


def _task(piece: str, analyst: Analyst, read: Callable[[str], TurnReading]) -> TurnReading:
    """A part of the text: the figures of the table or the measure that it names, or a question."""
    named = likeliest(piece, analyst)
    if named is not None and named.request is not None:
        said = words(named.request, analyst.model)
        return TurnReading(kind="answer", question=said, request=named.request, confidence=0.7)
    found = read(piece)
    if found.kind == "answer" and found.confidence >= _SURE:
        return found
    return TurnReading(kind="decline", question=piece, text=f"Nothing in the data is {piece!r}.")
