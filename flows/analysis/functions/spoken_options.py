"""Where a question names one of the values that an argument allows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from flows.analysis.functions.terms import identifier_terms, is_content, term, word_set
from flows.analysis.language.words import split_identifier

_ALL: Final = word_set("all any none dontcare other default null")


def option_said(option: str, question: str) -> tuple[float, tuple[int, int]] | None:
    """How surely a question names a value that an argument allows, and where; None if it does not.
    "all" and "none" are words of any sentence and count for nothing.
    """
    return next(options_said(option, question), None)


def options_said(option: str, question: str) -> Iterator[tuple[float, tuple[int, int]]]:
    """All places where a question names a value, with how surely."""
    if option.casefold() in _ALL:
        return
    short, said = len(option) <= 2, False
    for text in dict.fromkeys((option, re.sub(r"[_-]+", " ", option).strip())):
        for match in re.finditer(rf"(?<!\w){re.escape(text)}(?!\w)", question, re.IGNORECASE):
            if not short or match.group() == option:
                said = True
                yield 1.0, match.span()
    if said or short:
        return
    wanted = tuple(
        term(each) for each in split_identifier(option) if is_content(each)
    ) or identifier_terms(option)
    places = term_places(question)
    found = [next((place for each, place in places if each == word), None) for word in wanted]
    if len(wanted) == 1 and wanted[0] in ("asc", "desc"):
        start = wanted[0] + "end"
        found = [next((place for each, place in places if each.startswith(start)), None)]
    if wanted and all(each is not None for each in found) and all(len(each) > 2 for each in wanted):
        first = min(each for each in found if each is not None)
        yield 0.8, (first, first + 1)


def term_places(question: str) -> list[tuple[str, int]]:
    """The terms of the words of a question with their places."""
    return [
        (each, match.start())
        for match in re.finditer(r"[^\W_]+", question)
        for each in identifier_terms(match.group())
    ]
