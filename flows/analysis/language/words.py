"""Text to tokens: words with their places, numbers, dates, quoted text, stems, identifier parts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

# A `name` is put in by the reader: its value is the one table or column that it names. A `slot` is
# put in for words that were read already.
TokenKind = Literal["word", "number", "date", "quoted", "mark", "name", "slot"]

# Words of a question. What is longer is a text, and takes the longer to read.
LONGEST = 120

# How many there are of something, where it is more than one.
COUNTS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
NUMBER_WORDS = {
    "zero": 0, **COUNTS, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100, "once": 1,
    "twice": 2,
}  # fmt: skip
# `more than one` counts; `the one that` does not.
_BEFORE_ONE = frozenset(["than", "least", "exactly", "only", "over", "just"])
SCALES = {"k": 1e3, "thousand": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "bn": 1e9}
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]

_QUOTED = (
    r"\"[^\"]+\"|\u201c[^\u201d]+\u201d|\u2018[^\u2019]+\u2019|(?<![\w'])'[^']+'(?!\w)|`[^`]+`"
)
_DATE = r"\d{4}-\d{1,2}-\d{1,2}(?:[ T]\d{1,2}:\d{2}(?::\d{2})?)?"
_MONTH = "|".join((*MONTHS, *(month[:3] for month in MONTHS), "sept"))
_LONG_DATE = (
    rf"(?P<m1>{_MONTH})\.? (?P<d1>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y1>\d{{4}})"
    rf"|(?P<d2>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m2>{_MONTH})\.?,? (?P<y2>\d{{4}})"
)
# Dates in figures of two places, of which one can only be the day: of others nobody knows.
_FIGURE_DATE = (
    r"(?<![\w/.-])(?:(?P<m3>0[1-9]|1[0-2])[/-](?P<d3>1[3-9]|2\d|3[01])[/-](?P<y3>\d{4})"
    r"|(?P<d4>1[3-9]|2\d|3[01])[/.-](?P<m4>0[1-9]|1[0-2])[/.-](?P<y4>\d{4}))(?![/-])"
)
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_WORD = r"[^\W\d_]+n['\u2019]t\b|[^\W\d_][\w]*(?:[.&][^\W\d_]+)*|\w*[^\W\d_]\w*"
_TOKEN = re.compile(
    rf"(?P<quoted>{_QUOTED})|(?P<date>{_DATE})(?!\w)|(?P<long>(?i:{_LONG_DATE}))(?!\w)"
    rf"|(?P<figures>{_FIGURE_DATE})(?!\w)"
    rf"|(?P<number>-?(?:{_NUMBER})(?![\w])|(?:{_NUMBER})(?=k\b))|(?P<scale>(?<=\d)k\b)"
    rf"|(?P<genitive>['\u2019]s\b|['\u2019](?=\s))|(?P<word>{_WORD})|(?P<mark>[<>!]=?|=|[,;:?.!()%$€£/+-])"
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a question. `lower` is its folded text, `value` that of a number or date."""

    text: str
    start: int
    end: int
    kind: TokenKind
    lower: str
    value: float | int | str | None = None

    @property
    def capitalised(self) -> bool:
        return self.text[:1].isupper()


