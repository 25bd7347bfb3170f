"""Values of fields in plain sentences, behind the field's name or before it.

`The lead time is forty-five days`, `delivered in 12 boxes`, `designed by Ann Lee`: between a name
and its value stand only words that link them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from flows.analysis.extraction.amounts import amount_in, range_at
from flows.analysis.extraction.cells import FieldReading
from flows.analysis.extraction.fields import NamedField
from flows.analysis.extraction.labels import Labels, LabelSpan, names_of, without_numbering
from flows.analysis.extraction.sizes import amount_before, contained, measured
from flows.analysis.extraction.states import answered
from flows.analysis.extraction.values import is_measured, is_value, value_at
from flows.analysis.language.lexicon import FUNCTION_WORDS

_ARTICLE: Final = r"(?:the|a|an|this|that|our|each|its|their|every|any|all)"
_VERB: Final = (
    r"(?:is|are|was|were|be|been|being|has|have|had|equals?|amounts?|comes?|takes?|took|lasts?|runs?"
    r"|reach(?:es)?|stays?|becomes?|set|fixed|agreed|measured|given|planned|due|scheduled|expected"
    r"|estimated|limited|begins?|starts?|ends?|falls?|means?|needs?|requires?|exceeds?|specified"
    r"|measures?|covers?|holds?|carries|contains?|totals?|provides?|gives?|shows?|lies|stands"
    r"|remains?|costs?|weighs?)"
)
_MODAL: Final = (
    r"(?:(?:must|shall|may|should|will|can|could|need)(?:\s+not\s+(?:be\s+)?(?:exceed|above|over|below"
    r"|under|more than|less than)|\s+(?!not\b)(?:be\s+)?[^\W\d_]+))"
)
_SMALL: Final = (
    r"(?:of|at|to|on|by|from|for|in|up|down|about|around|approx\.?|approximately|roughly|ca\.?|circa"
    r"|some|between|within|until|before|after|over|under|above|below|least|most|more|less|than|no"
    r"|later|only|just|now|currently|usually|always|exactly|nearly|almost|the|a|an|maximum|minimum"
    r"|set|together)"
)
# Of what the name tells: `the weight of a full carton`.
_WHOSE: Final = (
    rf"(?:(?:of|for|by|in|on|at|with|per)\s+(?:{_ARTICLE}\s+)?(?:[^\W\d_][\w'\u2019-]*\s+){{1,3}})"
)
_TO_COLON: Final = re.compile(r"\s+(?:of|for|by|in|on|at|with|per)(?:\s+[^\W\d_]+){1,8}:(?=\s)")
_LINK: Final = re.compile(
    rf"[\s:=]*(?:{_WHOSE}{{1,2}}(?=(?:{_VERB}|{_MODAL}|on|at)\b))?"
    rf"(?:(?:{_MODAL}|{_VERB}|{_SMALL})\b\.?\s*){{0,7}}",
    re.IGNORECASE,
)
# Before a value of words there is less that can stand between.
_NAMING: Final = re.compile(
    r"[\s:=]*(?:(?:is|are|was|were|by|called|named|will be)\s+)?(?:the\s+)?", re.IGNORECASE
)
_BEFORE: Final = re.compile(
    r"\s*(?:(?:of|for|as|are|is|in|on)\s+)?(?:(?:the|a|an|its|first)\s+)?$", re.IGNORECASE
)
_RIGHT_BEFORE: Final = re.compile(r"\s*(?:first\s+)?$", re.IGNORECASE)
_SHORT_NAME: Final = re.compile(r"\b\w{1,4}$")
_NAME_WORD: Final = r"(?:[A-Z\u00c0-\u00de][\w'\u2019&./\u2013-]*|[\w/-]*\d[\w/.-]*)"
_NAME: Final = re.compile(
    rf"{_NAME_WORD}(?:\s+(?:(?:&|of|de|da|do|du|la|le|van|von|der|di|del|y|e)\s+)+(?=[A-Z\u00c0-\u00de])"
    rf"{_NAME_WORD}|\s+{_NAME_WORD})*"
)
_NAMED_AS: Final = r"\s*(?:,\s+(?:the|our|its)\s+|\((?:the|hereinafter)?\s*[\"\u201c\u201e]?)"
# Words before a name by which it is that of something else, and others that change nothing.
_NOT_NOW: Final = frozenset({
    "previous", "former", "old", "earlier", "prior", "past", "last", "first", "next", "other",
    "another", "no", "not", "without",
})  # fmt: skip
_SAME: Final = frozenset({
    "total", "overall", "relative", "exact", "current", "new", "agreed", "actual", "final",
    "nominal", "rated", "average", "mean", "usual", "plus", "minus", "with", "has", "have", "given",
    "includes", "requires", "allow", "shows",
})  # fmt: skip


class FieldStatements:
    """What sentences state about fields."""

    def __init__(self, labels: Labels) -> None:
        self._labels = labels
        self._answers = [each for each in labels.fields if each.type == "boolean"]
        self._numbers = [each for each in labels.fields if each.type in ("number", "integer")]

    def readings(self, sentence: str) -> list[FieldReading]:
        """The values of a sentence, each of one field."""
        sentence = without_numbering(sentence)
        found: list[FieldReading] = []
        spans = self._labels.spans(sentence)
        for at, span in enumerate(spans):
            end = spans[at + 1].start if at + 1 < len(spans) else len(sentence)
            if not span.counted and not _is_other(sentence, span):
                colon = _TO_COLON.match(sentence, span.end)
                found += _behind(sentence[span.end : end], span) or (
                    _behind(sentence[colon.end() :], span) if colon else []
                )
        done = {each.field.name for each in found}
        taken = {each.value for each in found}
        for span in spans:
            if span.field.name not in done and not span.end_of:
                found += [e for e in _before(sentence, span) if e.value not in taken]
        found += measured(sentence, self._numbers)
        found += contained(sentence, self._numbers)
        found += answered(sentence, self._answers)
        first: dict[str, FieldReading] = {}
        for each in found:
            first.setdefault(each.field.name, each)
        return list(first.values())


def _behind(rest: str, span: LabelSpan) -> list[FieldReading]:
    """The value behind the name of a field, with words between that link them."""
    field = span.field
    if field.type in ("list", "boolean"):
        return []
    if field.type == "text" and not field.values:
        return _named(rest, span)
    link = _LINK.match(rest)
    at = link.end() if link else 0
    for place in _places(rest, at):
        if span.end_of:
            if found := _ends(rest[place:], span):
                return found
        elif value := value_at(rest[place:], field):
            return [FieldReading(field, value)]
    return []


def _ends(text: str, span: LabelSpan) -> list[FieldReading]:
    """The lowest and the highest value of a range that a text begins with."""
    found = range_at(text)
    if found is None:
        return []
    low, high, _ = found
    said = (amount_in(low.text) or low.number, amount_in(high.text))
    pairs = zip((span.field, span.end_of), said, strict=True)
    return [
        FieldReading(field, value)
        for field, value in pairs
        if field and value and is_value(value, field)
    ]


def _named(rest: str, span: LabelSpan) -> list[FieldReading]:
    """A name or a code behind the name of a field of text."""
    field = span.field
    if _SHORT_NAME.search(span.text):
        rest = rest.removeprefix(".")  # of a short form: `Policy no. 7`
    link = _NAMING.match(rest)
    at = link.end() if link else 0
    endings = {each.split()[-1].casefold() for each in names_of(field) if each.split()}
    if (word := re.match(r"\s*([a-z]+)\s+", rest)) and word[1] in endings:
        at = word.end()  # the name itself ends so: `tested to`
    name = _NAME.match(rest, at)
    value = name[0].rstrip(".,;:/") if name else ""
    return [FieldReading(field, value)] if len(value) > 1 else []


def _before(sentence: str, span: LabelSpan) -> list[FieldReading]:
    """The value before the name of a field: `in 12 boxes`, `7 kg net weight`."""
    field, text = span.field, sentence[: span.start]
    if field.type == "text" and not field.values:
        return _called(text, field)
    if field.type not in ("number", "integer"):
        return []
    amount = amount_before(text, _BEFORE if field.unit else _RIGHT_BEFORE)
    fits = bool(amount) and is_measured(amount, field) and is_value(amount, field)
    return [FieldReading(field, amount)] if fits else []


def _called(text: str, field: NamedField) -> list[FieldReading]:
    """A name before what it is called: `Meridian Ltd (the "Client")`, `Ann Lee, the designer`."""
    opening = re.search(_NAMED_AS + "$", text)
    if opening is None:
        return []
    before = text[: opening.start()].rstrip()
    names = [each[0] for each in _NAME.finditer(before) if each.end() == len(before)]
    return [FieldReading(field, names[-1])] if names else []


def _is_other(sentence: str, span: LabelSpan) -> bool:
    """Whether a word before the name makes it that of something else: `the previous price`."""
    before = sentence[: span.start].rstrip()
    words = re.findall(r"[^\W_]+", before)
    if not words or not before[-1].isalnum() or words[-1].isdigit():
        return False
    word = words[-1].casefold()
    if word in _NOT_NOW:
        return True
    if word in FUNCTION_WORDS or word in _SAME or len(word) == 1:
        return False
    is_verb = word.endswith("s") and len(words) > 1 and words[-2].casefold() not in FUNCTION_WORDS
    return not is_verb


def _places(text: str, at: int) -> Iterator[int]:
    """Where a value may begin: behind the words of a link, or at one of the last of them, as in
    `a hundred` and `at most 5`."""
    yield at
    starts = [each.start() for each in re.finditer(r"\S+", text[:at])]
    yield from reversed(starts)
