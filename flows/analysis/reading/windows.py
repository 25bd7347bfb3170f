"""Questions about rows of the result: rank, running total, change from the one before, share.

What is asked is said more plainly (`year over year growth of X` as `X for each year`), read, and
the column that follows from its rows is put beside them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from flows.analysis.language.words import Token
from flows.analysis.reading.candidate import Candidate
from flows.analysis.reading.clauses import Line
from flows.analysis.reading.nesting import Reader
from flows.analysis.reading.placeholder import words
from flows.analysis.reading.plan import Derived, Measure, Order, Plan

Operation = Literal["rank", "running", "change", "growth", "share"]
# These phrases say one thing only: a reading that leaves them out is less likely.
_LIKELY = 0.1
_TRIED = 3
_PERIOD = r"(?:year|month|day|quarter|week|season|period)"
_OF = r"(?: (?:of|in|for))?(?: the)?"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A phrase, what it asks for, and the plainer questions it stands for.

    In a plainer question `{x}` is a group of the phrase: its tokens are kept as they are.
    """

    operation: Operation
    phrase: re.Pattern[str]
    plain: tuple[str, ...]


def _pattern(operation: Operation, phrase: str, *plain: str) -> Pattern:
    return Pattern(operation, re.compile(rf"(?<!\S){phrase}(?!\S)"), plain)


_STEP = r"(?:percentage |percent |relative )?(?P<step>growth|change|increase|difference)(?: rate)?"
_REST = r"(?P<x>.+?)(?= \?| \.|\s*$)"
PATTERNS: tuple[Pattern, ...] = (
    _pattern(
        "change",
        rf"(?P<p>{_PERIOD}) (?:- )?(?:over|on|to|by) (?:- )?{_PERIOD} {_STEP}{_OF} {_REST}",
        "total {x} for each {p}", "{x} for each {p}",
    ),
    _pattern(
        "change",
        rf"{_STEP}{_OF} (?P<x>.+?) (?:from|over|against|compared to|compared with|versus|vs|to) "
        rf"(?:the )?(?:previous|prior|last|preceding) (?P<p>{_PERIOD})"
        rf"(?: (?:for|in|per|by) (?:each|every)? ?{_PERIOD})?",
        "total {x} for each {p}", "{x} for each {p}",
    ),
    _pattern(
        "running",
        rf"(?:running|cumulative) (?:total|sum|amount|value)?{_OF} ?{_REST}",
        "total {x}", "{x}",
    ),
    _pattern(
        "share",
        r"(?:share|percentage|percent|proportion|fraction) of (?:the )?(?:total|overall|all)"
        r"(?: of)?(?: the)? (?P<x>.+?) (?:(?:does|do|is|are|was|were|comes?|came|made|by|per|for|"
        r"of|in|from|at|held|that|belongs?|to|the|goes|go) )*(?:each|every|by|per|all) (?P<g>.+?)"
        r"(?: (?:has|have|had|holds?|makes? up|contributes?|accounts? for|is|are))?"
        r"(?= \?| \.|\s*$)",
        "total {x} for each {g}", "number of {x} for each {g}",
    ),
    _pattern(
        "rank",
        rf"ranks?(?: of)? (?:each|every|all|the) (?P<g>.+?) by (?:its |their |the )?{_REST}",
        "name and {x} of each {g} ordered by {x} in descending order",
        "{x} for each {g} ordered by {x} in descending order",
    ),
)  # fmt: skip


def derived_readings(line: Line, reader: Reader) -> Iterator[Candidate]:
    """The readings with a column that follows from the rows of the result."""
    for pattern in PATTERNS:
        found = pattern.phrase.search(line.text)
        if not found:
            continue
        for tokens in _plainer(line, pattern, found):
            for main in reader(tokens)[:_TRIED]:
                plan = _derived(main.plan, _operation(pattern, found))
                if plan:
                    doubt = max(0.0, main.doubt - _LIKELY)
                    notes = (*main.notes, f"beside it: {plan.derived[0].operation}")
                    yield replace(main, plan=plan, doubt=doubt, notes=notes)


def _operation(pattern: Pattern, found: re.Match[str]) -> Operation:
    relative = re.search(r"growth|percent|relative|rate", found.group())
    return "growth" if pattern.operation == "change" and relative else pattern.operation


