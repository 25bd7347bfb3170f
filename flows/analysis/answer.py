"""The answer to a question in one or two sentences, made from the cells of its result only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.plan import Field, Measure, Plan, Term
from flows.analysis.wording import (
    condition_words,
    in_words,
    other_words,
    plural_of,
    term_words,
    time_words,
)
from flows.core.observation import Cell

Rows = Sequence[Sequence[Cell]]
_LISTED = 12
_SERIES = 6


def answer(plan: Plan, columns: Sequence[str], rows: Rows, total_rows: int | None = None) -> str:
    """Say what a plan's result says. `rows` may be the first of `total_rows`.

    The cells must be those of `plan.columns` in order; other results are listed as they are.
    """
    total = len(rows) if total_rows is None else total_rows
    if not rows or (len(rows) == 1 and all(cell is None for cell in rows[0])):
        return f"No row of {plan.table}{condition_words(plan)} answers this."
    if len(plan.columns) != len(columns):
        return listing(columns, rows, total)
    if plan.kind == "trend":
        return _trend(plan, rows, total)
    if plan.limit is not None and plan.order:
        return _ranking(plan, rows)
    if not plan.groups and plan.kind == "aggregate":
        return _single(plan, rows[0])
    return _groups(plan, rows, total) if plan.groups else _list(plan, rows, total)


def listing(columns: Sequence[str], rows: Rows, total: int | None = None) -> str:
    """The rows of any result, the first of them written out."""
    total = len(rows) if total is None else total
    if not rows:
        return "The result is empty."
    if len(rows) == 1 and total == 1:
        return "; ".join(f"{n} is {number(c)}" for n, c in zip(columns, rows[0], strict=True)) + "."
    shown = [", ".join(number(cell) for cell in row) for row in rows[:_LISTED]]
    more = f" ({_first(len(shown))} of {total:,} rows)" if total > len(shown) else ""
    return _ended(f"{', '.join(columns)}{more}: " + "; ".join(shown))


def _first(size: int) -> str:
    return f"the first {in_words(size)}"


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


def _sentence(plan: Plan, text: str) -> str:
    """A sentence that begins with the time that it is about, if it is about one."""
    when = time_words(plan)
    text = f"{when}, {text}" if when else text
    # A name that comes first stays as the data writes it.
    return _ended(f"{text[:1].upper()}{text[1:]}" if _OPENERS.match(text) else text)


def _ended(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


_OPENERS = re.compile(r"(?:in|since|after|before|until|between|the|there|those|year) ")


def _single(plan: Plan, row: Sequence[Cell]) -> str:
    """One row of aggregates: a count as `there are`, others as `the average M is`."""
    about = other_words(plan)
    be = "was" if time_words(plan) else "is"
    said = []
    for place, (term, cell) in enumerate(_pairs(plan, row)):
        if _counts(term) and not place and isinstance(cell, int):
            said.append(_there(plan, term, cell) + about)
            continue
        said.append(f"the {term_words(term)}{'' if place else about} {be} {_cell(term, cell)}")
    return _sentence(plan, "; ".join(said))


def _counts(term: Term) -> bool:
    return isinstance(term, Measure) and term.aggregation in ("count", "count_distinct")


def _there(plan: Plan, term: Term, cell: int) -> str:
    past = bool(time_words(plan))
    be = ("was" if past else "is") if cell == 1 else ("were" if past else "are")
    return f"there {be} {number(cell)} {_things(plan, term, cell)}"


def _things(plan: Plan, term: Term, size: int) -> str:
    """What a count counts: rows of a table, or the different values of a column."""
    field = term.field if isinstance(term, Measure) else term
    one = size == 1
    if field is None:
        return f"{'row' if one else 'rows'} of {plan.table}"
    if isinstance(term, Measure) and term.aggregation == "count":
        return f"{'value' if one else 'values'} of {field.column}"
    name = field.column if one else plural_of(field.column)
    if name and plural_of(field.column):
        return name if one else f"different {name}"
    return f"different {'value' if one else 'values'} of {term_words(field)}"


def _ranking(plan: Plan, rows: Rows) -> str:
    """Who came first, and with which value: `Marsh had the highest average mass: 40.2.`"""
    by = plan.order[0].by
    about = other_words(plan)
    key = _superlative(plan, by)
    found = []
    for row in rows[:_LISTED]:
        asked = [_named(t, c) for t, c in _pairs(plan, row) if t in plan.select and t != by]
        proof = [_cell(t, c) for t, c in _pairs(plan, row) if t == by]
        found.append((", ".join(asked), ", ".join(proof)))
    winner, value = found[0]
    if len(found) == 1 and winner and value:
        have = "had" if time_words(plan) else "has"
        return _sentence(plan, f"{winner} {have} {key}{about}: {value}")
    if len(found) == 1:
        return _sentence(plan, f"{key}{about} {'is' if value else 'belongs to'} {value or winner}")
    lines = [f"{asked}: {proof}" if asked and proof else asked or proof for asked, proof in found]
    several = key.replace("the ", f"the {in_words(len(rows))} ", 1)
    if isinstance(by, Measure) and by.field is None:
        several = f"those with {key}"
    return _sentence(plan, f"{several}{about}: " + "; ".join(lines))


def _superlative(plan: Plan, by: Term) -> str:
    most = plan.order[0].descending
    place = _ORDINALS.get(plan.offset, f"number {plan.offset + 1} ") if plan.offset else ""
    if isinstance(by, Measure) and by.field is None:
        return f"the {place}{'most' if most else 'fewest'} rows of {plan.table}"
    if isinstance(by, Measure) and by.aggregation == "count_distinct":
        return f"the {place}{'most' if most else 'fewest'} {_things(plan, by, 2)}"
    return f"the {place}{'highest' if most else 'lowest'} {term_words(by)}"


def _named(term: Term, cell: Cell) -> str:
    """A winner that is only a number is given with what it is a number of."""
    text = _cell(term, cell)
    return f"{term_words(term)} {text}" if isinstance(cell, int | float) else text


_ORDINALS = {1: "second ", 2: "third ", 3: "fourth ", 4: "fifth "}


def _trend(plan: Plan, rows: Rows, total: int) -> str:
    """First, last, difference and percent of each series."""
    if total > len(rows):
        return listing([term_words(t) for t in plan.columns], rows, total)
    width = len(plan.groups)
    about = other_words(plan)
    series: dict[tuple[Cell, ...], list[Sequence[Cell]]] = {}
    for row in rows:
        series.setdefault(tuple(row[1:width]), []).append(row)
    parts = []
    for group, points in list(series.items())[:_SERIES]:
        name = ", ".join(number(cell) for cell in group)
        for place, term in enumerate(plan.columns[width:], width):
            parts.append(_change(name, f"the {term_words(term)}{about}", points, place))
    more = f" ({_first(_SERIES)} of {len(series)} series)" if len(series) > _SERIES else ""
    text = "; ".join(parts) + more
    return _ended(f"{text[:1].upper()}{text[1:]}" if text.startswith("the ") else text)


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
    if not difference:
        return f"{head} was {number(begin)} in {first[0]} and the same in {last[0]}"
    percent = f", {100 * difference / abs(begin):+.1f} %" if begin else ""
    return (
        f"{head} {'rose' if difference > 0 else 'fell'} from {number(begin)} in {first[0]} to "
        f"{number(end)} in {last[0]} "
        f"(a difference of {'+' if difference > 0 else ''}{number(difference)}{percent})"
    )


def _groups(plan: Plan, rows: Rows, total: int) -> str:
    """Each group with its measures; of two that were compared, the difference."""
    shown = rows[:_LISTED]
    fields = [i for i, term in enumerate(plan.columns) if isinstance(term, Field)]
    measures = [i for i, term in enumerate(plan.columns) if isinstance(term, Measure)]
    lines = []
    for row in shown:
        key = ", ".join(_cell(plan.columns[i], row[i]) for i in fields)
        value = ", ".join(_cell(plan.columns[i], row[i]) for i in measures)
        lines.append(f"{key}: {value}" if value else key)
    keys = " and ".join(term_words(plan.columns[i]) for i in fields)
    what = " and the ".join(term_words(plan.columns[i]) for i in measures)
    head = f"the {what} for each {keys}" if what else f"the groups of {keys}"
    more = f" ({_first(len(shown))} of {total:,} groups)" if total > len(shown) else ""
    difference = _difference(plan, rows, measures)
    # The difference stands in one sentence with the two values that it comes from.
    text = f"{head}{other_words(plan)}{more}: " + (" and " if difference else "; ").join(lines)
    return _sentence(plan, text + difference)


def _difference(plan: Plan, rows: Rows, measures: Sequence[int]) -> str:
    chosen = {
        each.field for any_of in plan.filters for each in any_of.conditions
        if each.comparison == "in"
    }  # fmt: skip
    if len(rows) != 2 or len(measures) != 1 or not chosen & set(plan.groups):
        return ""
    one, other = rows[0][measures[0]], rows[1][measures[0]]
    if not isinstance(one, int | float) or not isinstance(other, int | float) or one == other:
        return ""
    return f" (a difference of {number(abs(one - other))})"


def _list(plan: Plan, rows: Rows, total: int) -> str:
    """The rows of a list: how many there are of what, and the first of them."""
    shown = rows[:_LISTED]
    lines = [", ".join(_cell(t, c) for t, c in _pairs(plan, row)) for row in shown]
    what = " and the ".join(term_words(term) for term in plan.columns)
    if total == 1:
        be = "was" if time_words(plan) else "is"
        return _sentence(plan, f"the {what}{other_words(plan)} {be} {lines[0]}")
    more = f", of which {_first(len(shown))}" if total > len(shown) else ""
    unique = plan.distinct or len({tuple(row) for row in rows}) == total
    whole = unique and len(plan.columns) == 1
    unlike = plural_of(plan.select[0].column) if isinstance(plan.select[0], Field) else None
    if whole and unlike and plan.select[0] not in {order.by for order in plan.order}:
        be = "were" if time_words(plan) else "are"
        return _sentence(
            plan, f"there {be} {total:,} {unlike}{other_words(plan)}{more}: " + "; ".join(lines)
        )
    head = f"the {what}{other_words(plan)} ({total:,} rows{more})"
    return _sentence(plan, f"{head}: " + "; ".join(lines))
