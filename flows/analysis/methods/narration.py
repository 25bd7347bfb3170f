"""The narrator's role: a result told in words, its numbers as references to its cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.analyses import study_of, study_of_prepared
from flows.analysis.methods.answer import study_answer
from flows.analysis.telling.answer import answer, listing
from flows.core.observation import Cell
from flows.data.tables import Table
from flows.semantics.model import SemanticModel
from flows.semantics.preparation import after_steps
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart, Prepare, Request


@dataclass(frozen=True)
class Result:
    """A result to tell: its first rows of `total`, and the name that keeps it."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    total: int
    name: str | None


def narrate(
    request: Request | None, model: SemanticModel, tables: Sequence[Table], result: Result
) -> str:
    """What a request came to, in a sentence or two. A result without one is listed as it is."""
    columns, rows = result.columns, result.rows
    if isinstance(request, Prepare):
        after = after_steps(request, model)
        if isinstance(request.then, Analysis):
            study = study_of_prepared(request, model, tables)
            return study_answer(study, columns, rows, result.total, result.name)
        return narrate(request.then, after, tables, result)
    if isinstance(request, Query):
        return answer(request, model, columns, rows, result.total, result.name)
    if isinstance(request, Analysis | Chart):
        study = study_of(request, model, tables)
        return study_answer(study, columns, rows, result.total, result.name)
    return listing(columns, rows, result.total, result.name)
