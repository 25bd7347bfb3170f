"""A business question over tables, read once: what it names, and the query that it may be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flows.analysis.language.words import tokenize
from flows.analysis.linking.linker import link
from flows.analysis.linking.schema import schema_of
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.read import read_study
from flows.analysis.methods.specification import Specification
from flows.analysis.reading.outcome import Reading, Unread
from flows.analysis.reading.reader import read
from flows.analysis.team.goals.scope import TableScope, scopes_of
from flows.data.tables import Table
from flows.semantics.model import Metric, SemanticModel
from flows.semantics.tables import with_metrics

# A question that a query answers with less doubt than this is not asked for more.
_PLAIN = 0.45
# How well words must fit the name of a metric.
_NAMED = 0.95


@dataclass(frozen=True)
class Goal:
    """The question, its tables and what they mean; the rest is worked out when it is wanted."""

    text: str
    tables: Sequence[Table]
    model: SemanticModel

    @cached_property
    def scopes(self) -> list[TableScope]:
        """What it may be about, the likeliest first."""
        return scopes_of(self.text, self.tables, self.model)

    @cached_property
    def asked_tables(self) -> tuple[Table, ...]:
        """The tables with the metrics, which a query may be asked for."""
        return with_metrics(self.tables, self.model)

    @cached_property
    def metric(self) -> Metric | None:
        """The metric that it names and that no row has; None for none."""
        tokens = tokenize(self.text)
        for table in self.asked_tables:
            fields = {each.name for t in self.tables if t.name == table.name for each in t.columns}
            for each in link(tokens, schema_of(table), prefer_table=False):
                if each.kind == "column" and each.score >= _NAMED and each.columns[0] not in fields:
                    return self.model.metric(each.columns[0])
        return None

    @cached_property
    def reading(self) -> Reading | Unread:
        """The query that the whole of it asks for."""
        return read(self.text, self.asked_tables, self.model)

    @cached_property
    def study(self) -> Specification[Arguments] | Unread | None:
        """The analysis that the whole of it asks for."""
        return read_study(self.text, self.tables, self.model)

    @property
    def is_plain(self) -> bool:
        """Whether a query surely says all of it."""
        reading = self.reading
        return isinstance(reading, Reading) and reading.doubt <= _PLAIN and not reading.unexplained
