"""A result told in words, its numbers as references to its cells: the narrator's role."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flows.analysis.methods.analyses import study_of, study_of_prepared
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.methods.cautions import told
from flows.analysis.methods.specification import Specification
from flows.analysis.methods.subject import rows_words
from flows.analysis.telling.answer import answer, listing
from flows.analysis.telling.cells import foreign, tell
from flows.core.observation import Caution, Cell
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


def study_answer(
    study: Specification[Arguments],
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int,
    result: str | None = None,
    cautions: Sequence[Caution] = (),
    kept: str | None = None,
) -> str:
    """Say what the result of a study says, and what is to be minded beside it.

    A result of another shape is listed as it is. With the name of the `result` that keeps them,
    numbers are references to its cells; `kept` is the table that keeps the cautions.
    """
    said = _said(study, columns, rows, total, result)
    return f"{said}{told(cautions, kept)}"


def _said(
    study: Specification[Arguments],
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int,
    result: str | None,
) -> str:
    if not rows:
        return foreign(f"No row of {study.table.name}{rows_words(study)} answers this.")
    cells = [dict(zip(columns, row, strict=True)) for row in tell(columns, rows, result)]
    for narration in BY_NAME[study.kind].narrations:
        found = narration.find(study, cells)
        if found is not None:
            return narration.say(study, found, total)
    return listing(columns, rows, total, result)
