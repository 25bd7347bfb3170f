"""Where a text names columns of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from flows.data.tables import Column, Table, plain_name

# Words that texts of tasks use for other things than a column that is called so.
_USUAL_TEXT: Final = """
    id ids date day class classes name names type value values time count number data test train
    target label labels y x score index row rows column group status result year month week sample
    file model text title key feature features order set code level state
"""
_USUAL: Final = frozenset(_USUAL_TEXT.split())
_QUOTES: Final = "`\"'*_\u201c\u201d\u2018\u2019\u201e\xab\xbb<>"
_NAMED: Final = re.compile(
    r"\b(?:column|variable|field|feature|attribute|spalte|feld|merkmal|variablen?)\w*"
    r"(?:\s+(?:is|named|called|namens|ist|heißt|heisst))?\s*[:=]?\s*[`\"'*\u201c\u2018(]*$",
    re.IGNORECASE,
)
_NAMED_AFTER: Final = re.compile(
    r"^[`\"'*\u201d\u2019)]*[\s-]+(?:column|variable|field|feature|attribute|spalte|feld|merkmal)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ColumnMention:
    """A column that a text names, from `start` to `end`. `weight` says from 0 to 1 how sure it is
    that the column is meant, and no word that is spelt like it."""

    start: int
    end: int
    column: str
    weight: float


def column_of(table: Table | None, name: str) -> Column | None:
    """The column of that name, or else the one whose name differs in case and marks alone."""
    if table is None:
        return None
    exact = next((each for each in table.columns if each.name == name), None)
    wanted = plain_name(name)
    alike = (each for each in table.columns if wanted and plain_name(each.name) == wanted)
    return exact or next(alike, None)


def names_of(table: Table | None) -> tuple[str, ...]:
    """The names of a table's columns."""
    return tuple(each.name for each in table.columns) if table is not None else ()


def find_columns(text: str, names: Sequence[str]) -> list[ColumnMention]:
    """The columns that a text names, in its order; of names that overlap the longest counts."""
    folded = text.casefold()
    inside = [name for name in names if _sign(name) in folded]
    found = sorted(
        (each for name in inside for each in _mentions(text, name)),
        key=lambda each: (each.start - each.end, -each.weight),
    )
    kept: list[ColumnMention] = []
    for each in found:
        if all(each.end <= other.start or other.end <= each.start for other in kept):
            kept.append(each)
    return sorted(kept, key=lambda each: each.start)


def words_of(name: str) -> list[str]:
    """The words that a name is made of: sale and price of `salePrice` and `sale_price`."""
    spaced = re.sub(r"(?<=[a-zäöüß])(?=[A-ZÄÖÜ])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    return [each.casefold() for each in re.split(r"[\W_]+", spaced) if each]


def _mentions(text: str, name: str) -> Iterator[ColumnMention]:
    for match in _pattern(name).finditer(text):
        weight = _weight(text, match, name)
        if weight > 0:
            yield ColumnMention(match.start(), match.end(), name, weight)


@lru_cache(maxsize=4096)
def _sign(name: str) -> str:
    """What stands in every text that names the column."""
    words = words_of(name)
    return words[0] if len(words) > 1 else name.casefold()


@lru_cache(maxsize=4096)
def _pattern(name: str) -> re.Pattern[str]:
    """A name as it is written, or with blanks between its words, in any case, also of several."""
    words = words_of(name)
    spellings = [re.escape(name)]
    if len(words) > 1 and all(len(each) > 1 or each.isdigit() for each in words):
        spellings.append(r"s?[\W_]{0,2}".join(re.escape(each) for each in words))
    plural = "(?:s|es|'s)?" if name[-1:].isalpha() and len(name) > 3 else ""
    return re.compile(rf"(?<![\w.])(?:{'|'.join(spellings)}){plural}(?!\w)", re.IGNORECASE)


def _weight(text: str, match: re.Match[str], name: str) -> float:
    written, before, after = match[0], text[: match.start()], text[match.end() :]
    quoted = before[-1:] in _QUOTES and after[:1] in _QUOTES and bool(before and after)
    named = bool(_NAMED.search(before) or _NAMED_AFTER.match(after))
    exact = written == name
    if exact and (quoted or named):
        return 1.0
    if quoted or named:
        return 0.85
    distinct = bool(re.search(r"[_\d]|[a-z][A-Z]|\W", name)) and len(name) > 2
    if exact and distinct:
        return 0.9
    if len(name) < 3 or name.casefold() in _USUAL:
        return 0.3 if exact and (len(name) > 1 or not name.islower()) else 0.0
    return 0.7 if exact else 0.6


def strongest(mentions: Iterable[ColumnMention]) -> dict[str, float]:
    """The weight of each column's surest mention."""
    found: dict[str, float] = {}
    for each in mentions:
        found[each.column] = max(found.get(each.column, 0.0), each.weight)
    return found
