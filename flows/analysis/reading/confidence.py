"""How likely a reading is right, from signs that were weighed on questions with known answers.

The weights are those of a logistic regression; `benchmarks/reading.py --fit` finds them again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from flows.analysis.language.words import Token
from flows.analysis.linking.links import Link
from flows.analysis.reading.plan import Field, Measure, Plan, Term
from flows.data.tables import Table

_DIFFERENT = frozenset(["different", "distinct", "unique"])
_DENYING = frozenset(["no", "not", "never", "without", "except", "nor"])
_EACH = frozenset(["each", "every", "per"])
_EXTREME = frozenset(["most", "least", "fewest", "highest", "lowest", "largest", "smallest"])
_SETS = frozenset(["both", "either", "also", "neither", "respectively"])
# Nothing is further away than this, so that one odd reading does not decide alone.
_FAR = 2.0

BIAS = -0.692
WEIGHTS: Mapping[str, float] = {
    "a table is named": -0.039,
    "combined": 0.720,
    "denied": -0.477,
    "different": 0.223,
    "different lost": -0.933,
    "different unsaid": -0.872,
    "doubt": -3.603,
    "each lost": -1.586,
    "every column": -0.132,
    "extreme lost": -0.274,
    "fields": -0.094,
    "gap": 0.165,
    "groups": -0.203,
    "groups and more": -1.251,
    "having": -0.018,
    "inner": 1.034,
    "joins": 0.058,
    "link": 4.489,
    "measures": 0.175,
    "much doubt": 1.440,
    "near others": -0.255,
    "order": -0.119,
    "repeats": -0.465,
    "rivals": -0.046,
    "sentences": 0.541,
    "set words": 0.990,
    "tested and shown": -1.252,
    "text as numbers": -2.075,
    "unexplained": 0.096,
    "values": -0.168,
    "weakest link": -0.985,
    "words": -0.414,
}


# A reading that leaves out a word which says something is not what was asked.
LEFT_OUT = 0.39


def confidence(signs: Mapping[str, float], *, left_out: bool = False) -> float:
    """The likelihood, from 0 to 1, that a reading with these signs is right.

    With `left_out`, a word of content was not understood.
    """
    total = BIAS + sum(WEIGHTS.get(name, 0.0) * value for name, value in signs.items())
    likely = 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))
    return min(likely, LEFT_OUT) if left_out else likely


def signs_of(
    tokens: Sequence[Token],
    plan: Plan,
    links: Sequence[Link],
    tables: Sequence[Table],
    *,
    doubt: float,
    unexplained: int,
    others: Sequence[float],
) -> dict[str, float]:
    """What speaks for and against a reading. `others` are the doubts of the other plans."""
    words = {token.lower for token in tokens}
    gap = min(others, default=doubt + _FAR) - doubt
    scores = [each.score for each in links] or [0.0]
    measures = [term for term in plan.select if isinstance(term, Measure)]
    fields = [term for term in plan.select if isinstance(term, Field)]
    found: dict[str, float | bool] = {
        "doubt": min(doubt, _FAR),
        "much doubt": max(0.0, min(doubt, _FAR) - 0.5),
        "gap": min(gap, _FAR),
        "near others": sum(each < doubt + 0.2 for each in others),
        "unexplained": unexplained,
        "words": len(tokens) / 10,
        "link": sum(scores) / len(scores),
        "weakest link": min(scores),
        "rivals": sum(bool(each.rivals) for each in links),
        "values": sum(each.kind == "value" for each in links),
        "a table is named": any(each.kind == "table" for each in links),
        "joins": len(plan.joins),
        "groups": len(plan.groups),
        "groups and more": bool(plan.groups) and bool(measures) and len(plan.select) > 2,
        "having": bool(plan.having),
        "order": bool(plan.order),
        "measures": len(measures),
        "fields": len(fields),
        "every column": not plan.select,
        "inner": sum(1 for _ in _inner(plan)),
        "combined": bool(plan.combined),
        "denied": bool(words & _DENYING),
        "set words": bool(words & _SETS),
        "different": bool(words & _DIFFERENT),
        "different unsaid": plan.distinct and not words & _DIFFERENT,
        "different lost": bool(words & _DIFFERENT) and not _is_distinct(plan),
        "each lost": bool(words & _EACH) and bool(measures) and not plan.groups,
        "extreme lost": bool(words & _EXTREME) and not _is_extreme(plan),
        "tested and shown": len(_tested(plan) & set(fields)),
        "repeats": _repeats(plan, tables) and not words & _DIFFERENT,
        "text as numbers": any(field.part == "number" for field in _fields(plan)),
        "sentences": sum(token.text in ".?" for token in tokens),
    }
    return {name: float(value) for name, value in found.items()}


def _is_distinct(plan: Plan) -> bool:
    """Whether a plan tells different things once: rows, values or groups."""
    measures = [term for term in plan.select if isinstance(term, Measure)]
    measures += [term.by for term in plan.order if isinstance(term.by, Measure)]
    measures += [test.measure for test in plan.having]
    counted = any(each.aggregation == "count distinct" for each in measures)
    return plan.distinct or bool(plan.groups) or counted


def _is_extreme(plan: Plan) -> bool:
    """Whether a plan asks for what is first or last, itself or in a plan inside of it."""
    ends = ("minimum", "maximum")
    shown = any(isinstance(term, Measure) and term.aggregation in ends for term in plan.select)
    return bool(plan.order) or shown or any(map(_is_extreme, _inner(plan)))


def _tested(plan: Plan) -> set[Term]:
    """The fields that filters hold to one value."""
    return {
        condition.field
        for any_of in plan.filters if len(any_of.conditions) == 1
        for condition in any_of.conditions if condition.comparison == "="
    }  # fmt: skip


def _inner(plan: Plan) -> Iterator[Plan]:
    for any_of in plan.filters:
        for condition in any_of.conditions:
            yield from (value for value in condition.values if isinstance(value, Plan))


def _fields(plan: Plan) -> Iterator[Field]:
    terms: list[Term] = [*plan.select, *plan.groups, *(each.by for each in plan.order)]
    for term in terms:
        field = term.field if isinstance(term, Measure) else term
        if field is not None:
            yield field
    for any_of in plan.filters:
        yield from (condition.field for condition in any_of.conditions)


def _repeats(plan: Plan, tables: Sequence[Table]) -> bool:
    """Whether rows are listed of which several may be the same."""
    if plan.kind != "rows" or plan.distinct or plan.limit or not plan.select:
        return False
    known = {table.name: table for table in tables}
    for term in plan.select:
        table = known.get(term.table or plan.table) if isinstance(term, Field) else None
        for column in table.columns if table else ():
            if column.name == getattr(term, "column", "") and column.distinct >= column.rows:
                return False
    return True
