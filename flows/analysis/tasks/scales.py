"""Values beside all values of their column: inside the fences of outliers, or scaled."""

from __future__ import annotations

from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Between,
    Constant,
    Expression,
    FieldRef,
    Function,
    Predicate,
    Query,
    Scalar,
)


def inside(field: FieldRef, times: float) -> Predicate:
    """That a value lies no further from the middle half of all than so many times its width."""
    low, high = quantile(field, 25), quantile(field, 75)
    width = Arithmetic(operator="-", left=high, right=low)
    fence = Arithmetic(operator="*", left=Constant(value=times), right=width)
    return Between(
        of=field,
        low=Arithmetic(operator="-", left=low, right=fence),
        high=Arithmetic(operator="+", left=high, right=fence),
    )


def scaled(field: FieldRef) -> Expression:
    """A value as a part of the way from the least to the greatest."""
    least, most = of_all("minimum", field), of_all("maximum", field)
    return Arithmetic(
        operator="/",
        left=Arithmetic(operator="-", left=field, right=least),
        right=Arithmetic(operator="-", left=most, right=least),
    )


def quantile(field: FieldRef, at: float) -> Expression:
    """The value below which so many of a hundred lie."""
    return of_all("percentile", field, at)


def of_all(function: Function, field: FieldRef, at: float | None = None) -> Expression:
    """One figure of all values of a column."""
    figure = Aggregate(function=function, of=field, at=at)
    return Scalar(query=Query(dataset=field.dataset, metrics=(figure,)))
