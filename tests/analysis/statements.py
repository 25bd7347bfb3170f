"""The SQL of what was read, over the semantic model that the tables have."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading.read import Reading
from flows.analysis.requests.queries import query_of
from flows.analysis.requests.sql import sql_of
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.kinds import with_evidence


def statement(reading: Reading, tables: Sequence[Table], *, evidence: bool = False) -> str:
    """The statement that answers a question; with `evidence` also what its first rows came by."""
    model = infer_model(tables)
    query = query_of(reading.plan, model)
    return sql_of(with_evidence(query, model) if evidence else query, model, tables)
