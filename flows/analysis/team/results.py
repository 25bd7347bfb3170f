"""What is known of the result of a query before it runs."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.compiler import result_columns
from flows.analysis.team.statement import columns_of_contrast, feature_name, is_contrast
from flows.data.tables import Column, ColumnRole, ColumnType, Table
from flows.semantics.kinds import columns_of
from flows.semantics.labels import labelled_grain
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, Expression, FieldRef, Period, Query


def profile_of(query: Query, tables: Sequence[Table], model: SemanticModel) -> Table:
    """The profile of a result: names, types and roles, and of fields their values."""
    base = next(each for each in tables if each.name == query.dataset)
    if is_contrast(query):
        return _contrast(query, base, model)
    known = {(t.name, c.name): c for t in tables for c in t.columns}
    names = result_columns(query, model)
    columns = [
        _column(name, each, known, base.rows)
        for name, each in zip(names, columns_of(query, model), strict=True)
    ]
    whole = not (query.show or query.by or query.metrics)
    return Table(
        source=base.source, name="data", dialect=base.dialect, rows=base.rows,
        columns=tuple(columns), keys=base.keys if whole else (),
    )  # fmt: skip


def _column(name: str, of: Expression, known: dict[tuple[str, str], Column], rows: int) -> Column:
    if isinstance(of, FieldRef):
        return known[of.dataset, of.field].model_copy(update={"name": name})
    if labelled_grain(of) is not None:
        return _made(name, "text", "category", rows, 12)
    if isinstance(of, Period):
        whole = of.grain.endswith(("year", "of month", "of day"))
        kind: ColumnType = "integer" if whole else "date"
        return _made(name, kind, "time", rows, 12)
    counts = isinstance(of, Aggregate) and of.function in ("count", "count distinct")
    return _made(name, "integer" if counts else "real", "measure", rows, rows)


def _made(name: str, kind: ColumnType, role: ColumnRole, rows: int, distinct: int) -> Column:
    return Column(name=name, type=kind, role=role, rows=rows, missing=0, distinct=distinct)


def _contrast(query: Query, base: Table, model: SemanticModel) -> Table:
    """A row for each figure."""
    features = tuple(feature_name(each, model) for each in query.metrics)
    size = len(features)
    first, *numbers = columns_of_contrast(base.dialect)
    feature = Column(
        name=first, type="text", role="category", rows=size, missing=0, distinct=size,
        values=features, values_complete=True,
    )  # fmt: skip
    columns = (feature, *(_made(each, "real", "measure", size, size) for each in numbers))
    return Table(source=base.source, name="data", dialect=base.dialect, rows=size, columns=columns)
