"""The words that names of tables and columns are made of."""

from __future__ import annotations

import re

from flows.semantics.translation import english_name

_BORDER = re.compile(r"(?<=[a-zà-ÿ])(?=[A-ZÀ-Þ])|(?<=[A-ZÀ-Þ])(?=[A-ZÀ-Þ][a-zà-ÿ])")
_RUN = re.compile(r"[^\W_]+")
_LETTERS = re.compile(r"\d+|\D+")
# Shortened words that mean the same wherever they stand in a name.
_LONG = {
    "qty": "quantity", "amt": "amount", "dept": "department", "cust": "customer",
    "acct": "account", "addr": "address", "desc": "description", "prod": "product",
    "emp": "employee", "mgr": "manager", "pct": "percent", "avg": "average", "temp": "temperature",
    "pop": "population", "percap": "per capita", "lat": "latitude", "lon": "longitude",
    "lng": "longitude", "dob": "date of birth", "mrr": "monthly recurring revenue",
    "tel": "telephone", "yr": "year", "cat": "category",
    "inv": "invoice", "txn": "transaction", "msrp": "list price",
}  # fmt: skip


def words_of(name: str) -> tuple[str, ...]:
    """The words of an identifier, small: `unitPrice`, `UNIT_PRICE`, `Unit Price (USD)`."""
    parts = _RUN.findall(_BORDER.sub("_", name))
    return tuple(part.casefold() for part in parts) or (name.casefold(),)


def stems_of(name: str) -> tuple[str, ...]:
    """As `words_of`, with digits that end a word apart: `Orders2024`, `sheet1`."""
    return tuple(part for word in words_of(name) for part in _LETTERS.findall(word))


def meanings_of(name: str) -> frozenset[str]:
    """The words of an identifier, and the English ones of a German name."""
    return frozenset((*words_of(name), *english_name(name)))


def synonyms_of(name: str) -> tuple[str, ...]:
    """What people call a column besides its name: its words, and those written out."""
    words = words_of(name)
    spoken = [" ".join(words), " ".join(_LONG.get(each, each) for each in words)]
    spoken += [" ".join(english_name(name))] if english_name(name) else []
    return tuple(each for each in dict.fromkeys(spoken) if each != name.casefold())
