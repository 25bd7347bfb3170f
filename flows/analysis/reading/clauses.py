"""Where a question holds a question of its own: spans of tokens, found by general English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from flows.analysis.language.words import Token
from flows.analysis.reading.placeholder import Phrase, Quantity, placeholder_token, words

Tokens = tuple[Token, ...]


@dataclass(frozen=True)
class Line:
    """Tokens as one text of words in which expressions are found."""

    tokens: Tokens
    text: str
    starts: tuple[int, ...]

    @classmethod
    def of(cls, tokens: Sequence[Token]) -> Line:
        pieces = [token.lower.replace(" ", "_") or "_" for token in tokens]
        starts = tuple(accumulate((len(piece) + 1 for piece in pieces), initial=0))
        return cls(tuple(tokens), " ".join(pieces) + " ", starts)

    def place(self, offset: int) -> int:
        """The number of the token that begins at or after an offset in the text."""
        return next((i for i, start in enumerate(self.starts) if start >= offset), len(self.tokens))


def plain(tokens: Sequence[Token]) -> Tokens:
    """The tokens with `don't` as two words."""
    found: list[Token] = []
    for token in tokens:
        lower = token.lower.replace("\u2019", "'")
        if token.kind == "word" and lower.endswith("n't"):
            stem = {"can't": "can", "won't": "will"}.get(lower, lower[:-3])
            found += words(f"{stem} not")
        else:
            found.append(token)
    return tuple(found)


_DET = r"(?:(?:the|its|their|overall|what|general|that of|those of|that|those) )*"
_AGG = (
    r"(?:average|mean|median|maximum|minimum|max|min|total|sum|highest|lowest|largest|smallest|"
    r"greatest|least|biggest)"
)
_QUANT = (
    r"(?P<quant>all|every|each|any|either|some|at least one|one of|any one|at least some|"
    r"at least 1)(?: at least one| \( [a-z0-9 ]+ \))?(?: of)?(?: the)?(?: other)?"
)
_EST = r"(?:most|least|\w{3,}est|first|last|latest)"
# What comes before a thing that something is compared with.
_THAN = (
    r"(?:than|then|tahn|above|below|over|under|exceeds?|exceeding|exceeded|before|after|beyond|"
    r"equals?|equal to|as \w+ as)"
)
_PHRASES: tuple[tuple[str, str], ...] = (
    ("aggregate", rf"{_DET}(?P<agg>{_AGG}) "),
    ("quantified", rf"(?P<of>(?:the )?(?:\w+ ){{1,3}}of )?(?:that |those )?{_QUANT} "),
    ("one", rf"(?:the |that of the |those of the )(?P<est>{_EST}) "),
    ("one", r"(?P<of>(?:the (?:\w+ ){1,2}of )|that of |those of )"),
    ("one", r"(?:(?=the number of )|(?=the count of ))"),
)
_ENDS = re.compile(
    r"(?<!\S)(?:and|but|or|,|sorted|ordered|order|sort|grouped|for (?:each|every)|per|"
    r"in (?:asc|desc)\w*|along|together|arranged|list|show|give|return)(?!\S)"
)
_SAID = re.compile(r"(?:(?!(?:of|for|in|across|among) (?:all|every|the|each)(?!\S))\S+ )+")
_STOP = re.compile(r"(?<!\S)[.?!;](?= |$)")


def compared(line: Line) -> Iterator[tuple[Tokens, float]]:
    """The question with a number for each phrase that something may be compared with."""
    for than in re.finditer(rf"(?<!\S){_THAN} ", line.text):
        for kind, pattern in _PHRASES:
            found = re.compile(pattern).match(line.text, than.end())
            if not found or re.match(r"\d", line.text[than.end() :]):
                continue
            yield from _cut(line, than.end(), kind, found)
            break


def _cut(line: Line, start: int, kind: str, found: re.Match[str]) -> Iterator[tuple[Tokens, float]]:
    stop = _STOP.search(line.text, start)
    last = stop.start() if stop else len(line.text)
    ends = [last, *(m.start() for m in _ENDS.finditer(line.text, found.end(), last))][:3]
    if kind == "aggregate" and found.end() < last:
        ends.append(found.end())
    first = line.place(start)
    for end in ends:
        until = line.place(end)
        body, quantity, doubt = _phrase(line, until, kind, found)
        if not body:
            continue
        token = placeholder_token(Phrase(quantity, body))
        yield (*_before(line, first), token, *line.tokens[until:]), doubt
        if kind == "aggregate" and first > 2:
            # `more than the average number of C`: what is compared is said only once.
            said = _SAID.match(line.text, found.end(), end)
            column = line.tokens[line.place(found.end()) : line.place(said.end())] if said else ()
            before, than = line.tokens[: first - 2], _before(line, first)[-2:]
            if column:
                named = (*before, *words("with"), *column, *than, token)
                yield (*named, *line.tokens[until:]), doubt + 0.1


def _before(line: Line, first: int) -> Tokens:
    """The tokens before a phrase, with `then` written as it is meant."""
    if line.tokens[first - 1].lower in ("then", "tahn", "thn"):
        return (*line.tokens[: first - 1], *words("than"))
    return line.tokens[:first]


def _phrase(
    line: Line, until: int, kind: str, found: re.Match[str]
) -> tuple[Tokens, Quantity, float]:
    if kind == "aggregate":
        return line.tokens[line.place(found.start("agg")) : until], "aggregate", 0.0
    if kind == "quantified":
        some = found["quant"] in ("some", "at least one", "one of", "any one", "at least some",
                                  "at least 1")  # fmt: skip
        # `older than any X` is said for both; than all of them is meant more often.
        doubt = 0.1 if found["quant"] in ("any", "either") else 0.0
        return line.tokens[line.place(found.end()) : until], "some" if some else "every", doubt
    after = found.end() if "of" in found.re.groupindex else found.start()
    return line.tokens[line.place(after) : until], "one", 0.1


@dataclass(frozen=True, slots=True)
class Negation:
    """A clause that denies: the question without it, what it denies, the word before it."""

    rest: Tokens
    denied: Tokens
    before: Tokens
    joined: bool


_WHO = (
    r"(?:(?:that|which|who|whom|where|whose|in which|for which|on which|at which|those|ones|"
    r"there|to which) )*"
)
_AUX = r"(?:(?:do|does|did|have|has|had|is|are|was|were|can|could|will|be|been|being) )*"
_DENIALS = re.compile(
    rf"(?<!\S)(?P<and>(?:and|but|, and|, but|,) )?"
    rf"(?:{_WHO}{_AUX}(?:not|never) (?:(?:yet|ever|even|have|has|been|had|be|got|get|having|"
    rf"currently|actually|being) )*"
    rf"|{_WHO}{_AUX}(?:(?:has|have|had|with|having) )*(?:without|lack|lacks|lacking|no|zero|"
    r"none of the) "
    rf"|{_WHO}{_AUX}free of "
    rf"|(?:except|excluding|except for|other than) (?:for )?(?:those|the ones|these) "
    rf"(?:that |which |who |whose )*{_AUX}"
    r")(?:(?:any|a|an|the|single|one|of|listed) )*"
)
_MORE = re.compile(
    r"(?<!\S)(?:and|,|but|sorted|ordered|order|sort|for (?:each|every)|in (?:asc|desc)\w*)(?!\S)"
)


# `in which C has never reached N`, `whose C was always below N`: what is denied is said around it.
_AROUND = re.compile(
    r"(?<!\S)(?:that|whose|where|in which|for which|of which|with|which) (?:(?:have|has|had) )*"
    r"(?P<x>(?!have|has|had|is|was|are|were|do|does|did)(?:(?!always|never|that|which)\S+ ){1,6}?)"
    rf"(?:(?:that|which) )?{_AUX}(?P<how>always|never) {_AUX}"
)


def _around(line: Line) -> Iterator[Negation]:
    for found in _AROUND.finditer(line.text):
        stop = _STOP.search(line.text, found.end())
        last = stop.start() if stop else len(line.text)
        start, until = line.place(found.start()), line.place(last)
        thing = line.tokens[line.place(found.start("x")) : line.place(found.end("x"))]
        told = line.tokens[line.place(found.end()) : until]
        if start and told:
            other = words("not") if found["how"] == "always" else ()
            rest = (*line.tokens[:start], *line.tokens[until:])
            yield Negation(rest, (*thing, *other, *told), line.tokens[:start], False)


def denials(line: Line) -> Iterator[Negation]:
    """The clauses of a question that deny something, each up to the places where it may end."""
    yield from _around(line)
    for found in _DENIALS.finditer(line.text):
        stop = _STOP.search(line.text, found.end())
        last = stop.start() if stop else len(line.text)
        ends = [last, *(m.start() for m in _MORE.finditer(line.text, found.end(), last))][:2]
        start, first = line.place(found.start()), line.place(found.end())
        for end in ends:
            until = line.place(end)
            denied = line.tokens[first:until]
            if denied and start:
                rest = (*line.tokens[:start], *line.tokens[until:])
                yield Negation(rest, denied, line.tokens[:start], bool(found["and"]))
