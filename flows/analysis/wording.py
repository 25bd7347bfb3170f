"""A plan in words that the reader reads again: for answers, and to ask a question another way."""

from __future__ import annotations

from flows.analysis.plan import AnyOf, Condition, Field, Measure, Plan, Term
from flows.core.observation import Cell

_AGGREGATIONS = {
    "avg": "average", "median": "median", "sum": "total", "min": "minimum", "max": "maximum",
    "count": "number of values of", "count_distinct": "number of different",
}  # fmt: skip
_COMPARISONS = {
    "=": "", "!=": "not", ">": "more than", ">=": "at least", "<": "less than", "<=": "at most",
    "contains": "containing", "starts": "starting with", "ends": "ending with",
    "not contains": "not containing", "not starts": "not starting with",
    "not ends": "not ending with",
}  # fmt: skip


def term_words(term: Term) -> str:
    """A column or an aggregate in words."""
    if isinstance(term, Field):
        return term.column if term.part in ("value", "number") else f"{term.part} of {term.column}"
    if term.aggregation == "share":
        return "share"
    if term.field is None:
        return "number of rows"
    return f"{_AGGREGATIONS[term.aggregation]} {term_words(term.field)}"


def condition_words(plan: Plan) -> str:
    """The filters of a plan, with a blank before; empty when there are none."""
    filters = plan.filters
    if not filters:
        filters = next((t.of for t in plan.select if isinstance(t, Measure) and t.of), ())
    return "".join(f" {'and' if i else 'with'} {_either(each)}" for i, each in enumerate(filters))


def _either(any_of: AnyOf) -> str:
    return " or ".join(_condition(condition) for condition in any_of.conditions)


def _condition(condition: Condition) -> str:
    name = term_words(condition.field)
    test, values = condition.comparison, condition.values
    if test in ("missing", "present"):
        return f"{name} {'not ' if test == 'present' else ''}missing"
    if test in ("between", "not between"):
        return f"{name} {test} {_value(values[0])} and {_value(values[1])}"
    if test in ("in", "not in"):
        return f"{name} {'not ' if test == 'not in' else ''}" + " or ".join(map(_value, values))
    return " ".join(word for word in (name, _COMPARISONS[test], _value(values[0])) if word)


def _value(value: Cell) -> str:
    return str(value)


def plan_words(plan: Plan) -> str:
    """The whole plan as a question in plain words, for a second try with another wording."""
    asked = " and ".join(f"the {term_words(term)}" for term in plan.select) or "all information"
    text = f"Show {asked}"
    if plan.groups and plan.limit is None:
        text += " for each " + " and ".join(term_words(group) for group in plan.groups)
    text += condition_words(plan)
    if plan.order:
        down = "descending" if plan.order[0].descending else "ascending"
        text += f" ordered by {term_words(plan.order[0].by)} in {down} order"
    return text
