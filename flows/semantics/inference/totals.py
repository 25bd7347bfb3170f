"""Rows that are the sum of others, such as one that is called Total."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from flows.core.observation import Cell
from flows.data.tables import Column, Table
from flows.semantics.inference.evidence import MOST_ROWS, Evidence, texts_of
from flows.semantics.inference.markers import is_total
from flows.semantics.inference.numbers import read_number
from flows.semantics.model import Number, SemanticField, Time, Unknown

_SHARE = 0.5
# Names of things are shorter than this on average; what is longer is prose.
_LONGEST = 40
_NEAR = 1e-6
_HALF_CENT = 0.006


def totals_of(
    table: Table, fields: Sequence[SemanticField], evidence: Evidence
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Fields with those of their values whose rows are sums of the others.

    The figures have to confirm it: one of them is the sum of the others in every such row's group,
    or those rows have no figures at all, as those of formulas that were never computed.
    """
    measures = [each for each in fields if each.role == "measure"]
    if not measures or table.rows > MOST_ROWS:
        return ()
    columns = {each.name: each for each in table.columns}
    suspects = {e.name: _called_total(table, columns[e.column], e, evidence) for e in fields}
    suspects = {name: values for name, values in suspects.items() if values}
    if not suspects:
        return ()
    names_of_things = {e.name for e in fields if _names_things(e, columns[e.column])}
    names = [*suspects, *(each.name for each in measures)]
    found = evidence.rows(table, names, MOST_ROWS)
    if found is None or len(found) < table.rows:
        return ()
    rows = [dict(zip(names, row, strict=True)) for row in found]
    kept = {
        name: tuple(
            each
            for each in values
            if _is_sum(rows, name, each, values, measures, is_name=name in names_of_things)
        )
        for name, values in suspects.items()
    }
    return tuple((name, values) for name, values in kept.items() if values)


def _names_things(field: SemanticField, column: Column) -> bool:
    """Whether each value is the name of a thing, not of a group of rows."""
    repeats = column.distinct < column.rows - column.missing
    return field.role == "text" or (field.role == "identifier" and not repeats)


def _called_total(
    table: Table, column: Column, field: SemanticField, evidence: Evidence
) -> tuple[str, ...]:
    """Those values of a field that are called a total, among others that are not: of categories,
    of names, and of what is else a date or a number."""
    if any(isinstance(each, Number | Time) for each in field.cleaning):
        unknown = [each.values for each in field.cleaning if isinstance(each, Unknown)]
        return tuple(v for values in unknown for v in values if isinstance(v, str) and is_total(v))
    if field.type != "text" or field.role not in ("category", "place", "text", "identifier"):
        return ()
    values = field.values
    if not values and column.lengths is not None and column.lengths.mean <= _LONGEST:
        values = texts_of(table, column, evidence)
    found = tuple(each for each in values if is_total(each))
    return found if 0 < len(found) < len(values) else ()


def _is_sum(
    rows: Sequence[Mapping[str, Cell]],
    name: str,
    value: str,
    all_totals: Sequence[str],
    measures: Sequence[SemanticField],
    *,
    is_name: bool,
) -> bool:
    total = [row for row in rows if row[name] == value]
    parts = [row for row in rows if row[name] is not None and row[name] not in all_totals]
    if not total or len(total) > _SHARE * len(rows) or len(parts) < 2:
        return False
    figures = [_figures(total, each) for each in measures]
    if not any(figures):
        return not is_name  # a thing may be called so, and nothing be known of it
    pairs = zip(figures, measures, strict=True)
    return any(
        figure and _same(math.fsum(figure), math.fsum(_figures(parts, each)))
        for figure, each in pairs
    )


def _same(total: float, parts: float) -> bool:
    return total != 0 and abs(total - parts) <= max(_NEAR * abs(parts), _HALF_CENT)


def _figures(rows: Sequence[Mapping[str, Cell]], field: SemanticField) -> list[float]:
    return [
        each for each in (figure_of(row[field.name], field) for row in rows) if each is not None
    ]


def figure_of(cell: Cell, field: SemanticField) -> float | None:
    """A cell of a measure as a number after its cleaning; None where it is missing."""
    for step in field.cleaning:
        if isinstance(step, Unknown) and cell in step.values:
            return None
        if isinstance(step, Number) and isinstance(cell, str):
            return read_number(cell, step)
    return float(cell) if isinstance(cell, (int, float)) else None
