"""Conditions that no row can meet at once: they are about two sets of rows.

`countries with mountains over 5000 and mountains under 3000` is no mountain that is both; it is the
countries that both kinds of mountains have. `in Fall 2009 or in Spring 2010` is a union.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from flows.analysis.reading.absence import way
from flows.analysis.reading.choices import Choices
from flows.analysis.reading.draft import Draft
from flows.analysis.reading.layout import tables_of
from flows.analysis.reading.plan import (
    AnyOf,
    Combined,
    Condition,
    Field,
    Measure,
    Plan,
    Term,
    Value,
)

Operation = Literal["union", "intersect"]
# What it costs to read conditions that exclude each other as if a row could meet them.
CONTRADICTION = 0.7
# How much likelier `A and B` of a thing that has many means all of them than any.
_LIST = 0.1
# What it costs that an `or` between two conditions was not read: they are joined by `and`.
_UNREAD_OR = 0.4


@dataclass(frozen=True, slots=True)
class Division:
    """The filters of the two sets, each with those that both share."""

    operation: Operation
    left: tuple[AnyOf, ...]
    right: tuple[AnyOf, ...]
    sure: bool = True


def division(draft: Draft, asked: str, operation: Operation) -> Division | None:
    """How the filters of a draft are of two sets; `asked` is its line before it was read."""
    order = _in_order(draft)
    pairs = [(i, j) for j in range(len(order)) for i in range(j)
             if exclude(draft.filters[order[i]], draft.filters[order[j]])]  # fmt: skip
    if not pairs:
        return _both(draft, asked) if operation == "intersect" else None
    first, second = min(i for i, _ in pairs), min(j for _, j in pairs)
    filters = [draft.filters[k] for k in order]
    shared, left, right = filters[:first], filters[first:second], filters[second:]
    said = _between(draft, order[second - 1], order[second])
    either = " or " in said
    if either != (operation == "union") or (either and len(left) + len(right) < 3):
        return None
    if either and len(pairs) < 2 and not re.search(r"(?<!\S)either(?!\S)", asked):
        return None
    rest = [f for k, f in enumerate(draft.filters) if k not in order and f.conditions]
    return Division(operation, (*rest, *shared, *left), (*rest, *shared, *right))


def _both(draft: Draft, asked: str) -> Division | None:
    """`both A and B` as values of one column."""
    several = [
        f for f in draft.filters
        if len(f.conditions) == 1 and f.conditions[0].comparison == "in"
        and len(f.conditions[0].values) == 2 and not isinstance(f.conditions[0].values[0], Plan)
    ]  # fmt: skip
    if len(several) != 1 or not re.search(r"[VQUN]\d+(?: ,)? (?:and|as well as)", asked):
        return None
    sure = bool(re.search(r"(?<!\S)(?:both|shared?|common|as well as)(?!\S)", asked))
    if (
        re.search(r"(?<!\S)(?:either|or|between|compare\w*|each|number|many)(?!\S)", asked)
        and not sure
    ):
        return None
    condition = several[0].conditions[0]
    one, other = (
        AnyOf((replace(condition, comparison="=", values=(value,)),)) for value in condition.values
    )
    sides = [tuple(new if f == several[0] else f for f in draft.filters if f.conditions)
             for new in (one, other)]  # fmt: skip
    return Division("intersect", sides[0], sides[1], sure)


def _in_order(draft: Draft) -> list[int]:
    """The filters in the order in which the question says them."""
    found = []
    for place, each in enumerate(draft.filters):
        spot = _spot(draft, place)
        if each.conditions and spot is not None:
            found.append((spot, place))
    return [place for _, place in sorted(found)]


def _spot(draft: Draft, place: int) -> int | None:
    """Where a filter was read: its mark, or that of the next, which was read with it."""
    for each in (place, place + 1):
        found = re.search(rf"(?<!\S)F{each}(?!\S)", draft.line)
        if found:
            return found.start()
    return None


def _between(draft: Draft, one: int, other: int) -> str:
    start, end = _spot(draft, one) or 0, _spot(draft, other) or 0
    return draft.line[start:end]


def exclude(one: AnyOf, other: AnyOf) -> bool:
    """Whether no row can meet both."""
    if len(one.conditions) != 1 or len(other.conditions) != 1:
        return False
    a, b = one.conditions[0], other.conditions[0]
    if a.field != b.field:
        return False
    first, second = _points(a), _points(b)
    if first is not None and second is not None:
        return not first & second
    low, high = _range(a), _range(b)
    if low is None or high is None:
        return False
    return (low[0] >= high[1] and low != high) or (high[0] >= low[1] and low != high)


def _points(condition: Condition) -> set[Value] | None:
    known = condition.comparison in ("=", "in")
    plain = not any(isinstance(value, Plan | Field) for value in condition.values)
    return set(condition.values) if known and plain else None


def _range(condition: Condition) -> tuple[float, float] | None:
    """The numbers that meet a condition, from the least to the most."""
    values = [float(v) for v in condition.values if isinstance(v, int | float)]
    if len(values) != len(condition.values) or not values or values[0] != values[0]:
        return None
    least, most = float("-inf"), float("inf")
    test = condition.comparison
    if test in (">", ">="):
        return values[0], most
    if test in ("<", "<="):
        return least, values[0]
    return (values[0], values[-1]) if test in ("=", "between") else None


def fork(draft: Draft, filters: Sequence[AnyOf]) -> Draft:
    """The same draft with other filters; to finish one leaves the other as it is."""
    made = copy.copy(draft)
    made.filters = list(filters)
    made.select, made.groups, made.order = list(draft.select), list(draft.groups), list(draft.order)
    made.having, made.apart, made.grouped = (
        list(draft.having), list(draft.apart), list(draft.grouped)
    )  # fmt: skip
    made.absent, made.notes = list(draft.absent), list(draft.notes)
    return made


def planned(
    draft: Draft, asked: str, parts: Division | None, choices: Choices,
    plan_of: Callable[[Draft], Plan | None],
) -> Plan | None:  # fmt: skip
    """The plan of a draft, of both sets where its filters are of two; adds doubt to the draft."""
    if parts is None and re.search(r"(?<!\S)F\d+ (?:\S+ )*?or (?:\S+ )*?F\d+(?!\S)", draft.line):
        draft.doubt += _UNREAD_OR
    if parts is None or (not parts.sure and choices.pick(2, _LIST)):
        return plan_of(draft)
    sides = fork(draft, parts.left), fork(draft, parts.right)
    for side in sides:
        side.select = _before_both(side, asked)
    left, right = map(plan_of, sides)
    found = combined(left, right, draft, parts) if left and right else None
    if found is None:
        draft.doubt += CONTRADICTION if parts.sure else 0.0
        return plan_of(draft)
    draft.doubt = sides[0].doubt
    draft.line, draft.notes = sides[0].line, sides[0].notes
    draft.note(f"{parts.operation}: what is said of one thing, and of another")
    return found


def _before_both(draft: Draft, asked: str) -> list[Term]:
    """What is asked for, without the nouns that are only repeated: `both hosts ... and hosts`."""
    told = asked.partition(" both ")
    slots = [slot for slot in re.findall(r"C\d+", asked) if slot in draft.slots]
    names = [column.name for slot in slots for column in draft.columns(slot)]
    before = set(re.findall(r"C\d+", told[0])) if told[1] else {
        slot for slot in slots if names.count(draft.column(slot).name) == 1
    }  # fmt: skip
    named = {c.name for slot in slots if slot in before for c in draft.columns(slot)}
    tested = {test.field.column for any_of in draft.filters for test in any_of.conditions}
    kept: list[Term] = [
        t for t in draft.select if isinstance(t, Field) and t.column in named - tested
    ]
    return kept or draft.select


def combined(left: Plan, right: Plan, draft: Draft, parts: Division) -> Plan | None:
    """One plan for both sets; None if they cannot be combined.

    By the key of the rows where what excludes each other are things of which a row has many; else
    by what is listed.
    """
    if parts.operation == "intersect":
        by_key = _by_key(left, right, draft)
        if by_key:
            return by_key
    fields = all(isinstance(term, Field) for term in left.select)
    if not left.select or not fields or left.limit or left.groups:
        return None
    if not {order.by for order in left.order} <= set(left.select):
        return None
    if left.select != right.select or not parts.sure:
        return None
    if parts.operation == "intersect" and _is_fixed(left):
        return None
    other = replace(right, order=())
    return replace(left, combined=(Combined(parts.operation, other),))


def _by_key(left: Plan, right: Plan, draft: Draft) -> Plan | None:
    """The rows of the left whose key is among those of the right."""
    key = draft.schema.member(left.table).key
    new = [f for f in right.filters if f not in left.filters]
    away = {name for each in new for name in tables_of(each)} - {left.table}
    if len(key) != 1 or not left.joins or not new or not away or left.table != right.table:
        return None
    if not all(_has_many(left, name) for name in away):
        return None
    field = Field(key[0], table=left.table)
    rows = replace(
        right, kind="rows", select=(field,), groups=(), apart=(), having=(), order=(), limit=None,
        offset=0, distinct=False,
    )  # fmt: skip
    return replace(left, filters=(*left.filters, AnyOf((Condition(field, "in", (rows,)),))))


def _has_many(plan: Plan, table: str) -> bool:
    """Whether a row of the plan may have many rows of another table."""
    here = plan.table
    for each in way(plan.joins, here, table):
        if each.dataset != here and not each.single:
            return True
        here = each.to if each.dataset == here else each.dataset
    return False


def _is_fixed(plan: Plan) -> bool:
    """Whether a filter of the left holds what is listed to one value: both sides differ in it."""
    tests = {f.conditions[0].field for f in plan.filters if len(f.conditions) == 1}
    return bool(tests & {t for t in plan.select if not isinstance(t, Measure)})
