"""Names of the data, and words that ask: fields, metrics, rows, `who`, `which`."""

from __future__ import annotations

from collections.abc import Iterator

from flows.analysis.language.lexicon import (
    FUNCTION_WORDS,
    OPERATION_WORDS,
)
from flows.analysis.language.phrasebook import (
    Phrases,
)
from flows.analysis.language.words import split_identifier
from flows.analysis.questions.parts import (
    AskedPart,
    NamedPart,
    NounPart,
    PlacedPart,
)
from flows.analysis.questions.people import doers_of, does
from flows.analysis.questions.phrases.ratios import is_any_one
from flows.analysis.questions.phrases.skips import FORM_WORD
from flows.analysis.questions.text import Text
from flows.semantics.query import FieldRef

_ASKED: Phrases[str] = Phrases({
    "who": "who|whose|whom", "which": "which|what|whats", "when": "when|what day|which day",
    "where": "where",
})  # fmt: skip

_MOST = frozenset(["most", "least", "fewest", "highest", "lowest"])
_OPENING = frozenset(
    [",", ":", "are", "is", "list", "show", "name", "give", "find", "which", "what"]
)
_SPENDING = frozenset(["spend", "spends", "spent"])
_AUXILIARIES = frozenset(["do", "does", "did", "have", "has", "would", "can", "could", "will"])
_BETWEEN = frozenset(["does", "do", "did", "is", "are", "was", "were", "he", "she", "or", "they",
                      "it", "this", "that", "person", "customer"])  # fmt: skip
_LIVING = frozenset(
    ["live", "lives", "lived", "located", "based", "stay", "reside", "from", "come"]
)
_PLACES = ("city", "town", "country", "location", "place", "district", "region")
_WHETHER = frozenset(["do", "does", "did", "is", "are", "was", "were", "has", "have", "can", "any"])


def read_name(text: Text, at: int) -> Iterator[PlacedPart]:
    """A field, a metric, or the rows of a dataset."""
    rather_divided = 0.06 if is_any_one(text, at) else 0.0
    for end, dataset, cost in text.nouns(at):
        yield PlacedPart(NounPart(dataset), at, end, cost + rather_divided)
    word = text.word(at)
    for end, found in text.names(at):
        if word in _SPENDING and list(text.nouns(at - 1)) and at > 0:
            continue  # what customers spend is no cost
        if found.role == "time" and found.cost > 0 and text.vocabulary.states.is_open(word):
            continue  # the open ones are not asked for when they were opened
        usual = end == at + 1 and (word in FUNCTION_WORDS or word in OPERATION_WORDS)
        if not usual or found.cost == 0.0:
            # A column of yes and no rather says that it is so.
            extra = (0.3 if usual else 0.0) + (0.03 if found.role == "flag" else 0.0)
            extra += 0.15 * _describes(text, found.role, at, end)
            yield PlacedPart(NamedPart(found.operand), at, end, found.cost + extra)


def _describes(text: Text, role: str, at: int, end: int) -> bool:
    """Whether a time rather says in which state the rows behind it are: `closed tickets`."""
    if role != "time" or end != at + 1 or next(text.nouns(end), None) is None:
        return False
    return text.vocabulary.states.may_begin(text.word(at))


def read_question_word(text: Text, at: int) -> Iterator[PlacedPart]:
    yield from _place(text, at)
    if text.word(at) == "what" and text.word(at + 1) in _AUXILIARIES:
        yield PlacedPart(AskedPart("what"), at, at + 1)  # `what do people earn` asks for no people
        return
    begins = at == 0 or text.word(at - 1) in _OPENING
    first = text.number(at) if begins else None
    named = any(True for _ in text.nouns(at + 1)) or any(True for _ in text.names(at + 1))
    if isinstance(first, int) and 1 < first <= 1000 and named and _MOST & set(text.lowers[at:]):
        # `5 items with the most orders`, `for each region, the 2 products with`
        yield PlacedPart(AskedPart("which", n=first), at, at + 1, 0.05)
    if (found := text.phrase(_ASKED, at)) is not None:
        end = found[1]
        yield PlacedPart(AskedPart(found[0]), at, end)  # type: ignore[arg-type]
        n = text.number(end)
        if isinstance(n, int) and 1 < n <= 1000:
            yield PlacedPart(AskedPart(found[0], n=n), at, end + 1)  # type: ignore[arg-type]
        if found[1] > at + 1 and text.word(at) in ("which", "what"):
            yield PlacedPart(AskedPart("which"), at, at + 1)  # `which day of the week`
        if text.word(at) in ("which", "what"):
            yield from _making(text, at, end)
        if found[0] == "who":
            end += text.word(end) in ("is", "was", "are", "were", "has", "did", "does")
            if doers := doers_of(text.word(end)):
                last = end + 1 + (text.word(end + 1) in ("for", "of", "on", "after"))
                yield PlacedPart(AskedPart("who", doers), at, last)
    elif at == 0 and text.word(0) in _WHETHER:
        yield PlacedPart(AskedPart("whether"), 0, 1, FORM_WORD)


def _making(text: Text, at: int, begin: int) -> Iterator[PlacedPart]:
    """`which company built it`: the field that names who does what the verb says."""
    for end, found in text.names(begin):
        doers = doers_of(text.word(end))
        named = found.operand if found.role in ("category", "text") else None
        if isinstance(named, FieldRef) and does(split_identifier(named.field), doers):
            yield PlacedPart(NamedPart(found.operand), at, end + 1, found.cost)


def _place(text: Text, at: int) -> Iterator[PlacedPart]:
    """`where does he live`: the place of what is spoken of."""
    if text.word(at) != "where":
        return
    end = at + 1
    while text.word(end) in _BETWEEN:
        end += 1
    if text.word(end) not in _LIVING:
        return
    for word in _PLACES:
        for found in text.vocabulary.fields([word])[:3]:
            if isinstance(found.operand, FieldRef) and found.cost < 0.3 and found.role != "measure":
                cost = 0.03 + 0.02 * _PLACES.index(word) + found.cost
                yield PlacedPart(NamedPart(found.operand), at, end + 1, cost)