def _plainer(line: Line, pattern: Pattern, found: re.Match[str]) -> Iterator[tuple[Token, ...]]:
    before = line.tokens[: line.place(found.start())]
    after = line.tokens[line.place(found.end()) :]
    for plain in pattern.plain:
        tokens: list[Token] = []
        for piece in plain.split():
            if piece[0] == "{":
                start, end = found.span(piece[1:-1])
                tokens += line.tokens[line.place(start) : line.place(end)]
            else:
                tokens += words(piece)
        yield (*before, *tokens, *after)


def _derived(plan: Plan, operation: Operation) -> Plan | None:
    """The plan with the column, where its rows are such that it can be computed."""
    if plan.combined or plan.limit is not None or plan.derived:
        return None
    measures = [term for term in plan.select if isinstance(term, Measure)]
    return _ROWS[operation](plan, measures, operation)


def _over_time(plan: Plan, measures: list[Measure], operation: Operation) -> Plan | None:
    """For what goes from one row to the next: the last group is the one in whose order."""
    if len(measures) != 1 or not plan.groups or plan.apart:
        return None
    when = plan.groups[0] if plan.kind == "trend" else plan.groups[-1]
    within = tuple(group for group in plan.groups if group != when)
    order = (*(Order(group) for group in within), Order(when))
    column = Derived(operation, measures[0], order=(Order(when),), within=within)
    return replace(plan, kind="aggregate", order=order, derived=(column,))


def _of_all(plan: Plan, measures: list[Measure], operation: Operation) -> Plan | None:
    """For a share of the total."""
    sums = ("sum", "count")
    if len(measures) != 1 or measures[0].aggregation not in sums or not plan.groups:
        return None
    return replace(plan, derived=(Derived(operation, measures[0]),))


def _in_order(plan: Plan, measures: list[Measure], operation: Operation) -> Plan | None:
    """For a place in an order."""
    if len(plan.order) != 1 or (plan.groups and not measures):
        return None
    by = plan.order[0].by
    return replace(plan, derived=(Derived(operation, by, order=plan.order),))


_ROWS: dict[Operation, Callable[[Plan, list[Measure], Operation], Plan | None]] = {
    "running": _over_time, "change": _over_time, "growth": _over_time, "share": _of_all,
    "rank": _in_order,
}  # fmt: skip

_BETWEEN = re.compile(
    r"(?<!\S)difference (?:in (?P<what>.+?) )?between (?:the )?(?P<a>.+?) and (?:the )?(?P<b>.+?)"
    r"(?= \?| \.|\s*$)"
)
_SHORT = 6


def differences(line: Line, reader: Reader) -> Iterator[Candidate]:
    """The readings of `the difference between A and B`, each one number."""
    found = _BETWEEN.search(line.text)
    if not found:
        return
    one, other = (line.tokens[line.place(found.start(g)) : line.place(found.end(g))] for g in "ab")
    for first, second in _sides(one, other):
        for left in reader((*words("what is the"), *first))[:1]:
            for right in reader((*words("what is the"), *second))[:1]:
                if _is_number(left.plan) and _is_number(right.plan) and left.plan != right.plan:
                    yield _difference(left, right)


def _sides(
    one: tuple[Token, ...], other: tuple[Token, ...]
) -> Iterator[tuple[tuple[Token, ...], tuple[Token, ...]]]:
    """Both sides as they are said, and with what is said only once: its beginning, its end."""
    yield one, other
    for size in range(1, min(_SHORT, len(other))):
        yield (*one, *other[size:]), other
    for size in range(1, min(_SHORT, len(one)) + 1):
        yield one, (*one[:size], *other)


def _is_number(plan: Plan) -> bool:
    only = plan.select[0] if len(plan.select) == 1 else None
    return isinstance(only, Measure) and not plan.groups and not plan.having and not plan.derived


def _difference(left: Candidate, right: Candidate) -> Candidate:
    column = Derived("difference", left.plan.select[0], other=right.plan)
    return replace(
        left,
        plan=replace(left.plan, derived=(column,)),
        doubt=max(0.0, left.doubt, right.doubt, _LIKELY) - _LIKELY + _uneven(left.plan, right.plan),
        notes=(*left.notes, "minus", *right.notes),
        unexplained=(*left.unexplained, *right.unexplained),
    )


def _uneven(left: Plan, right: Plan) -> float:
    """Two sides that are of one kind are likelier than two that are not."""
    a, b = left.select[0], right.select[0]
    same = isinstance(a, Measure) and isinstance(b, Measure) and a.field == b.field
    fields = [{t.field for f in p.filters for t in f.conditions} for p in (left, right)]
    return (0.0 if same else 0.3) + (0.0 if fields[0] == fields[1] else 0.2)
