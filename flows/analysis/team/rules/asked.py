"""What a question wants, as far as the words of it say: a kind, names of columns, values."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from flows.analysis.language.lexicon import FUNCTION_WORDS
from flows.analysis.language.words import root, split_identifier
from flows.analysis.team.goals.kinds import Kind, kinds_of

_ACTS: Final = re.compile(
    r"\b(?:improv|increas|rais|boost|optimi[sz]|enhanc|reduc|lower|decreas|cut|minimi[sz]|maximi[sz]"
    r"|strengthen|shorten)\w*",
    re.IGNORECASE,
)
_LESS: Final = re.compile(r"\b(?:reduc|lower|decreas|cut|minimi[sz]|shorten)\w*", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W_]+")
# What a word is worth that the question has in full and a name only in short.
_SHORT_FOR: Final = 0.9
_SHORTEST_VALUE: Final = 2
_NAME: Final = re.compile(r'"([^"\n]+)"')
_VALUE: Final = re.compile(r"(?<![\w'])'([^'\n]{1,80})'(?!\w)")
_BOUND: Final = re.compile(
    r'\bwhere "(?P<column>[^"\n]{1,80})" is (?P<bound>(?:at most|at least|more than|less than) '
    r"-?[\d.,]*\d)"
)
_VERBS: Final = (
    ("increas", "increase"), ("rais", "raise"), ("boost", "boost"), ("maximi", "increase"),
    ("reduc", "reduce"), ("lower", "lower"), ("decreas", "decrease"), ("cut", "cut"),
    ("minimi", "reduce"), ("strengthen", "strengthen"), ("shorten", "shorten"),
)  # fmt: skip
_LOW: Final = re.compile(
    r"\b(?:lowest|smallest|least|fewest|worst|bottom|minimum|slowest|poorest)\b", re.I
)
_HIGH: Final = re.compile(
    r"\b(?:highest|largest|biggest|greatest|most|best|top|maximum|fastest|richest)\b", re.I
)
_MONTHS: Final = re.compile(
    r"(?:jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|q[1-4]|mon|tue|wed|thu|fri|sat|sun)"
    r"(?:[a-z]*)(?: \d+)?$",
    re.IGNORECASE,
)
# A name behind one of these, at the end of a phrase: `of Location 22`, `for Marsh Ltd`.
_PLACED: Final = re.compile(
    r"\b(?:of|for|at|in) (?:the )?"
    r"(?P<name>[A-Z][\w&-]*(?: (?:[A-Z][\w&-]*|\d+))*|[a-z]+ \d+)(?=[\s?.,!;]|$)"
)
# A name with a number, wherever it stands; `Top 5` counts and names nothing.
_NUMBERED: Final = re.compile(r"(?<=\w )[A-Z][\w&-]*(?: [A-Z][\w&-]*)* \d+\b")
_COUNTED: Final = re.compile(r"(?:top|bottom|first|last|best|worst|year|the) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a question or task. `roots` are of its words that carry content; `acts` says
    that it wants to change something, `wants_less` that there should be less of it."""

    text: str
    kinds: tuple[Kind, ...]
    acts: bool
    wants_less: bool
    roots: frozenset[str]

    @classmethod
    def of(cls, text: str) -> Asked:
        acts, less = bool(_ACTS.search(text)), bool(_LESS.search(text))
        return cls(text, kinds_of(text), acts, less, frozenset(_roots(text)))

    @property
    def kind(self) -> Kind:
        """The likeliest kind of answer."""
        return self.kinds[0]

    def share_of(self, name: str) -> float:
        """Which part of the words of a name the question has."""
        words = _content(name)
        return sum(map(self._has, words)) / len(words) if words else 0.0

    def _has(self, word: str) -> float:
        if word in self.roots:
            return 1.0
        return _SHORT_FOR if self.full_word(word) else 0.0

    def full_word(self, word: str) -> str:
        """The word that a short one of a name stands for, as `pop` for population; "" for none."""
        if not 3 <= len(word) <= 4:
            return ""
        longer = (match[0] for match in _WORD.finditer(self.text))
        fitting = (e.casefold() for e in longer if len(e) >= len(word) + 3)
        return next((each for each in fitting if each.startswith(word)), "")

    def capitals(self, word: str) -> str:
        """The word where the question writes it in capitals; "" where it does not."""
        found = (match[0] for match in _WORD.finditer(self.text))
        return next((e for e in found if e.isupper() and e.casefold() == word and len(e) > 1), "")

    def place_of(self, name: str) -> int:
        """Where the question first has a word of the name; its end for none."""
        words = {*_content(name), *(root(self.full_word(each)) for each in split_identifier(name))}
        starts = (m.start() for m in _WORD.finditer(self.text) if root(m[0].casefold()) in words)
        return next(starts, len(self.text))

    def has_value(self, value: object) -> bool:
        """Whether a text stands in the question as whole words."""
        if not isinstance(value, str) or len(value.strip()) < _SHORTEST_VALUE:
            return False
        words = re.escape(" ".join(value.split()).casefold())
        return re.search(rf"(?<!\w){words}(?!\w)", self.text.casefold()) is not None

    def quoted(self) -> list[str]:
        """The names that a task sets in double quotes."""
        return list(dict.fromkeys(_NAME.findall(self.text)))

    def values(self) -> list[str]:
        """The values that a task sets in single quotes."""
        return list(dict.fromkeys(_VALUE.findall(self.text)))

    @property
    def condition(self) -> tuple[str, str]:
        """The column and the bound of the part that a task is of, as (`hours`, `at most 9`)."""
        found = _BOUND.search(self.text)
        return (found["column"], found["bound"]) if found else ("", "")

    def verb(self) -> str:
        """What it wants to do, as a plain verb."""
        found = _ACTS.search(self.text)
        word = found[0].casefold() if found else ""
        return next((verb for stem, verb in _VERBS if word.startswith(stem)), "improve")

    @property
    def end(self) -> str:
        """Which end of an order it asks for: `high`, `low`, or "" for none."""
        low, high = _LOW.search(self.text), _HIGH.search(self.text)
        if low and (not high or low.start() < high.start()):
            return "low"
        return "high" if high else ""

    def placed(self) -> str:
        """The name of the one that it asks about, as it writes it; "" where it names none."""
        found = [match["name"] for match in _PLACED.finditer(self.text)]
        found = [each for each in found if not _MONTHS.match(each)]
        numbered = [match[0] for match in _NUMBERED.finditer(self.text)]
        found = [e for e in numbered if not _MONTHS.match(e) and not _COUNTED.match(e)] + found
        return found[-1] if found else ""


