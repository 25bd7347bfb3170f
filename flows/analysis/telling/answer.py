"""The answer to a question in one or two sentences, made from the cells of its result only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from flows.analysis.plan import Field, Measure, Plan, Term
from flows.analysis.telling.told import Row, Told, derived, foreign, tell
from flows.analysis.telling.wording import (
    condition_words,
    in_words,
    other_words,
    plural_of,
    term_words,
    time_words,
)
from flows.core.observation import Cell

Rows = Sequence[Row]
_LISTED = 12
_SERIES = 6


def answer(
    plan: Plan,
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total_rows: int | None = None,
    result: str | None = None,
) -> str:
    """Say what a plan's result says. `rows` may be the first of `total_rows`.

    The cells must be those of `plan.columns` in order; other results are listed as they are. With
    the name of the `result` that keeps them, numbers are written as references to its cells.
    """
    total = len(rows) if total_rows is None else total_rows
    if not rows:
        return foreign(f"No row of {plan.table}{condition_words(plan)} answers this.")
    if len(rows) == 1 and all(cell is None for cell in rows[0]):
        return foreign(_nothing(plan, len(columns)))
    told = tell(columns, rows, result)
    if len(plan.columns) != len(columns):
        return _listing(columns, told, total)
    if plan.kind == "trend":
        return _trend(plan, told, total)
    if plan.limit is not None and plan.order:
        return _ranking(plan, told)
    if not plan.groups and plan.kind == "aggregate":
        return _single(plan, told[0])
    return _groups(plan, told, total) if plan.groups else _list(plan, told, total)


def _nothing(plan: Plan, width: int) -> str:
    """One row in which nothing stands: rows were found, or groups, but no value in them."""
    asked = [term for term in plan.select if isinstance(term, Field)]
    if plan.limit is not None and plan.order and asked and len(plan.columns) == width:
        names = " and the ".join(map(term_words, asked))
        key = _superlative(plan, plan.order[0].by)
        return f"The {names} with {key}{condition_words(plan)} is missing."
    measured = [term.field for term in plan.select if isinstance(term, Measure) and term.field]
    if not measured or plan.groups:
        return f"No row of {plan.table}{condition_words(plan)} answers this."
    names = " or ".join(dict.fromkeys(map(term_words, measured)))
    return f"No row of {plan.table}{condition_words(plan)} has a value of {names}."


def listing(
    columns: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    total: int | None = None,
    result: str | None = None,
) -> str:
    """The rows of any result, the first of them written out."""
    return _listing(columns, tell(columns, rows, result), len(rows) if total is None else total)


def _listing(columns: Sequence[str], rows: Rows, total: int) -> str:
    if not rows:
        return "The result is empty."
    names = [foreign(name) for name in columns]
    if len(rows) == 1 and total == 1:
        return "; ".join(f"{n} is {c.text()}" for n, c in zip(names, rows[0], strict=True)) + "."
    shown = [", ".join(cell.text() for cell in row) for row in rows[:_LISTED]]
    more = f" ({_first(len(shown))} of {total:,} rows)" if total > len(shown) else ""
    return _ended(f"{', '.join(names)}{more}: " + "; ".join(shown))


def _first(size: int) -> str:
    return f"the first {in_words(size)}"


def _cell(term: Term, cell: Told) -> str:
    if isinstance(term, Measure) and term.aggregation == "share" and cell.value is not None:
        return f"{cell.text()} %"
    if isinstance(term, Field) and isinstance(cell.value, int):
        return cell.text("plain" if abs(cell.value) < 1_000_000 else "")
    return cell.text()


def _pairs(plan: Plan, row: Row) -> list[tuple[Term, Told]]:
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


def _single(plan: Plan, row: Row) -> str:
    """One row of aggregates: a count as `there are`, others as `the average M is`."""
    about = other_words(plan)
    be = "was" if time_words(plan) else "is"
    said = []
    for place, (term, cell) in enumerate(_pairs(plan, row)):
        if _counts(term) and not place and isinstance(cell.value, int):
            said.append(_there(plan, term, cell) + about)
            continue
        said.append(f"the {term_words(term)}{'' if place else about} {be} {_cell(term, cell)}")
    return _sentence(plan, "; ".join(said))


def _counts(term: Term) -> bool:
    return isinstance(term, Measure) and term.aggregation in ("count", "count_distinct")


def _there(plan: Plan, term: Term, cell: Told) -> str:
    past = bool(time_words(plan))
    one = cell.value == 1
    be = ("was" if past else "is") if one else ("were" if past else "are")
    return f"there {be} {cell.text()} {_things(plan, term, 1 if one else 2)}"


def _things(plan: Plan, term: Term, size: int) -> str:
    """What a count counts: rows of a table, or the different values of a column."""
    field = term.field if isinstance(term, Measure) else term
    one = size == 1
    if field is None:
        return f"{'row' if one else 'rows'} of {plan.table}"
    if isinstance(term, Measure) and term.aggregation == "count":
        return f"{'value' if one else 'values'} of {field.column}"
    several = plural_of(field.column)
    if one:
        return field.column if several else f"value of {term_words(field)}"
    return f"different {several or f'values of {term_words(field)}'}"


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
    if len(found) == 1 and winner:
        have = "had" if time_words(plan) else "has"
        return _sentence(plan, f"{winner} {have} {key}{about}" + (f": {value}" if value else ""))
    if len(found) == 1:
        return _sentence(plan, f"{key}{about} is {value}")
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


def _named(term: Term, cell: Told) -> str:
    """A winner that is only a number is given with what it is a number of."""
    text = _cell(term, cell)
    return f"{term_words(term)} {text}" if isinstance(cell.value, int | float) else text


_ORDINALS = {1: "second ", 2: "third ", 3: "fourth ", 4: "fifth "}


def _trend(plan: Plan, rows: Rows, total: int) -> str:
    """First, last, difference and percent of each series."""
    if total > len(rows):
        return _listing([term_words(t) for t in plan.columns], rows, total)
    width = len(plan.groups)
    about = other_words(plan)
    series: dict[tuple[Cell, ...], list[Row]] = {}
    for row in rows:
        series.setdefault(tuple(cell.value for cell in row[1:width]), []).append(row)
    parts = []
    for points in list(series.values())[:_SERIES]:
        name = ", ".join(cell.text() for cell in points[0][1:width])
        for place, term in enumerate(plan.columns[width:], width):
            parts.append(_change(name, f"the {term_words(term)}{about}", points, place))
    more = f" ({_first(_SERIES)} of {len(series)} series)" if len(series) > _SERIES else ""
    text = "; ".join(parts) + more
    return _ended(f"{text[:1].upper()}{text[1:]}" if text.startswith("the ") else text)


def _change(name: str, what: str, points: Rows, place: int) -> str:
    known = [
        point for point in points if point[place].value is not None and point[0].value is not None
    ]
    head = f"{name}: {what}" if name else what
    if not known:
        return f"{head} is missing throughout"
    (since, begin), (until, end) = (
        (row[0].text("plain"), row[place]) for row in (known[0], known[-1])
    )
    one, other = begin.value, end.value
    if len(known) == 1 or not isinstance(one, int | float) or not isinstance(other, int | float):
        return f"{head} is {begin.text()} in {since}, the only point in time"
    if one == other:
        return f"{head} was {begin.text()} in {since} and the same in {until}"
    difference = derived("difference", end, begin, "+", other - one)
    percent = ""
    if one:
        percent = ", " + derived("change", begin, end, "+.1%", (other - one) / abs(one))
    return (
        f"{head} {'rose' if other > one else 'fell'} from {begin.text()} in {since} to "
        f"{end.text()} in {until} (a difference of {difference}{percent})"
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
    more, less = rows[0][measures[0]], rows[1][measures[0]]
    one, other = more.value, less.value
    if not isinstance(one, int | float) or not isinstance(other, int | float) or one == other:
        return ""
    if one < other:
        more, less = less, more
    return f" (a difference of {derived('difference', more, less, '', abs(one - other))})"


def _list(plan: Plan, rows: Rows, total: int) -> str:
    """The rows of a list: how many there are of what, and the first of them."""
    shown = rows[:_LISTED]
    lines = [", ".join(_cell(t, c) for t, c in _pairs(plan, row)) for row in shown]
    what = " and the ".join(term_words(term) for term in plan.columns)
    if total == 1:
        be = "was" if time_words(plan) else "is"
        return _sentence(plan, f"the {what}{other_words(plan)} {be} {lines[0]}")
    more = f", of which {_first(len(shown))}" if total > len(shown) else ""
    unique = plan.distinct or len({tuple(c.value for c in row) for row in rows}) == total
    whole = unique and len(plan.columns) == 1
    unlike = plural_of(plan.select[0].column) if isinstance(plan.select[0], Field) else None
    if whole and unlike and plan.select[0] not in {order.by for order in plan.order}:
        be = "were" if time_words(plan) else "are"
        return _sentence(
            plan, f"there {be} {total:,} {unlike}{other_words(plan)}{more}: " + "; ".join(lines)
        )
    head = f"the {what}{other_words(plan)} ({total:,} rows{more})"
    return _sentence(plan, f"{head}: " + "; ".join(lines))
