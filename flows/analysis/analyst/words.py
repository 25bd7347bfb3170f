"""How each word of a question was read, with its place in the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import Token, tokenize
from flows.analysis.linking.links import Link
from flows.analysis.methods.detection import ask_study
from flows.analysis.reading.reader import Reading, Unread


def words_of(question: str, reading: Reading) -> list[dict[str, Any]]:
    """The words that name something, in their order, and after each what is left unexplained.

    Each has `text`, its `start` and `end` in the question, the `reading`, a `score` from 0 to 1
    and a `reason`.
    """
    tokens = tokenize(question)
    links = [each for each in reading.links if each.start < each.end <= len(tokens)]
    found = [_word(question, tokens, each) for each in links]
    taken = {place for each in links for place in range(each.start, each.end)}
    return sorted(
        [*found, *_unexplained(tokens, taken, reading)], key=lambda each: int(each["start"])
    )


def unread_words(question: str, unread: Unread) -> list[dict[str, Any]]:
    """The words that nothing explains, of a question that was not read."""
    return words_left_out(question, unread.not_understood)


def words_left_out(question: str, left_out: Sequence[str]) -> list[dict[str, Any]]:
    """These words where they stand in a question, as not used."""
    left = {word.casefold() for text in left_out for word in text.split()}
    return [
        _unused(token)
        for token in tokenize(question)
        if token.kind != "mark" and token.text.casefold() in left
    ]


def asking_words(question: str) -> set[str]:
    """The words by which a question asks for a study; empty when its form alone does."""
    ask = ask_study(question)
    if ask is None:
        return set()
    left = {token.lower for token in tokenize(ask.rest)}
    return {token.lower for token in tokenize(question) if token.kind == "word"} - left


def named_words(reading: Reading) -> set[str]:
    """The words that name a table, a column or a value in a reading."""
    named = [each for each in reading.links if each.kind != "literal"]
    return {token.lower for each in named for token in tokenize(each.text)}


def needs_no_study(question: str, reading: Reading | Unread) -> bool:
    """Whether the words that ask for a statistic are names of the data in a query that explains
    every other word too: the `project staff` is not to be projected."""
    if isinstance(reading, Unread) or reading.unexplained:
        return False
    asked = asking_words(question)
    return bool(asked) and asked <= named_words(reading)


def _word(question: str, tokens: Sequence[Token], each: Link) -> dict[str, Any]:
    start, end = tokens[each.start].start, tokens[each.end - 1].end
    return {
        "text": question[start:end],
        "start": start,
        "end": end,
        "reading": each.meaning,
        "score": round(each.score, 4),
        "reason": each.reason,
    }


def _unexplained(
    tokens: Sequence[Token], taken: set[int], reading: Reading
) -> Iterator[dict[str, Any]]:
    left = set(reading.unexplained)
    for place, token in enumerate(tokens):
        if place in taken or token.kind == "mark":
            continue
        unused = token.text in left or token.lower in left
        if not unused and token.lower in FUNCTION_WORDS:
            continue
        if unused:
            yield _unused(token)
        else:
            said = {"reading": "a word of the question's form", "score": 1.0, "reason": "grammar"}
            yield {"text": token.text, "start": token.start, "end": token.end, **said}


def _unused(token: Token) -> dict[str, Any]:
    said = {"reading": "not used", "score": 0.0, "reason": "nothing explains it"}
    return {"text": token.text, "start": token.start, "end": token.end, **said}
