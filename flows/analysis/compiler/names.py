"""The names of the columns of a result."""

from __future__ import annotations

from collections.abc import Sequence

from flows.semantics.kinds import columns_of
from flows.semantics.model import SemanticModel
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Bin,
    Cast,
    Constant,
    DateOf,
    Expression,
    FieldRef,
    MetricRef,
    Period,
    Scalar,
)

_AGGREGATES = {
    "average": "average_{}", "median": "median_{}", "sum": "total_{}", "minimum": "minimum_{}",
    "maximum": "maximum_{}", "count": "count_{}", "count distinct": "distinct_{}",
    "deviation": "deviation_{}",
}  # fmt: skip
_OPERATORS = {"+": "plus", "-": "minus", "*": "times", "/": "per"}
# PostgreSQL cuts longer names off.
_LONGEST = 60


def expression_name(expression: Expression, model: SemanticModel) -> str:
    """What the column of an expression is called."""
    match expression:
        case FieldRef(field=field):
            return field
        case MetricRef(metric=metric):
            return metric
        case Constant(value=value):
            return str(value)
        case Period(of=of, grain=grain):
            return f"{expression_name(of, model)}_{grain.replace(' of ', ' ').split(' ')[0]}"
        case Bin(of=of) | Cast(of=of):
            return expression_name(of, model)
        case Arithmetic(left=left, operator=operator, right=right):
            sides = [expression_name(each, model) for each in (left, right)]
            return f"{sides[0]}_{_OPERATORS[operator]}_{sides[1]}"
        case DateOf():
            return "date"
        case Scalar(query=query):
            return expression_name(columns_of(query, model)[0], model)
        case Aggregate():
            return _aggregate_name(expression, model)


def _aggregate_name(made: Aggregate, model: SemanticModel) -> str:
    if made.function == "share":
        return "percent"
    if made.of is None:
        return f"count_{made.dataset}" if made.dataset else "count"
    inner = expression_name(made.of, model)
    if made.function == "percentile":
        return f"percentile_{made.at:g}_{inner}"
    return _AGGREGATES[made.function].format(inner)


def column_names(expressions: Sequence[Expression], model: SemanticModel) -> list[str]:
    """The names of columns: with their datasets where two are called the same."""
    plain = [expression_name(each, model) for each in expressions]
    named = []
    for name, each in zip(plain, expressions, strict=True):
        owner = _owner(each) if plain.count(name) > 1 else ""
        named.append(f"{owner}_{name}" if owner else name)
    return distinct(named)


def _owner(expression: Expression) -> str:
    """The dataset of the field that a column is named after."""
    if isinstance(expression, FieldRef):
        return expression.dataset
    inner = getattr(expression, "of", None)
    return _owner(inner) if inner is not None else ""


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number behind those that repeat, whatever their case."""
    made: list[str] = []
    taken: set[str] = set()
    for each in names:
        plain = _short(each.strip() or "value")
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}_{number}"
        taken.add(name.casefold())
        made.append(name)
    return made


def _short(name: str) -> str:
    """The beginning of a name that no database cuts off."""
    while len(name.encode()) > _LONGEST:
        name = name[:-1]
    return name.strip()
