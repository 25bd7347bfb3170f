"""The object of a proposal, and the proposals that refuse to answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flows.analysis.analyst.certainty import confidence_of
from flows.analysis.analyst.preference import SURE
from flows.analysis.analyst.words import unread_words, words_of
from flows.analysis.reading.reader import Reading, Unread
from flows.core.observation import Caution

# Of what was not understood: so many words are said, and so many letters of each.
_SAID = 12
_LONGEST = 60


def refuse_unsure(question: str, reading: Reading) -> dict[str, Any]:
    """That a reading is too unsure to be answered, and what is understood and what is not."""
    left = ", ".join(repr(word) for word in reading.unexplained)
    why = f"not understood: {left}" if left else "it can be read in several ways"
    read = replace(reading, unexplained=()).explanation  # what is not used was said just now
    text = f"I am not sure enough of what it asks: {why}; understood: {read}."
    said = {"confidence": confidence_of(reading), "words": words_of(question, reading)}
    return refuse(text, reading.explanation) | said


def refuse_unread(question: str, unread: Unread) -> dict[str, Any]:
    """Why not. Of a question that goes on for pages only the first words are said again."""
    words = [
        each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in unread.not_understood
    ]
    more = f", and {len(words) - _SAID:,} more words" if len(words) > _SAID else ""
    said = replace(unread, not_understood=tuple(words[:_SAID]), understood=())
    read = "; ".join(unread.understood[:_SAID])
    text = f"{said}{more}" + (f"; understood: {read}" if read else "")
    return refuse(f"{text}.", read) | {"words": unread_words(question, unread)}


def with_nearest(made: dict[str, Any], questions: Sequence[str]) -> dict[str, Any]:
    """A refusal with the questions that can be answered instead."""
    if not questions:
        return made
    offered = "; ".join(f'"{each.replace("`", "")}"' for each in questions)
    return {**made, "cannot": f"{made['cannot']} What I can answer: {offered}."}


def has_failed(found: Sequence[Mapping[str, Any]]) -> bool:
    return bool(found) and found[-1].get("kind") == "failed"


def refuse_failed(found: Sequence[Mapping[str, Any]], explanation: str = "") -> dict[str, Any]:
    """That what the question means was tried, and why it did not work."""
    said = str(found[-1].get("said", "")) if found else ""
    return refuse(f"The only reading of it failed: {said}", explanation)


def refuse(text: str, explanation: str = "") -> dict[str, Any]:
    said = text[:1].upper() + text[1:]
    return make_proposal(cannot=said, explanation=explanation, confidence=0.0)


def make_proposal(**given: Any) -> dict[str, Any]:
    """The object of the protocol; keys that are not given are null."""
    empty: dict[str, Any] = dict.fromkeys(("sql", "code", "text", "clarify", "cannot"))
    more = {
        "confidence": 0.0,
        "explanation": "",
        "words": [],
        "warnings": [],
        "chart": None,
        "request": None,
        "parts": [],
    }
    return {**empty, **more, **given}


def plain(warnings: Iterable[Caution]) -> list[dict[str, str]]:
    """Warnings as plain data."""
    return [{"code": each.code, "text": each.text} for each in warnings]


def ask_of_what(
    questions: Sequence[str], propose: Callable[[str], dict[str, Any]]
) -> dict[str, Any]:
    """A question back about the whole of which something is a percentage."""
    read = [(each, propose(each)["request"]) for each in questions]
    options = [
        {"label": each, "question": each, "request": request}
        for each, request in read
        if request is not None
    ]
    if len(options) < 2:
        return refuse("it does not say of what it is the percentage.")
    asked = {"question": "A percentage of what?", "options": options}
    return make_proposal(clarify=asked, confidence=SURE)
