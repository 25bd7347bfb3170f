"""A plan in words that the reader reads again: for answers, and to ask a question another way."""

from __future__ import annotations

import json
from collections.abc import Sequence

from flows.analysis.language.lexicon import ORDINALS
from flows.analysis.language.words import split_identifier
from flows.analysis.plan import (
    COUNT,
    AnyOf,
    Condition,
    Field,
    Measure,
    Order,
    Plan,
    Term,
    Value,
)

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


def term_words(term: Term, *, exact: bool = False) -> str:
    """A column or an aggregate in words; `exact` marks names so that they are read as they are."""
    if isinstance(term, Field):
        name = f"`{term.column}`" if exact else term.column
        return name if term.part in ("value", "number") else f"{term.part} of {name}"
    if term.aggregation == "share":
        return "share"
    if term.field is None:
        return "number of rows"
    return f"{_AGGREGATIONS[term.aggregation]} {term_words(term.field, exact=exact)}"


def condition_words(plan: Plan, *, exact: bool = False) -> str:
    """The filters of a plan, with a blank before; empty when there are none."""
    filters = filters_of(plan)
    return "".join(
        f" {'and' if i else 'with'} {either_words(each, exact=exact)}"
        for i, each in enumerate(filters)
    )


def filters_of(plan: Plan) -> tuple[AnyOf, ...]:
    """The conditions that a plan's result is about; those of a share when there are no others."""
    if plan.filters:
        return plan.filters
    return next((t.of for t in plan.select if isinstance(t, Measure) and t.of), ())


def either_words(any_of: AnyOf, *, exact: bool = False) -> str:
    return " or ".join(_condition(condition, exact) for condition in any_of.conditions)


def _condition(condition: Condition, exact: bool) -> str:
    name = term_words(condition.field, exact=exact)
    test, values = condition.comparison, [_value(value, exact) for value in condition.values]
    if test in ("missing", "present"):
        return f"{name} {'not ' if test == 'present' else ''}missing"
    if test in ("between", "not between"):
        return f"{name} {test} {values[0]} and {values[1]}"
    if test in ("in", "not in"):
        inner = next((value for value in condition.values if isinstance(value, Plan)), None)
        if inner is not None and inner.limit is None and not inner.groups:
            return f"{'no ' if test == 'not in' else ''}{_belonging(inner, exact)}"
        among = "among " if inner is not None else ""
        return f"{name} {'not ' if test == 'not in' else ''}{among}" + " or ".join(values)
    return " ".join(word for word in (name, _COMPARISONS[test], values[0]) if word)


def _belonging(plan: Plan, exact: bool) -> str:
    """The rows of another table that belong to a row: `orders where amount is more than 5`."""
    tests = [any_of.conditions[0] for any_of in plan.filters if len(any_of.conditions) == 1]
    deeper = [v for each in tests for v in each.values if isinstance(v, Plan)]
    if deeper and deeper[0].table != plan.table:
        return _belonging(deeper[0], exact)
    said = [each for each in plan.filters if each.conditions[0].comparison != "present"]
    where = " and ".join(either_words(each, exact=exact) for each in said)
    joined = dict.fromkeys(name for each in plan.joins for name in (each.table, each.to))
    names = [name for name in joined if name != plan.table] or [plan.table]
    return f"{' and '.join(names)}{f' where {where}' if where else ''}"


def _value(value: Value, exact: bool) -> str:
    if isinstance(value, Field):
        return f"its {term_words(value, exact=exact)}"
    if isinstance(value, Plan):
        return part_words(value, exact=exact)
    text = isinstance(value, str) and exact and '"' not in value
    return json.dumps(value, ensure_ascii=False) if text else str(value)


def part_words(plan: Plan, *, exact: bool = False) -> str:
    """A plan inside of another: `the average price of cars with year 2010`."""
    asked = " and the ".join(term_words(term, exact=exact) for term in plan.select) or "rows"
    if plan.groups and plan.limit == 1 and plan.order and plan.order[0].by == COUNT:
        text = f"the {'most' if plan.order[0].descending else 'least'} common {asked}"
    elif plan.limit == 1 and plan.order:
        text = f"the {asked} with the {_place(plan, exact=exact)}"
    else:
        text = f"the {asked}"
    told = condition_words(plan, exact=exact)
    if plan.kind == "rows" or told:
        text += f" of {f'`{plan.table}`' if exact else plan.table}{told}"
    for each in plan.having:
        test = _COMPARISONS.get(each.comparison, each.comparison)
        text += f" with {test} {_value(each.values[0], exact)} {_measured(each.measure, exact)}"
    return text + _combined_words(plan, exact=exact)


def _measured(measure: Measure, exact: bool) -> str:
    return "rows" if measure == COUNT else term_words(measure, exact=exact)


_DERIVED = {
    "rank": "the rank", "running": "the running total", "share": "the percentage of the total",
    "change": "the change from the row before", "growth": "the growth in percent",
    "difference": "the difference",
}  # fmt: skip
_SETS = {"union": "together with", "intersect": "that are also", "except": "without"}


