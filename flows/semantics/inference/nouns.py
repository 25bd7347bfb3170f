"""What one row of a table is called, by the table's name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.data.tables import Table, plain_name
from flows.semantics.inference.words import stems_of, words_of
from flows.semantics.translation import english_name, is_german

ROW = ("row", "rows")
_BEFORE_TEXT = """
    tbl table tab dim fact fct stg staging raw src vw view v t tmp temp mart int ods dwh dw bkp
    export extract dump my all list of public dbo
"""
_BEHIND_TEXT = """
    data dataset table tbl tab list export raw clean cleaned final new old copy sample full csv xlsx
    xls json parquet tsv txt v q h master records record rows dim fact train test
"""
_NOTHING_TEXT = """
    data dataset file files sheet tabelle blatt hoja feuil untitled df output input result results
    book workbook export dump extract test train sample stdin main
"""
_BEFORE, _BEHIND, _NOTHING = (
    frozenset(text.split()) for text in (_BEFORE_TEXT, _BEHIND_TEXT, _NOTHING_TEXT)
)
_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "mice": "mouse",
    "feet": "foot", "teeth": "tooth", "geese": "goose", "criteria": "criterion",
    "indices": "index", "matrices": "matrix", "vertices": "vertex", "analyses": "analysis",
    "diagnoses": "diagnosis", "crises": "crisis", "theses": "thesis", "hypotheses": "hypothesis",
    "movies": "movie", "cookies": "cookie", "series": "series", "species": "species",
    "lives": "life", "wives": "wife", "shelves": "shelf", "halves": "half", "leaves": "leaf",
    "knives": "knife", "wolves": "wolf", "thieves": "thief", "caches": "cache", "axes": "axis",
    "buses": "bus", "gases": "gas", "statuses": "status", "quizzes": "quiz", "oxen": "ox",
    "phenomena": "phenomenon", "tomatoes": "tomato", "potatoes": "potato", "heroes": "hero",
    "aircraft": "aircraft", "sheep": "sheep", "fish": "fish", "deer": "deer",
    "pies": "pie", "ties": "tie",
}  # fmt: skip
_PLURALS = {singular: plural for plural, singular in _IRREGULAR.items()}
_SINGULAR_ENDINGS = ("ss", "us", "is", "ics", "news")
# What the plural of other tongues adds to a word that stands among the columns too.
_ADDED = ("s", "es", "e", "en", "n", "er", "nen", "i", "y", "a")
_KEYS = ("id", "key", "uuid", "no", "nr", "number")
# Words that nobody counts: a row holds a part of what they mean.
_UNCOUNTED = frozenset(
    ("staff", "personnel", "inventory", "equipment", "weather", "usage", "revenue", "traffic",
     "stock", "news", "headcount", "feedback", "spend", "population", "energy", "music")
)  # fmt: skip


def noun_of(table: Table, others: Sequence[Table] = ()) -> tuple[str, str, tuple[str, ...]]:
    """What a row and rows are called, and other words for the rows: also the English ones of a
    German name, with what its key numbers."""
    one, many, more = _own_noun(table, others)
    name = " ".join(_telling(table, alone=False))
    english = [" ".join(english_name(name))]
    away = {column for each in table.joins for column in each.columns}
    for key in table.keys:
        thing = english_name(key[0])
        if len(key) == 1 and key[0] not in away and thing[-1:] == ("number",):
            english.append(" ".join(thing[:-1]))
    return one, many, tuple(dict.fromkeys((*more, *filter(None, english))))


def _own_noun(table: Table, others: Sequence[Table]) -> tuple[str, str, tuple[str, ...]]:
    """What a row and rows are called in the words of the table.

    A plural is taken at its word ("tbl_Orders_2024" holds orders). A singular has to be confirmed
    by a column that is called so, or by another table that refers to this one; else rows are rows.
    """
    alone = not any(each.source == table.source and each.name != table.name for each in others)
    words = _telling(table, alone=alone)
    if not words:
        return (*ROW, ())
    *before, last = words
    one = last if is_german(last) else singular(last)
    if last in _UNCOUNTED:
        return _joined(before, last, "record"), _joined(before, last, "records"), (" ".join(words),)
    own = _among_columns(table, last)
    if own and own != last:
        return _joined(before, own), " ".join(words), ()
    if one == last and not is_german(last) and not _confirmed(table, words, others):
        if thing := _of_key(table):
            return thing, plural(thing), (" ".join(words),)
        return (*ROW, (last, plural(last)) if not before else (" ".join(words),))
    return _joined(before, one), _joined(before, last if is_german(last) else plural(one)), ()


def singular(word: str) -> str:
    """The singular of an English word; a word that is none comes back as it is."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if not word.endswith("s") or word.endswith(_SINGULAR_ENDINGS) or len(word) < 4:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    return word[:-1]


def plural(word: str) -> str:
    """The plural of an English word."""
    if word in _PLURALS:
        return _PLURALS[word]
    if word in _IRREGULAR:
        return word
    if word.endswith(("s", "x", "ch", "sh", "z")):
        return word + "es"
    if re.search(r"[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + "s"


def _telling(table: Table, *, alone: bool) -> list[str]:
    """The words of a table's name that say what is in it; of its source's name where that has no
    other table."""
    name = table.name
    prefix = f"{table.source}_"
    sheet = name.removeprefix(prefix) if name.startswith(prefix) else ""
    for each in (sheet or name, table.source if alone else ""):
        words = [word for word in stems_of(each) if not word.isdigit()]
        while len(words) > 1 and words[0] in _BEFORE:
            words = words[1:]
        while len(words) > 1 and words[-1] in _BEHIND:
            words = words[:-1]
        if words and each and not set(words) <= _NOTHING | _BEFORE | _BEHIND:
            return words
    return [] if alone else [each for each in stems_of(name) if not each.isdigit()]


def _among_columns(table: Table, word: str) -> str:
    """The name of a column that has the word of a table as its plural: `Rechnung`."""
    names = {" ".join(words_of(each.name)) for each in table.columns if each.role != "measure"}
    stems = (word.removesuffix(each) for each in _ADDED if word.endswith(each))
    return next((each for each in stems if len(each) > 3 and each in names), "")


def _of_key(table: Table) -> str:
    """What the key of a table identifies, as the passenger of `PassengerId`."""
    away = {name for each in table.joins for name in each.columns}
    keys = [each for each in table.keys[:1] if len(each) == 1 and each[0] not in away]
    named = words_of(keys[0][0]) if keys else ()
    thing = " ".join(named[:-1]) if named[-1:] in (("id",), ("key",)) else ""
    return thing if len(thing) > 2 else ""


def _confirmed(table: Table, words: Sequence[str], others: Sequence[Table]) -> bool:
    """Whether a singular is the name of a thing: it has a key or a name, or is referred to."""
    if any(join.table == table.name for each in others for join in each.joins):
        return True
    away = {name for each in table.joins for name in each.columns}
    keys = (key for key in (table.primary_key, *table.keys) if len(key) == 1)
    if any(key[0] not in away and plain_name(key[0]) in _KEYS for key in keys):
        return True
    thing = tuple(words)
    for column in table.columns:
        named = words_of(column.name)
        is_key = len(named) > 1 and named[-1] in ("id", "key", "code", "no", "nr", "name", "number")
        if is_key and named[:-1] in (thing, thing[-1:]):
            return True
    return False


def _joined(before: Sequence[str], *last: str) -> str:
    return " ".join([*before, *last])
