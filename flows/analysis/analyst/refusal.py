"""The object of a proposal, and the proposals that refuse to answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from flows.analysis.analyst.certainty import confidence_of
from flows.analysis.analyst.preference import SURE
from flows.analysis.analyst.words import unread_words, words_of
from flows.analysis.language.words import split_identifier
from flows.analysis.reading.outcome import NOTHING_NAMED, TOO_MUCH_LEFT, Unread
from flows.analysis.reading.reader import Reading
from flows.core.observation import Caution
from flows.data.tables import Column, Table

# Of what was not understood: so many words are said, and so many letters of each.
_SAID = 12
_LONGEST = 60
# What a method says of data that it cannot be applied to.
_OWN_REASON = re.compile(r"ValueError: (?P<text>[^\n]*?)\.?(?: \(line \d+\))?")
# Of each table so many columns are named, and so many tables.
_COLUMNS, _TABLES = 6, 4


def refuse_unsure(question: str, reading: Reading, tables: Sequence[Table]) -> dict[str, Any]:
    """That a reading is too unsure to be answered, and what is understood and what is not."""
    unread = Unread(TOO_MUCH_LEFT, not_understood=reading.unexplained)
    known = known_columns(unread, tables)
    left = ", ".join(repr(word) for word in known.not_understood)
    why = f"not understood: {left}" if left else "it can be read in several ways"
    why = known.reason if known.reason != unread.reason else why
    read = replace(reading, unexplained=()).explanation  # what is not used was said just now
    text = f"I am not sure enough of what it asks: {why}; understood: {read}."
    said = {"confidence": confidence_of(reading), "words": words_of(question, reading)}
    return refuse(text, reading.explanation) | said


def refuse_answer(made: dict[str, Any]) -> dict[str, Any]:
    """That an answer is too unsure to be given: what it would say, and what it leaves out."""
    left = " ".join(each["text"] for each in made["warnings"] if each["code"] == "not_understood")
    read = f"understood: {made['explanation']}" if made["explanation"] else ""
    why = "; ".join(filter(None, (left.rstrip("."), read))) or "it can be read in several ways"
    refused = refuse(f"I am not sure enough of what it asks: {why}.", made["explanation"])
    return refused | {"confidence": made["confidence"], "words": made["words"]}


def refuse_unread(question: str, unread: Unread, tables: Sequence[Table]) -> dict[str, Any]:
    """Why not. Of a question that goes on for pages only the first words are said again."""
    unread = known_columns(unread, tables)
    words = [
        each if len(each) <= _LONGEST else f"{each[:_LONGEST]}…" for each in unread.not_understood
    ]
    more = f", and {len(words) - _SAID:,} more words" if len(words) > _SAID else ""
    said = replace(unread, not_understood=tuple(words[:_SAID]), understood=())
    read = "; ".join(unread.understood[:_SAID])
    text = f"{said}{more}" + (f"; understood: {read}" if read else "")
    return refuse(f"{text}.", read) | {"words": unread_words(question, unread)}


def with_nearest(
    made: dict[str, Any], questions: Sequence[str], tables: Sequence[Table]
) -> dict[str, Any]:
    """A refusal with the questions that can be answered instead; one that names nothing of the
    tables with what they hold."""
    if not questions:
        said = str(made["cannot"]).casefold()
        return with_tables(made, tables) if said.startswith(NOTHING_NAMED) else made
    offered = "; ".join(f'"{each.replace("`", "")}"' for each in questions)
    return {**made, "cannot": f"{made['cannot']} What I can answer: {offered}."}


def with_tables(made: dict[str, Any], tables: Sequence[Table]) -> dict[str, Any]:
    """A refusal with what the tables hold."""
    held = []
    for each in tables[:_TABLES]:
        more = ", …" if len(each.columns) > _COLUMNS else ""
        held.append(f"{each.name} ({', '.join(c.name for c in each.columns[:_COLUMNS])}{more})")
    more = f"; and {len(tables) - _TABLES} more tables" if len(tables) > _TABLES else ""
    return {**made, "cannot": f"{made['cannot']} What there is: {'; '.join(held)}{more}."}


def known_columns(unread: Unread, tables: Sequence[Table]) -> Unread:
    """The same without the words that name columns or tables, which are known: what it is asked
    for does not go with them, because of what they hold or where they are."""
    known: dict[str, str] = {}
    for table in tables:
        known.setdefault(" ".join(split_identifier(table.name)), f"the table {table.name}")
        for column in table.columns:
            known.setdefault(" ".join(split_identifier(column.name)), _holding(column, table))
    said = {word: known.get(" ".join(split_identifier(word)), "") for word in unread.not_understood}
    if not any(said.values()):
        return unread
    left = tuple(word for word in unread.not_understood if not said[word])
    if left or unread.reason != TOO_MUCH_LEFT:
        return replace(unread, not_understood=left)
    held = " and ".join(dict.fromkeys(said.values()))
    reason = f"it cannot be computed as asked of {held}"
    return replace(unread, reason=reason, not_understood=())


def _holding(column: Column, table: Table) -> str:
    of = "numbers" if column.type in ("integer", "real") else f"{column.type} values"
    return f"{column.name} of {table.name}, which holds {of}"


def has_failed(found: Sequence[Mapping[str, Any]]) -> bool:
    return bool(found) and found[-1].get("kind") == "failed"


def refuse_failed(found: Sequence[Mapping[str, Any]], explanation: str = "") -> dict[str, Any]:
    """That what the question means was tried, and why it did not work."""
    said = str(found[-1].get("said", "")) if found else ""
    if own := _OWN_REASON.fullmatch(said):
        return refuse(f"{own['text']}.", explanation)
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
