"""What a study found, in a sentence or two made of the cells of its result only."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.cautions import Caution
from flows.analysis.compiler import result_columns
from flows.analysis.methods.about import rows_words
from flows.analysis.methods.arguments import Arguments
from flows.analysis.methods.catalog import BY_NAME
from flows.analysis.methods.cautions import told
from flows.analysis.methods.specification import Specification
from flows.analysis.telling.answer import answer, listing
from flows.analysis.telling.told import foreign, tell
from flows.core.observation import Cell


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
    if study.chart is not None:
        return _charted(study, columns, rows, total, result)
    method = BY_NAME[study.kind]
    if any(each not in columns for each in method.needs):
        return listing(columns, rows, total, result)
    cells = tell(columns, rows, result)
    try:
        return method.say(study, [dict(zip(columns, row, strict=True)) for row in cells], total)
    except KeyError:  # code that a person changed may leave a column out that one variant needs
        return listing(columns, rows, total, result)


def _charted(
    study: Specification[Arguments],
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int,
    result: str | None,
) -> str:
    """As the question of the same result is answered, when its columns stand as the query's do."""
    query, model = study.rows, study.model
    names = result_columns(query, model)
    extra = [each for each in columns if each not in names]
    if list(columns) != [*names, *extra] or set(extra) - {"percent"}:
        return listing(columns, rows, total, result)
    plain = [row[: len(names)] for row in rows]
    return answer(query, model, names, plain, total, result)
