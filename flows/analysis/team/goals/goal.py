"""A business question over tables, read once: what it names, and the query that it may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.outcome import Reading, Unread
from flows.analysis.reading.read import read
from flows.analysis.team.goals.scope import Scope, scopes_of
from flows.data.tables import Table
from flows.semantics.model import SemanticModel

# A question that a query answers with less doubt than this is not asked for more.
_PLAIN = 0.45


@dataclass(frozen=True)
class Goal:
    """The question, its tables and what they mean; the rest is worked out when it is wanted."""

    text: str
    tables: Sequence[Table]
    model: SemanticModel

    @cached_property
    def scopes(self) -> list[Scope]:
        """What it may be about, the likeliest first."""
        return scopes_of(self.text, self.tables, self.model)

    @cached_property
    def reading(self) -> Reading | Unread:
        """The query that the whole of it asks for."""
        return read(self.text, self.tables, self.model)

    @cached_property
    def study(self) -> Specification[Arguments] | Unread | None:
        """The analysis that the whole of it asks for."""
        return read_study(self.text, self.tables, self.model)

    @property
    def is_plain(self) -> bool:
        """Whether a query surely says all of it."""
        reading = self.reading
        return isinstance(reading, Reading) and reading.doubt <= _PLAIN and not reading.unexplained