# Stands where words were that ask for a method of analysis. In a line it is M0.
METHOD_SLOT = Token("M0", 0, 0, "slot", "M0")


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text in order; blanks are dropped and scales join their number."""
    found: list[Token] = []
    for match in _TOKEN.finditer(text):
        if _kind(match) == "genitive":
            continue
        token = _token(match)
        if token.text in "()":
            continue  # what stands in brackets is read as if it did not
        if token.lower == "one" and found and found[-1].lower in _BEFORE_ONE:
            token = Token(token.text, token.start, token.end, "number", "one", 1)
        if (
            found
            and found[-1].kind == "number"
            and (_kind(match) == "scale" or (token.lower in SCALES and len(token.lower) > 1))
        ):
            found[-1] = _scaled(found[-1], token)
            continue
        found.append(token)
    return tuple(found)


def _token(match: re.Match[str]) -> Token:
    raw, start, end = match.group(), match.start(), match.end()
    kind = _kind(match)
    if kind in ("long", "figures"):
        iso = _long_date(match) if kind == "long" else _figure_date(match)
        return Token(raw, start, end, "date", iso, iso)
    if kind == "quoted":
        inner = raw[1:-1].strip()
        return Token(inner, start, end, "quoted", inner.casefold())
    if kind == "date":
        return Token(raw, start, end, "date", raw, raw.replace("T", " "))
    if kind == "number":
        return Token(raw, start, end, "number", raw, number(raw))
    if kind == "mark":
        return Token(raw, start, end, "mark", raw)
    lower = raw.casefold()
    if lower in NUMBER_WORDS:
        return Token(raw, start, end, "number", lower, NUMBER_WORDS[lower])
    return Token(raw, start, end, "word", lower)


def _kind(match: re.Match[str]) -> str:
    kinds = ("quoted", "date", "long", "figures", "number", "scale", "genitive", "word")
    return next((kind for kind in kinds if match[kind] is not None), "mark")


def _long_date(match: re.Match[str]) -> str:
    """`June 21, 2002` or `21st of June 2002` in ISO form."""
    month, day = match["m1"] or match["m2"], match["d1"] or match["d2"]
    place = next(i for i, name in enumerate(MONTHS, 1) if name.startswith(month[:3].casefold()))
    return f"{match['y1'] or match['y2']}-{place:02d}-{int(day):02d}"


def _figure_date(match: re.Match[str]) -> str:
    """`08/30/2015` or `30.08.2015` in ISO form."""
    year, month, day = (match[f"{part}3"] or match[f"{part}4"] for part in "ymd")
    return f"{year}-{month}-{day}"


def _scaled(one: Token, scale: Token) -> Token:
    assert isinstance(one.value, int | float)
    value = one.value * SCALES[scale.lower]
    whole = int(value) if value == int(value) else value
    return Token(f"{one.text} {scale.text}", one.start, scale.end, "number", one.lower, whole)


def number(text: str) -> int | float:
    """The value of a number as people write it: `1,200` or `3.5`."""
    plain = text.replace(",", "")
    return float(plain) if "." in plain else int(plain)


@lru_cache(maxsize=8192)
def singular(word: str) -> str:
    """A word without its plural ending: cities, boxes, wives, names."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes", "uses")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_IRREGULAR = {
    "ids": "id",
    "people": "person", "persons": "person", "children": "child", "men": "man", "women": "woman",
    "feet": "foot", "wives": "wife", "indices": "index", "indexes": "index",
    "criteria": "criterion",
    "series": "series", "species": "species", "news": "news", "houses": "house", "causes": "cause",
    "courses": "course", "nurses": "nurse", "buses": "bus", "matrices": "matrix", "movies": "movie",
    "cookies": "cookie", "purchases": "purchase", "expenses": "expense", "licenses": "license",
    "databases": "database", "releases": "release", "warehouses": "warehouse", "has": "have",
    "statuses": "status", "addresses": "address", "lives": "live", "calories": "calorie",
    "zombies": "zombie", "sizes": "size", "prizes": "prize", "caches": "cache", "axes": "axis",
    "uses": "use", "leaves": "leaf", "knives": "knife", "shelves": "shelf", "bonuses": "bonus",
    "viruses": "virus", "campuses": "campus",
}  # fmt: skip

_ENDINGS = (
    "ational", "ization", "ations", "ation", "ments", "ment", "ings", "ing", "ality", "ities",
    "ity", "ions", "ion", "ance", "ence", "ship", "ness", "ers", "er", "ed", "es", "or", "al",
    "ly", "e", "y", "s",
)  # fmt: skip


@lru_cache(maxsize=8192)
def root(word: str) -> str:
    """What is left of a word without its endings; words of one root are probably of one family."""
    word = singular(word)
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word[-1] == word[-2] else word


_RUNS = re.compile(r"[^\W\d_]+|\d+")


@lru_cache(maxsize=8192)
def split_identifier(name: str) -> tuple[str, ...]:
    """The words of an identifier, singular: `unitPrice`, `unit_price`, `UnitPrices`."""
    parts = [part for run in _RUNS.findall(name) for part in _camel_parts(run)]
    return tuple(singular(part.casefold()) for part in parts) or (name.casefold(),)


def _camel_parts(run: str) -> list[str]:
    """`HTTPCode` to HTTP and Code: a border before a capital that follows or begins a word."""
    borders = [0]
    for place in range(1, len(run)):
        after_small = run[place].isupper() and not run[place - 1].isupper()
        before_small = (
            run[place].isupper()
            and run[place - 1].isupper()
            and run[place + 1 : place + 2].islower()
        )
        if after_small or before_small:
            borders.append(place)
    return [run[a:b] for a, b in zip(borders, [*borders[1:], len(run)], strict=True)]


def near(one: str, other: str) -> bool:
    """Whether two words differ by one letter added, dropped, changed or swapped."""
    if one == other:
        return True
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, tail = one[start:], other[start:]
    if len(rest) == len(tail):
        swapped = (
            len(rest) > 1 and rest[0] == tail[1] and rest[1] == tail[0] and rest[2:] == tail[2:]
        )
        return swapped or rest[1:] == tail[1:]
    return rest[1:] == tail if len(rest) > len(tail) else rest == tail[1:]
