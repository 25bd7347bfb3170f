"""The kind of answer that a question wants of a text, and which sentences have one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from flows.analysis.functions.meanings import KIN, likeness
from flows.analysis.functions.terms import is_content, terms, word_set
from flows.analysis.language.terms import STOP_WORDS
from flows.analysis.language.words import NUMBER_WORDS

KindName = Literal["money", "span", "quantity", "time", "person", "place", "cause", "open"]

_MONEY_WORDS: Final = (
    r"cost|costs|price|priced|pay|pays|paid|charge|charges|charged|worth|fee|fees|rent|wage|budget"
)
# What a question holds that wants an answer of a kind; the first that is found counts.
_PATTERNS: Final[tuple[tuple[KindName, str], ...]] = (
    ("cause", r"\bwhy\b|\bhow come\b|\bwhat (?:caused?|causes)\b|\b(?:reason|cause) "
              r"(?:for|of)\b|\bwhat(?:'s| is| was| went| goes)(?: the)? "
              r"(?:wrong|matter|trouble|problem)\b"),
    ("money", rf"\bhow (?:much|expensive|dear|cheap)\b.*\b(?:{_MONEY_WORDS})\b"
              rf"|\bwhat\b.*\b(?:{_MONEY_WORDS})\b"),
    ("span", r"\bhow (?:long|soon)\b|\bfor how many\b"),
    ("time", r"\b(?:when|since when|how often)\b|\b(?:what|which) (?:day|date|month|year|week|"
             r"time|hour|season|weekday)\b"),
    ("quantity", r"\bhow (?:much|many|far|fast|quick|quickly|old|heavy|tall|big|large|high|"
                 r"deep|wide|thick|thin|hot|cold|warm|strong|loud|heavily|hard|full|low|wet)\b"),
    ("person", r"\b(?:who|whose|whom)\b"),
    ("place", r"\b(?:where|(?:what|which) (?:place|room|shelf|drawer|building|street|town))\b"),
)  # fmt: skip
_ASKS: Final = tuple((name, re.compile(pattern)) for name, pattern in _PATTERNS)
_COUNTED: Final = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_NUMBER: Final = re.compile(
    rf"\d|\b(?:{_COUNTED}|half|quarter|third|dozen|none|couple|once|twice|double)\b", re.IGNORECASE
)
_MONEY: Final = re.compile(
    r"[$\u20ac\u00a3\u00a5]\s?\d|\d\s?[$\u20ac\u00a3\u00a5]"
    r"|\b(?:euros?|dollars?|pounds?|francs?|cents?|pence|crowns?|eur|usd|gbp|chf)\b"
    r"|\b(?:free of charge|without charge|for free|for nothing|costs? nothing)\b",
    re.IGNORECASE,
)
_UNIT_OF_TIME: Final = (
    r"(?:seconds?|milliseconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|afternoons?"
    r"|mornings?|evenings?|weekends?|seasons?)"
)
_SPAN: Final = re.compile(
    rf"(?:\d|\b(?:{_COUNTED}|half|couple|few|an?|several)\b)[\w\s,.-]{{0,24}}?\b{_UNIT_OF_TIME}\b"
    r"|\buntil\b",
    re.IGNORECASE,
)
_ORDINAL: Final = (
    r"first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|twenty-\w+|thirtieth|thirty-first"
)
_TIME: Final = re.compile(
    r"\b(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|january|february"
    r"|march|april|june|july|august|september|october|november|december|spring|summer|autumn"
    r"|winter|christmas|easter|tomorrow|yesterday|tonight|noon|midnight|weekend|morning|afternoon"
    r"|evening|daily|weekly|monthly|yearly|once|twice|o'clock)\b"
    rf"|\b(?:every|each|next|last|this|in|after|before) (?:\w+ )?{_UNIT_OF_TIME}\b"
    rf"|\bthe (?:{_ORDINAL})\b|\b\d{{1,2}}(?:st|nd|rd|th)\b|\b(?:19|20)\d\d\b|\b\d{{1,2}}[:.]\d\d\b"
    r"|\b\d{1,2} ?(?:am|pm)\b|\b(?:in|by|on|of|until|since) May\b|\bMay \d",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?:in|into|inside|at|on|onto|under|behind|beside|beneath|above|below|near|next to|outside"
    r"|opposite|to|from|between|upstairs|downstairs)\b (?!(?:time|future|general|fact|order)\b)",
    re.IGNORECASE,
)
_CAUSE: Final = re.compile(
    r"\b(?:because|since|due to|owing to|thanks to|reason|caused?|causes|(?:came|comes|come) from"
    r"|as a result|therefore|turned out|found out|fault|culprit|to blame)\b"
    r"|(?:^|[,;:] )(?:it|that|this) (?:was|is) (?:the|a|an)\b",
    re.IGNORECASE,
)
_CAPITAL: Final = re.compile(r"\b[A-Z\u00c0-\u00de][^\W\d_]+")
_NOUN: Final = re.compile(r"\b(?:what|which)(?: kind of| sort of| type of)? ([^\W\d_]+)\b")
# Words that begin a sentence and name nobody, beside those that say little in general.
_BEGINNINGS: Final = word_set("""
    two three four five six seven eight nine ten someone somebody everyone nobody nothing both each
    every another other one new old until after before since because please do don't now today
    here there then yes no mr mrs ms dr
""")


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """What a question wants of a text. `noun` is what an open question names after `what` or
    `which`, else "". `is_needed` says that a sentence without the kind is no answer; a person, a
    place and a cause may be told in words that no rule knows."""

    name: KindName
    noun: str = ""

    @property
    def is_needed(self) -> bool:
        return self.name in ("money", "span", "quantity", "time")

    def is_in(self, sentence: str) -> bool:
        """Whether a sentence has something of the kind; of an open question, its noun."""
        pattern = {
            "money": _MONEY, "span": _SPAN, "quantity": _NUMBER, "time": _TIME, "place": _PLACE,
            "cause": _CAUSE,
        }.get(self.name)  # fmt: skip
        if pattern is not None:
            return pattern.search(sentence) is not None
        if self.name == "person":
            return _names_person(sentence)
        return bool(self.noun) and any(likeness(self.noun, each) >= KIN for each in terms(sentence))


def answer_kind(question: str) -> AnswerKind:
    """The kind that a question wants, told by its question words."""
    low = question.casefold().replace("\u2019", "'")
    name: KindName = next((name for name, each in _ASKS if each.search(low)), "open")
    noun = _NOUN.search(low) if name == "open" else None
    return AnswerKind(name, noun[1] if noun and is_content(noun[1]) else "")


def _names_person(sentence: str) -> bool:
    """Whether a sentence holds a word in capitals that is no beginning of it, or begins with one
    that has a meaning of its own."""
    return any(
        match.group().casefold() not in STOP_WORDS and match.group().casefold() not in _BEGINNINGS
        for match in _CAPITAL.finditer(sentence)
    )
