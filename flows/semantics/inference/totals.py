"""Rows that are the sum of others, such as one that is called Total."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from flows.core.observation import Cell
from flows.data.tables import Table
from flows.semantics.inference.evidence import MOST_ROWS, Evidence
from flows.semantics.inference.numbers import read_number
from flows.semantics.model import Number, SemanticField, Unknown

_TOTAL = re.compile(
    r"(?:grand|sub|over)?[ -]?totals?|total.{0,30}|.{0,30} totals?|all|sum|overall|summe|gesamt|"
    r"gesamtsumme|insgesamt|alle|zusammen|suma|totale|totaal|celkem|razem|somme|ensemble|итого|"
    r"всего|合計|总计|toplam",
    re.IGNORECASE,
)
_SHARE = 0.5
_NEAR = 1e-6
_HALF_CENT = 0.006


def totals_of(
    table: Table, fields: Sequence[SemanticField], evidence: Evidence
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Fields with those of their values whose rows are sums of the others.

    The figures have to confirm it: one of them is the sum of the others in every such row's group,
    or those rows have no figures at all, as those of formulas that were never computed.
    """
    suspects = {each.name: _called_total(each) for each in fields}
    suspects = {name: values for name, values in suspects.items() if values}
    measures = [each for each in fields if each.role == "measure"]
    if not suspects or not measures:
        return ()
    names = [*suspects, *(each.name for each in measures)]
    found = evidence.rows(table, names, MOST_ROWS)
    if found is None or len(found) < table.rows:
        return ()
    rows = [dict(zip(names, row, strict=True)) for row in found]
    kept = {
        name: tuple(each for each in values if _is_sum(rows, name, each, values, measures))
        for name, values in suspects.items()
    }
    return tuple((name, values) for name, values in kept.items() if values)


def _called_total(field: SemanticField) -> tuple[str, ...]:
    if field.role not in ("category", "place", "text") or field.type != "text":
        return ()
    found = tuple(each for each in field.values if _TOTAL.fullmatch(each.strip()))
    return found if 0 < len(found) < len(field.values) else ()


def _is_sum(
    rows: Sequence[Mapping[str, Cell]],
    name: str,
    value: str,
    all_totals: Sequence[str],
    measures: Sequence[SemanticField],
) -> bool:
    total = [row for row in rows if row[name] == value]
    parts = [row for row in rows if row[name] is not None and row[name] not in all_totals]
    if not total or len(total) > _SHARE * len(rows) or len(parts) < 2:
        return False
    figures = [_figures(total, each) for each in measures]
    if not any(figures):
        return True
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
