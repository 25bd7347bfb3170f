"""The answer to a question in one or two sentences, made from the cells of its result only."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.plan import Field, Measure, Plan, Term
from flows.analysis.wording import condition_words, term_words
from flows.core.observation import Cell

Rows = Sequence[Sequence[Cell]]
_LISTED = 12
_SERIES = 6


def answer(plan: Plan, columns: Sequence[str], rows: Rows, total_rows: int | None = None) -> str:
    """Say what a plan's result says. `rows` may be the first of `total_rows`.

    The cells must be those of `plan.columns` in order; other results are listed as they are.
    """
    total = len(rows) if total_rows is None else total_rows
    about = condition_words(plan)
    if not rows or (len(rows) == 1 and all(cell is None for cell in rows[0])):
        return f"No row of {plan.table}{about} answers this."
    if len(plan.columns) != len(columns):
        return listing(columns, rows, total)
    if plan.kind == "trend":
        return _trend(plan, rows, total, about)
    if plan.limit is not None and plan.order:
        return _ranking(plan, rows, about)
    if not plan.groups and plan.kind == "aggregate":
        cells = _pairs(plan, rows[0])
        said = [f"{term_words(term)} is {_cell(term, cell)}" for term, cell in cells]
        term, cell = cells[0]
        said[0] = f"{term_words(term)}{about} is {_cell(term, cell)}"
        return _sentence("; ".join(said))
    return _listed(plan, rows, total, about)


def listing(columns: Sequence[str], rows: Rows, total: int | None = None) -> str:
    """The rows of any result, the first of them written out."""
    total = len(rows) if total is None else total
    if not rows:
        return "The result is empty."
    if len(rows) == 1 and total == 1:
        return _sentence(
            "; ".join(f"{n} is {number(c)}" for n, c in zip(columns, rows[0], strict=True))
        )
    shown = [", ".join(number(cell) for cell in row) for row in rows[:_LISTED]]
    more = f" (the first {len(shown)} of {total})" if total > len(shown) else ""
    return f"{', '.join(columns)}{more}: " + "; ".join(shown) + "."


def number(value: Cell) -> str:
    """A cell as people read it: 4 digits kept behind a small point, thousands set apart."""
    if value is None:
        return "missing"
    if isinstance(value, bool | str):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    if value == int(value) and abs(value) < 1e15:
        return number(int(value))
    if abs(value) < 1:
        return f"{value:.4g}"
    text = f"{value:,.2f}" if abs(value) >= 10_000 else f"{value:.2f}"
    return text.rstrip("0").rstrip(".")


def _cell(term: Term, value: Cell) -> str:
    if isinstance(term, Measure) and term.aggregation == "share" and value is not None:
        return f"{number(value)} %"
    if isinstance(term, Field) and isinstance(value, int):
        return str(value) if abs(value) < 1_000_000 else number(value)
    return number(value)


def _pairs(plan: Plan, row: Sequence[Cell]) -> list[tuple[Term, Cell]]:
    return list(zip(plan.columns, row, strict=True))


def _sentence(text: str) -> str:
    text = text.strip()
    return (text[:1].upper() + text[1:] if text[:1].islower() and " " in text else text) + "."


def _ranking(plan: Plan, rows: Rows, about: str) -> str:
    """What came first, with the value by which it did."""
    by = [order.by for order in plan.order]
    lines = []
    for row in rows[:_LISTED]:
        asked = [_cell(t, c) for t, c in _pairs(plan, row) if t in plan.select and t not in by]
        proof = [f"{term_words(t)} {_cell(t, c)}" for t, c in _pairs(plan, row) if t in by]
        if asked and proof:
            lines.append(f"{', '.join(asked)} ({', '.join(proof)})")
        else:
            lines.append(", ".join(asked or proof))
    end = "highest" if plan.order[0].descending else "lowest"
    key = term_words(by[0])
    place = _ORDINALS.get(plan.offset, f"number {plan.offset + 1} ") if plan.offset else ""
    head = f"The {place}{end} {key}{about}: "
    return head + "; ".join(lines) + "."


_ORDINALS = {1: "second ", 2: "third ", 3: "fourth ", 4: "fifth "}


def _trend(plan: Plan, rows: Rows, total: int, about: str) -> str:
    """First, last, difference and percent of each series."""
    if total > len(rows):
        return listing([term_words(t) for t in plan.columns], rows, total)
    width = len(plan.groups)
    series: dict[tuple[Cell, ...], list[Sequence[Cell]]] = {}
    for row in rows:
        series.setdefault(tuple(row[1:width]), []).append(row)
    parts = []
    for group, points in list(series.items())[:_SERIES]:
        name = ", ".join(number(cell) for cell in group)
        for place, term in enumerate(plan.columns[width:], width):
            parts.append(_change(name, term_words(term) + about, points, place))
    more = f" ({_SERIES} of {len(series)} series)" if len(series) > _SERIES else ""
    return _sentence("; ".join(parts) + more)


def _change(name: str, what: str, points: Sequence[Sequence[Cell]], place: int) -> str:
    known = [point for point in points if point[place] is not None and point[0] is not None]
    head = f"{name}: {what}" if name else what
    if not known:
        return f"{head} is missing throughout"
    first, last = known[0], known[-1]
    begin, end = first[place], last[place]
    if len(known) == 1 or not isinstance(begin, int | float) or not isinstance(end, int | float):
        return f"{head} is {number(begin)} in {first[0]}, the only point in time"
    difference = end - begin
    percent = f", {100 * difference / abs(begin):+.1f} %" if begin else ""
    verb = "rose" if difference > 0 else "fell" if difference < 0 else "stayed the same"
    return (
        f"{head} {verb} from {number(begin)} in {first[0]} to {number(end)} in {last[0]} "
        f"(a difference of {'+' if difference > 0 else ''}{number(difference)}{percent})"
    )


def _listed(plan: Plan, rows: Rows, total: int, about: str) -> str:
    """Groups with their measures, or the rows of a list."""
    shown = rows[:_LISTED]
    more = f", of which the first {len(shown)}" if total > len(shown) else ""
    if plan.groups:
        fields = [i for i, term in enumerate(plan.columns) if isinstance(term, Field)]
        measures = [i for i, term in enumerate(plan.columns) if isinstance(term, Measure)]
        lines = []
        for row in shown:
            key = ", ".join(_cell(plan.columns[i], row[i]) for i in fields)
            value = ", ".join(_cell(plan.columns[i], row[i]) for i in measures)
            lines.append(f"{key}: {value}" if value else key)
        what = ", ".join(term_words(plan.columns[i]) for i in measures) or "groups"
        key_words = ", ".join(term_words(plan.columns[i]) for i in fields)
        return _sentence(
            f"{what} for each {key_words}{about} ({total} groups{more}): " + "; ".join(lines)
        )
    lines = [", ".join(_cell(t, c) for t, c in _pairs(plan, row)) for row in shown]
    what = ", ".join(term_words(term) for term in plan.columns)
    if total == 1:
        return _sentence(f"{what}{about} is {lines[0]}")
    return _sentence(f"{what}{about} ({total} rows{more}): " + "; ".join(lines))
