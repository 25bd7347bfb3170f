"""What became of a question: a query with its reasons, or what was not understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from flows.analysis.linking.links import Link
from flows.core.observation import Caution
from flows.data.tables import Table
from flows.semantics.query import Query

# Why not, where no rule took words that say what is wanted.
TOO_MUCH_LEFT: Final = "too much of it was left unexplained"
NOTHING_NAMED: Final = "no word of it names something that the tables hold"


@dataclass(frozen=True, slots=True)
class Reading:
    """A query, how the words led to it, and how much doubt is left (0 is none).

    `tables` are the names of those whose rows it joins, `table` the first of them; `links` are what
    the spans of tokens name; `alternatives` are other queries that the question may mean, by rising
    doubt; `warnings` say what was left out or taken for something else. `confidence` is how likely
    it is right, from 0 to 1, by its `signs`.
    """

    query: Query
    table: Table
    tables: frozenset[str]
    notes: tuple[str, ...]
    doubt: float
    unexplained: tuple[str, ...]
    links: tuple[Link, ...]
    alternatives: tuple[Reading, ...] = ()
    warnings: tuple[Caution, ...] = ()
    confidence: float = 0.0
    signs: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def explanation(self) -> str:
        text = f"over {self.table.name}: " + "; ".join(self.notes or ("all rows",))
        return text + (f"; not used: {', '.join(self.unexplained)}" if self.unexplained else "")


@dataclass(frozen=True, slots=True)
class Unread:
    """Why a question was not answered. `understood` and `not_understood` are parts of it."""

    reason: str
    understood: tuple[str, ...] = ()
    not_understood: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [self.reason]
        if self.not_understood:
            parts.append("not understood: " + ", ".join(repr(w) for w in self.not_understood))
        if self.understood:
            parts.append("understood: " + "; ".join(self.understood))
        return "; ".join(parts)
