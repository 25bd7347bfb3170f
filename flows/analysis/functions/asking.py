"""What a question wants of a result: an operation over a list, or a value, and of which field."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from flows.analysis.functions.field_notes import NO_NOTES, FieldNotes
from flows.analysis.functions.hints import hints_of
from flows.analysis.functions.matching import content_words
from flows.analysis.functions.mentions import ValueMention, mentions_of
from flows.analysis.functions.periods import TimePeriod, periods_of
from flows.analysis.functions.terms import word_set
from flows.analysis.language.vocabulary import SUPERLATIVES
from flows.analysis.language.words import singular
from flows.analysis.questions.concepts import form_of, scale_of

Operation = Literal[
    "value", "count", "sum", "average", "maximum", "minimum", "list", "whether", "difference"
]
Comparator = Literal[">", ">=", "<", "<="]

_SUMMED: Final = (
    r"\b(?:total|sum|altogether|combined|in all|together|overall|add(?:s|ed)? up to|sums? up to)\b"
)
_OPERATIONS: Final[tuple[tuple[Operation, str], ...]] = (
    ("difference", r"\b(?:difference|how much (?:more|less|heavier|older|longer|higher|lower))\b"),
    (
        "count",
        r"\bhow many\b|\bhow often\b|\bwhat number of\b"
        r"|(?:^|\b(?:the|a|total|is|what's|give|me|tell)\s+)number of\b|\bcount of\b"
        r"|\bcount (?:the|all)\b|^count\b",
    ),
    ("average", r"\b(?:average|mean|on average|typical(?:ly)?)\b"),
    ("sum", _SUMMED),
    ("whether", r"^(?:is|are|was|were|does|do|did|has|have|can|will) (?!you\b)"),
    ("list", r"^(?:list|name|enumerate|show)\b|\b(?:list (?:of|all)|all (?:the|of the)?)\b"),
)
_NUMERIC: Final = frozenset(["count", "sum", "average", "difference"])
_LOW: Final = word_set("lowest smallest least fewest minimum min shortest lightest")
_HIGH: Final = word_set("highest largest most biggest greatest maximum max top")
_COMPARED: Final = re.compile(
    r"\b(?:(?P<gt>more than|over|above|greater than|exceed(?:s|ing)?|heavier than|longer than|"
    r"higher than|larger than|older than|after|bigger than|beyond)|(?P<ge>at least|no less than|"
    r"not less than|from|since|minimum of)|(?P<lt>less than|under|below|fewer than|lower than|"
    r"lighter than|shorter than|smaller than|before|cheaper than|younger than)|(?P<le>at most|"
    r"no more than|not more than|up to|until|maximum of))\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_TAIL: Final = re.compile(
    r"^\s*(?:[\w\u20ac$%]+\s+)?or\s+(?P<side>more|above|higher|less|below|lower|fewer)\b",
    re.IGNORECASE,
)


# In `the total number of nights` the total is no field.
_TOTAL_NUMBER: Final = re.compile(r"\b(?:total|whole|overall) number\b(?= of\b)", re.IGNORECASE)
# What a question adds on how its answer is given: `..., by name?`, `..., in weeks`.
_GIVEN_AS: Final = re.compile(
    r",\s*(?:going |judged |measured |counted |expressed )?(?:by|in|as)\s+(?:the |its |their )?"
    r"(?:[\w-]+['\u2019]s\s+)?(?P<form>[a-z]+(?: [a-z]+){0,3}?)(?:,? please)?\W*$"
)


@dataclass(frozen=True, slots=True)
class QuestionLimit:
    """A limit on a number or a date that the question sets, with the words around it."""

    comparator: Comparator
    mention: ValueMention


@dataclass(frozen=True, slots=True)
class QuestionIntent:
    """What one question wants.

    `words` are those that may name a field, in order; `hints` are words of keys that its first
    words ask for. `ranking` is the word of a superlative ("heaviest"), `ascending` whether the
    smallest is meant; `first` how many of them. `periods` are the times that it speaks of, `unit`
    is the unit of measure that it asks for. `is_strict` tells whether only a value of the kind that
    the question word names is an answer, `is_money` whether it asks what something costs;
    `given_as` are the words that say in what the answer is given: `by name`, `in weeks`. `notes`
    are what the function of the result that is read says of its fields.
    """

    text: str
    operation: Operation
    words: tuple[str, ...]
    hints: tuple[str, ...] = ()
    ranking: str = ""
    ascending: bool = False
    first: int = 1
    limits: tuple[QuestionLimit, ...] = ()
    periods: tuple[TimePeriod, ...] = ()
    unit: str = ""
    is_strict: bool = False
    is_money: bool = False
    given_as: tuple[str, ...] = ()
    notes: FieldNotes = NO_NOTES

    @property
    def is_person(self) -> bool:
        """Whether it asks for somebody."""
        return self.is_strict and self.hints[:2] == ("name", "person")

    @property
    def is_dated(self) -> bool:
        """Whether it asks for a day, or a year."""
        return self.hints[:1] == ("date",)

    @property
    def is_summed(self) -> bool:
        """Whether it wants the sum of several values, not each of them."""
        return re.search(_SUMMED, self.text.casefold()) is not None

    @property
    def is_numeric(self) -> bool:
        """Whether the answer is a number."""
        low = self.text.casefold()
        return (
            self.operation in _NUMERIC or re.search(r"\bhow (?:much|many|long)\b", low) is not None
        )


def wanted_of(question: str, today: str = "") -> QuestionIntent:
    """What a question wants, told by its form. `last month` counts from `today` (YYYY-MM-DD)."""
    text = question.strip()
    low = text.casefold()
    periods = periods_of(text, today)
    ranking, ascending = _ranking(low)
    operation: Operation = next(
        (name for name, pattern in _OPERATIONS if re.search(pattern, low)), "value"
    )
    if ranking and operation in ("value", "list", "sum"):
        operation = "minimum" if ascending else "maximum"
    hints = hints_of(low)
    if hints.unit and operation == "count":  # the hours of something are no records
        operation = "sum"
    if (
        re.search(r"^(?:which|what|who)\b(?! (?:is|are|was|were) the\b)", low)
        and operation == "value"
    ):
        operation = "list" if re.match(r"(?:which|what) \w+s\b|which of", low) else "value"
    words = content_words(_TOTAL_NUMBER.sub("number", text))
    return QuestionIntent(
        text, operation, words, hints.words, ranking, ascending,
        _first(low, ranking), _limits(text, periods), periods, hints.unit, hints.is_strict,
        hints.is_money, _given_as(text, words, hints.unit),
    )  # fmt: skip


def _given_as(text: str, words: Sequence[str], unit: str) -> tuple[str, ...]:
    """The words of a question that say in what its answer is given, its unit among them."""
    match = _GIVEN_AS.search(text)
    said = content_words(match["form"]) if match else ()
    return tuple(each for each in words if each in said or (unit and singular(each) == unit))


def states_operation(word: str, operation: Operation) -> bool:
    """Whether a word only says what is worked out: the `sum` of the bills, the `typical` length."""
    pattern = dict(_OPERATIONS).get(operation)
    return pattern is not None and re.search(pattern, word) is not None


def _ranking(low: str) -> tuple[str, bool]:
    """The superlative of a question, or the comparative of "which is heavier, A or B", and whether
    it asks for the smallest."""
    compared = re.search(r"\b(?:which|who|what)\b.*\b(?:or|of)\b", low) is not None
    if compared and re.search(r"\b(?:more|less)\b", low) and " than " not in low:
        return ("less", True) if re.search(r"\bless\b", low) else ("more", False)
    for word in re.findall(r"[a-z]+", low):
        if word in _LOW or word in _HIGH:
            return word, word in _LOW
        if word in ("latest", "newest", "earliest", "oldest", "recent") or (
            compared and word in ("later", "newer", "earlier", "older")
        ):
            return word, word in ("earliest", "oldest", "earlier", "older")
        if form_of(word) == 2 or word in SUPERLATIVES or (compared and form_of(word) == 1):
            rising = next((more for _, more in scale_of(word)), True)
            return word, not rising
    return "", False


def _first(low: str, ranking: str) -> int:
    found = re.search(
        r"\b(?:top|first|best) (\d+|two|three|four|five|ten)\b"
        r"|\b(\d+|two|three|four|five|ten) (?:\w+ )?(?:most|least|highest|lowest)\b",
        low,
    )
    if not found or not ranking:
        return 1
    word = found[1] or found[2]
    named = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
    return named.get(word) or int(word)


def _limits(text: str, periods: Sequence[TimePeriod]) -> tuple[QuestionLimit, ...]:
    found: list[QuestionLimit] = []
    for mention in mentions_of(text):
        if mention.kind not in ("number", "date"):
            continue
        if any(mention.overlaps(each.start, each.end) for each in periods):
            continue
        before, after = _COMPARED.search(text[: mention.start]), _TAIL.match(text[mention.end :])
        if before:
            names: dict[str, Comparator] = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
            key = next(name for name in names if before[name])
            found.append(QuestionLimit(names[key], mention))
        elif after:
            upper = after["side"] in ("more", "above", "higher")
            found.append(QuestionLimit(">=" if upper else "<=", mention))
    return tuple(found)