def _combined_words(plan: Plan, *, exact: bool) -> str:
    return "".join(
        f", {_SETS[each.operation]} {part_words(each.plan, exact=exact)}" for each in plan.combined
    )


def plan_words(plan: Plan) -> str:
    """The whole plan as a question in plain words, for another wording or a changed plan."""
    if plan.kind == "trend":
        return _trend_words(plan)
    if plan.derived and plan.derived[0].other:
        other = part_words(plan.derived[0].other, exact=True)
        return f"What is the difference between {part_words(plan, exact=True)} and {other}"
    ranked = plan.limit is not None and bool(plan.order)
    by = plan.order[0].by if ranked else None
    asked = _listed([term for term in plan.select if term != by]) or "rows"
    first = f" the first {plan.limit}" if plan.limit is not None and not ranked else ""
    unlike = "different " if plan.distinct else ""
    text = (
        f"Show{first or ' the'} {unlike}{asked}" if plan.select else f"Show{first or ' all'} rows"
    )
    if ranked:
        text += f" with the {_place(plan, exact=True)}"
    elif plan.groups:
        text += f" for each {_listed(plan.groups)}"
    text += f"{condition_words(plan, exact=True)} of `{plan.table}`"
    text += _combined_words(plan, exact=True)
    text += "".join(f", with {_DERIVED[each.operation]}" for each in plan.derived)
    if plan.order and not ranked:
        text += f" ordered by {_ordered(plan.order[0])}"
    return text


def _trend_words(plan: Plan) -> str:
    measures = [term for term in plan.select if isinstance(term, Measure)]
    series = plan.groups[1:]
    text = f"Show the {_listed(measures)}"
    text += f" for each {_listed(series)}" if series else ""
    return f"{text}{condition_words(plan, exact=True)} of `{plan.table}` over time"


def _place(plan: Plan, *, exact: bool) -> str:
    """`3 highest average M`: what the rows of a plan with an order and a limit come first by."""
    order = plan.order[0]
    number = f"{plan.limit} " if plan.limit != 1 else ""
    if plan.offset:
        number = next((f"{w} " for w, place in ORDINALS.items() if place == plan.offset + 1), "")
    if order.by == COUNT:
        return f"{number}{'most' if order.descending else 'fewest'} rows"
    end = "highest" if order.descending else "lowest"
    return f"{number}{end} {term_words(order.by, exact=exact)}"


def _ordered(order: Order) -> str:
    down = "descending" if order.descending else "ascending"
    return f"{term_words(order.by, exact=True)} in {down} order"


def _listed(terms: Sequence[Term]) -> str:
    return " and the ".join(term_words(term, exact=True) for term in terms)


# --- for answers, which are not read again -----------------------------------------------------


def time_words(plan: Plan) -> str:
    """`in 2007`, `since 2000`: the condition on a year, if there is one."""
    timed = [each.conditions[0] for each in filters_of(plan) if is_year_condition(each)]
    return " and ".join(_time(condition) for condition in timed)


def other_words(plan: Plan) -> str:
    """The conditions that are not about a year, with a blank before."""
    others = [each for each in filters_of(plan) if not is_year_condition(each)]
    said = [either_words(each) for each in others]
    return "".join(f" {'and' if i else 'with'} {each}" for i, each in enumerate(said))


_TIMES = {"=": "in {}", ">=": "since {}", ">": "after {}", "<": "before {}", "<=": "until {}",
          "between": "between {} and {}", "in": "in {}"}  # fmt: skip


def is_year_condition(any_of: AnyOf) -> bool:
    if len(any_of.conditions) != 1:
        return False
    condition = any_of.conditions[0]
    timed = condition.field.part == "year" or "year" in split_identifier(condition.field.column)
    years = all(isinstance(value, int) and 1000 <= value <= 2200 for value in condition.values)
    return timed and years and condition.comparison in _TIMES


def _time(condition: Condition) -> str:
    if condition.comparison == "in":
        return "in " + " or ".join(map(str, condition.values))
    return _TIMES[condition.comparison].format(*condition.values)


def plural_of(column: str) -> str | None:
    """The plural of a column that is called by one plain noun: `country`, not `custRef`."""
    if not column.isalpha() or len(column) < 4 or split_identifier(column) != (column.casefold(),):
        return None
    if column[-1] == "s" or not set("aeiou") & set(column.casefold()):
        return None
    if column[-1] == "y" and column[-2] not in "aeiou":
        return f"{column[:-1]}ies"
    return f"{column}es" if column.endswith(("x", "z", "ch", "sh")) else f"{column}s"


def in_words(number: int) -> str:
    """A small whole number as a word: it counts what is shown and is no value of the data."""
    if not 0 <= number < 100:
        return f"{number:,}"
    if number < len(_SMALL):
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens - 2]}-{_SMALL[ones]}" if ones else _TENS[tens - 2]


_SMALL = [
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
