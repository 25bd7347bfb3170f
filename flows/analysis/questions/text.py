"""The words of a question with their places, and what they may name."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import TypeVar

from flows.analysis.language.phrasebook import ARTICLES, Phrases
from flows.analysis.language.words import Token, singular, tokenize
from flows.analysis.parser import tokens as parsed
from flows.analysis.parser.cursor import Words
from flows.analysis.questions.concepts import CASUAL, COMPOUNDS, GLUED, SAID
from flows.analysis.questions.german import in_english
from flows.analysis.questions.people import is_person
from flows.analysis.questions.spelling import correct
from flows.analysis.questions.vocabulary import NameMatch, Vocabulary
from flows.semantics.query import FieldRef

Meaning = TypeVar("Meaning", bound=Hashable)
_DENIAL = re.compile(r"(\w+)n['\u2019]t")
_KINDS = {"word": "word", "number": "number", "date": "date", "quoted": "text", "mark": "sign"}
# What the money of a row is called behind its noun: `order value`, `invoice amount`.
_WORTHS = frozenset(["value", "amount", "total", "worth", "sum"])
# What may stand behind the name of a measure: `csat score`, `revenue figures`.
_FIGURES = frozenset(
    ["score", "scores", "figure", "figures", "value", "values", "amount", "amounts", "level"]
)
# What stands before `may` or `march` where it is the month.
_BEFORE_MONTHS = frozenset(
    ["in", "of", "during", "since", "until", "till", "for", "from", "before", "after", "through"]
)
# What a year may be that of: `year of construction`.
_MAKINGS = frozenset(
    ["construction", "manufacture", "manufacturing", "production", "birth", "build", "make",
     "release", "publication", "foundation", "purchase", "establishment"]
)  # fmt: skip
_SIGNS = {"$": "dollars", "\u20ac": "euros", "\u00a3": "gbp"}
# What a figure is made of, in brackets.
_STATED = re.compile(
    r"\([^()]*\w (?:times|x|\*|\u00d7|/|divided by|multiplied by|minus|plus) \w[^()]*\)",
    re.IGNORECASE,
)
_KINDS_OF = frozenset(["kind", "type", "sort", "kinds", "types", "sorts"])
_LONGEST_NAME, _LONGEST_VALUE = 4, 6


class Text:
    """The tokens of a question without articles, and the vocabulary of the data.

    `lowers` are the words in small letters, by the place of their token.
    """

    def __init__(self, question: str, vocabulary: Vocabulary) -> None:
        self.question = question
        self.vocabulary = vocabulary
        self.tokens = [
            token
            for each in in_english(tokenize(question), vocabulary.knows)
            for token in _plain(each)
            if token.lower not in ARTICLES
        ]
        money = [each for each, token in enumerate(self.tokens) if token.lower == "money"]
        for place in reversed(money):
            if place - 1 in money:
                del self.tokens[place]  # `$$`
        while self.tokens and self.tokens[-1].lower in ("?", ".", "!"):
            self.tokens.pop()
        self._put_signs_behind()
        self._join()
        # Places of words that were taken for others, with what that costs.
        self.corrected: dict[int, float] = {}
        for place, token in enumerate(self.tokens):
            if (meant := correct(token, vocabulary)) is not None:
                self.tokens[place] = replace(token, lower=meant[0])
                self.corrected[place] = meant[1]
        self.lowers = [each.lower for each in self.tokens]
        self.words = Words([_parsed(each) for each in self.tokens])
        self._names: dict[int, list[tuple[int, NameMatch]]] = {}
        self._nouns: dict[int, list[tuple[int, str, float]]] = {}

    def _put_signs_behind(self) -> None:
        """`$50` as `50 dollars`, and `$5 to $10` as `5 to 10 dollars`."""
        for place in range(len(self.tokens) - 2, -1, -1):
            sign, number = self.tokens[place : place + 2]
            if sign.text not in _SIGNS or number.kind != "number" or sign.end != number.start:
                continue
            behind = [each.lower for each in self.tokens[place + 2 : place + 5]]
            ranged = behind[:1] in (["to"], ["-"], ["and"]) and behind[2:3] == [_SIGNS[sign.text]]
            unit = replace(sign, kind="word", lower=_SIGNS[sign.text], end=number.end)
            self.tokens[place : place + 2] = [number] if ranged else [number, unit]

    def _join(self) -> None:
        """Words that are one made one, where no name of the data has them."""
        for place in range(len(self.tokens) - 1, 0, -1):
            one, other = self.tokens[place - 1 : place + 1]
            meant = COMPOUNDS.get((one.lower, other.lower))
            if meant is None or not (meant[-1] in SAID or self.vocabulary.parts_of(meant[-1])):
                continue
            if any(found.cost < 0.1 for found in self.vocabulary.fields([one.lower, other.lower])):
                continue
            if len(meant) == 1:
                whole = self.question[one.start : other.end]
                self.tokens[place - 1 : place + 1] = [
                    replace(one, text=whole, lower=meant[0], end=other.end)
                ]
            else:
                self.tokens[place] = replace(other, lower=meant[1])

    def __len__(self) -> int:
        return len(self.tokens)

    def sees(self, at: int, *words: str) -> bool:
        """Whether these words stand at a place."""
        return tuple(self.lowers[at : at + len(words)]) == words

    def word(self, at: int) -> str:
        """The word at a place; empty behind the last."""
        return self.lowers[at] if 0 <= at < len(self.lowers) else ""

    def phrase(self, table: Phrases[Meaning], at: int) -> tuple[Meaning, int] | None:
        """What the longest phrase of a table at a place means, and the place behind it."""
        return table.match(self.lowers, at)

    def number(self, at: int) -> float | int | None:
        """The number at a place; None where none stands."""
        token = self.tokens[at] if 0 <= at < len(self.tokens) else None
        if token is None or token.kind != "number" or isinstance(token.value, str | None):
            return None
        return token.value

    def names_month(self, at: int) -> bool:
        """Whether the name of a month at a place is no verb: `may`, `march`."""
        if self.word(at) not in ("may", "march"):
            return True
        asks = at == 0 and self.word(1) in ("i", "we", "you", "they", "it")  # `May I see`
        capital = self.tokens[at].capitalised and not asks
        return capital or self.word(at - 1) in _BEFORE_MONTHS or self.number(at + 1) is not None

    def names(self, at: int) -> Iterator[tuple[int, NameMatch]]:
        """The fields and metrics that the words from a place on may name, each with the place
        behind its words; the longest names first."""
        if at not in self._names:
            self._names[at] = list(self._names_at(at))
        yield from self._names[at]

    def _names_at(self, at: int) -> Iterator[tuple[int, NameMatch]]:
        for end in range(min(at + _LONGEST_NAME, len(self)), at, -1):
            span = self.tokens[at:end]
            if any(each.kind not in ("word", "quoted") for each in span) and not (
                end > at + 1 and self._is_of_year(at, end)
            ):
                continue
            for found in self.vocabulary.fields(self.lowers[at:end])[:4]:
                yield end, found
                if self.word(end) == "of" and self.word(end + 1) in _MAKINGS:
                    yield end + 2, replace(found, cost=found.cost + 0.03)
                if found.role == "measure" and self.word(end) in _FIGURES:
                    yield end + 1, replace(found, cost=found.cost + 0.02)
            if self.word(end) in ("in", "of", "for") and self.names_year(end + 1):
                # `consumption in 2024`, where each year has a column
                for found in self.vocabulary.fields([*self.lowers[at:end], self.word(end + 1)])[:2]:
                    yield end + 2, replace(found, cost=found.cost + 0.01)
            if end == at + 1 and self.lowers[at] in _KINDS_OF and self.word(end) == "of":
                for last, found in self._names_at(end + 1):  # `per kind of cargo`
                    if found.role in ("category", "text"):
                        yield last, replace(found, cost=found.cost + 0.03)
            if end > at + 1 and is_person(self.lowers[at]):
                # `customer ratings`: whose they are says nothing new.
                for found in self.vocabulary.fields(self.lowers[at + 1 : end])[:2]:
                    if found.role == "measure":
                        yield end, replace(found, cost=found.cost + 0.04)
            if end > at + 1 and self.lowers[end - 1] in _WORTHS:
                for dataset, cost in self.vocabulary.noun(self.lowers[at : end - 1]):
                    for found in self._worths(dataset)[:1]:
                        yield end, replace(found, cost=cost + 0.04)
        for begin, dataset, cost in self.nouns(at):
            if self.word(begin - 1) != singular(self.word(begin - 1)):
                continue  # `brews spoiled` is no compound
            # `product category`: the category of products.
            for end in range(min(begin + 2, len(self)), begin, -1):
                for found in self.vocabulary.fields(self.lowers[begin:end])[:4]:
                    if isinstance(found.operand, FieldRef) and found.operand.dataset == dataset:
                        yield end, replace(found, cost=found.cost + cost + 0.01)
                    elif self._leads_on(dataset, found):  # `production line`: of its machine
                        yield end, replace(found, cost=found.cost + cost + 0.04)

    def _is_of_year(self, at: int, end: int) -> bool:
        """Whether tokens are words and one year that stands in names: `consumption 2024`."""
        kinds = [each.kind for each in self.tokens[at:end]]
        if set(kinds) != {"word", "number"} or kinds.count("number") > 1:
            return False
        return self.names_year(at + kinds.index("number"))

    def names_year(self, at: int) -> bool:
        """Whether a year at a place stands in names."""
        year = self.word(at)
        return len(year) == 4 and year.isdecimal() and year in self.vocabulary.parts_of(year)

    def _leads_on(self, dataset: str, found: NameMatch) -> bool:
        """Whether rows of a dataset have a field with just this name, in the row they lead to."""
        home = self.vocabulary.home(found.operand)
        kinds = ("category", "text", "flag")
        return found.cost < 0.05 and found.role in kinds and self.vocabulary.leads(dataset, home)

    def _worths(self, dataset: str) -> list[NameMatch]:
        """The measures that say how much money a row of a dataset stands for."""
        return [
            each
            for each in self.vocabulary.fields(["revenue"])
            if isinstance(each.operand, FieldRef)
            and (each.operand.dataset, each.role) == (dataset, "measure")
        ]

    def is_explained(self, at: int) -> bool:
        """Whether what a word at a place means is told behind it in brackets, as what is made of
        two figures: `customer minutes lost (minutes x households)`."""
        stated = _STATED.search(self.question)
        return stated is not None and self.tokens[at].end <= stated.start()

    def is_bracketed(self, at: int, end: int) -> bool:
        """Whether just these tokens stand in brackets."""
        before = self.question[: self.tokens[at].start].rstrip()
        after = self.question[self.tokens[end - 1].end :].lstrip()
        return before.endswith("(") and after.startswith(")")

    def nouns(self, at: int) -> Iterator[tuple[int, str, float]]:
        """The datasets whose rows the words from a place on call."""
        if at not in self._nouns:
            self._nouns[at] = list(self._nouns_at(at))
        yield from self._nouns[at]

    def _nouns_at(self, at: int) -> Iterator[tuple[int, str, float]]:
        for end in range(min(at + 3, len(self)), at, -1):
            if all(each.kind == "word" for each in self.tokens[at:end]):
                for dataset, cost in self.vocabulary.noun(self.lowers[at:end]):
                    yield end, dataset, cost

    def said(self, at: int, end: int) -> str:
        """The words of tokens in English and in small letters."""
        return " ".join(self.lowers[at:end])

    def raw(self, at: int, end: int) -> str:
        """The text of tokens as it was written, but for words that were written wrong."""
        if any(place in self.corrected for place in range(at, end)):
            return " ".join(self.lowers[at:end])
        return self.question[self.tokens[at].start : self.tokens[end - 1].end]


def _plain(token: Token) -> Iterator[Token]:
    """A word as it would be written with care: `don't` as two words, `ppl` as `people`."""
    denied = _DENIAL.fullmatch(token.lower) if token.kind == "word" else None
    if denied is not None:
        yield replace(token, lower={"ca": "can", "wo": "will"}.get(denied[1], denied[1]))
        yield replace(token, lower="not")
    elif token.lower in GLUED:
        first, second = GLUED[token.lower]
        cut = token.start + len(first)
        yield replace(token, text=token.text[: len(first)], lower=first, end=cut)
        yield replace(token, text=token.text[len(first) :], lower=second, start=cut)
    elif token.lower in CASUAL:
        yield replace(token, kind="word", lower=CASUAL[token.lower])
    elif token.lower in _SIGNS:
        yield replace(token, kind="word", lower="money")
    else:
        yield token


def _parsed(token: Token) -> parsed.Token:
    kind = _KINDS.get(token.kind, "word")
    text = token.lower
    if token.kind == "number":
        text = token.text.replace(",", "") if token.text[:1].isdigit() else str(token.value)
    return parsed.Token(kind, text, token.start, token.end)  # type: ignore[arg-type]
