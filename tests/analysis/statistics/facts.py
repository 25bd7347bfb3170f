"""What a right answer holds, whatever its columns are called: facts that are looked for in it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256

import pandas as pd

from flows.core.observation import Cell


@dataclass(frozen=True)
class Found:
    """What came of a question: the cells of its result, its answer, the codes of its warnings, or
    why it was not answered."""

    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    total: int = 0
    answer: str = ""
    warnings: tuple[str, ...] = ()
    figures: int = 0
    unread: str | None = None


# Says what is wrong with an answer; empty when the fact is in it.
Fact = Callable[[Found], str]


@dataclass(frozen=True)
class Question:
    """A question to one of the tables, and the facts, computed of its data frame."""

    table: str
    text: str
    facts: Callable[[pd.DataFrame], Sequence[Fact]]

    @property
    def half(self) -> str:
        """`tuning` or `held_back`, by the text alone."""
        odd = sha256(self.text.encode()).digest()[0] % 2
        return "held_back" if odd else "tuning"


def same(cell: Cell, value: object, within: float) -> bool:
    """Whether a cell is a value; numbers up to a relative distance, texts exactly."""
    if isinstance(value, bool) or isinstance(cell, bool):
        return cell is value or (isinstance(cell, bool) and cell == value)
    if isinstance(value, str) or not isinstance(value, int | float):
        return _plain(cell) == _plain(value)
    if not isinstance(cell, int | float):
        return False
    return math.isclose(cell, value, rel_tol=within, abs_tol=1e-12)


def _plain(value: object) -> str:
    text = str(value)
    return re.sub(r"[T ]00:00:00(\.0+)?$", "", text)


def _native(value: object) -> object:
    return value.item() if hasattr(value, "item") else value


def has(value: object, *keys: object, within: float = 1e-5) -> Fact:
    """A row that holds all keys holds the value too."""
    wanted, names = _native(value), [_native(key) for key in keys]

    def check(found: Found) -> str:
        rows = [r for r in found.rows if all(any(same(c, k, 1e-9) for c in r) for k in names)]
        if any(same(cell, wanted, within) for row in rows for cell in row):
            return ""
        return f"{wanted!r} is not beside {names} in {found.columns}: {rows[:3] or found.rows[:3]}"

    return check


def first(*keys: object) -> Fact:
    """The first row holds all of these."""
    names = [_native(key) for key in keys]

    def check(found: Found) -> str:
        row = found.rows[0] if found.rows else ()
        held = all(any(same(cell, name, 1e-5) for cell in row) for name in names)
        return "" if held else f"the first row {row} does not hold {names}"

    return check


def size(rows: int) -> Fact:
    """The result has so many rows."""
    return lambda found: "" if found.total == rows else f"{found.total} rows, not {rows}"


def says(pattern: str) -> Fact:
    """The answer in words says so."""

    def check(found: Found) -> str:
        said = re.search(pattern, found.answer, re.IGNORECASE)
        return "" if said else f"{pattern!r} is not said in {found.answer!r}"

    return check


def warned(code: str) -> Fact:
    """A warning of this code stands beside the result."""
    return lambda found: "" if code in found.warnings else f"no {code} in {found.warnings}"


def drawn(found: Found) -> str:
    """A figure was drawn."""
    return "" if found.figures else "nothing was drawn"


def refused(pattern: str) -> Fact:
    """It was not answered, for this reason."""

    def check(found: Found) -> str:
        if found.unread is None:
            return f"it was answered: {found.answer!r}"
        known = re.search(pattern, found.unread, re.IGNORECASE)
        return "" if known else f"{pattern!r} is no reason in {found.unread!r}"

    return check
