"""A link of words to what they name, and the best cover of a question by links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flows.semantics.query import FieldRef, Predicate

# What stands in the predicate of a period for the field that says when.
TIME = FieldRef(dataset="", field="")

LinkKind = Literal["table", "column", "value", "literal", "period"]


@dataclass(frozen=True, slots=True)
class Link:
    """A span of tokens, `start` to `end`, and what it was read as, with score and reason.

    `columns` are the names meant (several when they share the span: first and last name).
    `values` are pairs of column and the value as the data spells it. `literal` is a number, a date
    or quoted text. `rivals` are columns that explain the span equally well. `table` is the table
    that a span names, `period` what it says of a time.
    """

    kind: LinkKind
    start: int
    end: int
    text: str
    score: float
    reason: str
    columns: tuple[str, ...] = ()
    values: tuple[tuple[str, str], ...] = ()
    literal: int | float | str | None = None
    quoted: bool = False
    rivals: tuple[str, ...] = ()
    table: str = ""
    period: Predicate | None = None

    @property
    def meaning(self) -> str:
        """What the words name, in words."""
        if self.kind == "table":
            return f"the table {self.table}"
        if self.kind == "column":
            rivals = f" (it could be {' or '.join(self.rivals)})" if self.rivals else ""
            return f"the column {' and '.join(self.columns)}{rivals}"
        if self.kind == "value" and self.values:
            column, value = self.values[0]
            return f"the value {value!r} of {column}"
        return f"the value {self.literal!r}"


def cover(found: Sequence[Link], size: int, prefer_table: bool) -> tuple[Link, ...]:
    """Of links over `size` tokens, those that explain most together without overlapping."""
    best: list[tuple[float, tuple[Link, ...]]] = [(0.0, ())]
    by_end: dict[int, list[Link]] = {}
    for candidate in found:
        by_end.setdefault(candidate.end, []).append(candidate)
    for end in range(1, size + 1):
        top = best[end - 1]
        for candidate in by_end.get(end, ()):
            before = best[candidate.start]
            total = before[0] + _weight(candidate, prefer_table)
            if total > top[0] + 1e-9:
                top = (total, (*before[1], candidate))
        best.append(top)
    return best[-1][1]


def content_size(one: Link) -> int:
    """How many words of a link say something."""
    size = one.end - one.start
    if size > 2 and one.kind in ("column", "table"):
        size -= sum(word in _INSIDE for word in one.text.split())
    if one.kind == "value" and one.text.startswith(("the ", "a ", "an ")):
        size -= 1
    return size


def _weight(one: Link, prefer_table: bool) -> float:
    """Longer spans win over the sum of their parts; ties go to the preferred kind."""
    size = content_size(one)
    lean = 0.03 if (one.kind == "table") == prefer_table else 0.0
    return (one.score + lean) * (size + 0.1 * (size - 1))


# Words between those that name something: they make no span better.
_INSIDE = frozenset(["of", "for", "the", "a", "an", "and", "in", "by", "to"])


# Words at which no name begins or ends.
EDGE = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "from",
        "by",
        "with",
        "and",
        "or",
        "is",
        "are",
        "was",
        "were",
        "be",
        "do",
        "does",
        "did",
        "has",
        "have",
        "had",
        "what",
        "which",
        "who",
        "whose",
        "how",
        "that",
        "this",
        "these",
        "those",
        "there",
        "it",
        "its",
        "their",
        "them",
        "show",
        "list",
        "give",
        "find",
        "me",
        "all",
        "each",
        "every",
        "as",
        "than",
        "not",
        "no",
        "many",
        "much",
        "per",
        "i",
        "we",
        "you",
        "us",
        "our",
        "whom",
    ]
)
