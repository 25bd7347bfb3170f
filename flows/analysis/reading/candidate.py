"""One way to read a question, before it is decided which of them is meant."""

from __future__ import annotations

from dataclasses import dataclass

from flows.analysis.linking.links import Link
from flows.analysis.reading.plan import Plan
from flows.core.observation import Caution
from flows.data.tables import Table


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan, how the words led to it, and how much doubt is left (0 is none).

    `links` are what the spans of tokens name; `warnings` must be said beside the result.
    """

    plan: Plan
    table: Table
    notes: tuple[str, ...]
    doubt: float
    unexplained: tuple[str, ...]
    links: tuple[Link, ...] = ()
    warnings: tuple[Caution, ...] = ()