def best_named(asked: Asked, names: Iterable[str]) -> list[str]:
    """Those of the names that a question has whole, in the order in which it has them; a name that
    is a part of a longer one that it has too is left out."""
    shares = {each: asked.share_of(each) for each in names}
    whole = [e for e in shares if shares[e] == 1.0] or [e for e in shares if shares[e] > 0.85]
    words = {each: set(split_identifier(each)) for each in whole}
    kept = [a for a in whole if not any(words[a] < words[b] for b in whole)]
    return sorted(kept, key=lambda each: (asked.place_of(each), -len(words[each])))


def _content(name: str) -> list[str]:
    """The roots of a name's words, without those that carry no content if others are left."""
    words = split_identifier(name)
    return [root(each) for each in words if each not in FUNCTION_WORDS] or [*map(root, words)]


def _roots(text: str) -> Sequence[str]:
    words = [match[0].casefold() for match in _WORD.finditer(text)]
    return [root(each) for each in words if each not in FUNCTION_WORDS]


def wanted(asked: Asked, names: Sequence[str]) -> list[str]:
    """The names that the question speaks of, most of all first; all of them where it has none."""
    shares = {each: asked.share_of(each) for each in names}
    most = max(shares.values(), default=0.0)
    kept = [each for each in names if shares[each] >= most / 2]
    return sorted(kept, key=lambda each: -shares[each])
