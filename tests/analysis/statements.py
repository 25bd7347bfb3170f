"""What is read over the semantic model that the tables have, and its SQL."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.reading import reader
from flows.analysis.reading.reader import MOST_DOUBT, Reading, Unread
from flows.analysis.requests.sql import sql_of
from flows.data.tables import Table
from flows.semantics.inference.model import infer_model
from flows.semantics.kinds import with_evidence


def read(
    question: str, tables: Sequence[Table], *, most_doubt: float = MOST_DOUBT
) -> Reading | Unread:
    """What a question asks of tables that mean what they tell by themselves."""
    return reader.read(question, tables, infer_model(tables), most_doubt=most_doubt)


def statement(reading: Reading, tables: Sequence[Table], *, evidence: bool = False) -> str:
    """The statement that answers a question; with `evidence` also what its first rows came by."""
    model = infer_model(tables)
    query = with_evidence(reading.query, model) if evidence else reading.query
    return sql_of(query, model, tables)
