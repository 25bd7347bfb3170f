"""The rules of predicates: what can be compared with what."""

from __future__ import annotations

from dataclasses import replace

from flows.core.observation import Cell
from flows.semantics.kinds import (
    Kind,
    columns_of,
    kind_of,
    parse_moment,
    parse_time,
    value_kind,
)
from flows.semantics.query import (
    Among,
    And,
    Between,
    Comparison,
    Constant,
    During,
    Exists,
    Expression,
    Match,
    Missing,
    Not,
    OneOf,
    Or,
    Predicate,
)
from flows.semantics.rules.expressions import TIMES, check_expression, count_columns, demand
from flows.semantics.rules.spot import Spot


def check_predicate(predicate: Predicate, spot: Spot) -> None:
    """Report what is wrong with a predicate at its place."""
    match predicate:
        case And() | Or():
            for number, each in enumerate(predicate.of):
                check_predicate(each, spot.at(f"of[{number}]"))
        case Not():
            check_predicate(predicate.of, spot.at("of"))
        case Exists():
            _check_exists(predicate, spot)
        case Comparison():
            for name in ("left", "right"):
                check_expression(getattr(predicate, name), spot.at(name))
            equal = predicate.operator in ("=", "!=")
            _compare(predicate.left, predicate.right, spot, equal=equal)
        case _:
            check_expression(predicate.of, spot.at("of"))
            _check_values(predicate, spot)


def _check_values(
    predicate: Between | OneOf | Match | Missing | During | Among, spot: Spot
) -> None:
    match predicate:
        case Between():
            for name in ("low", "high"):
                end = getattr(predicate, name)
                check_expression(end, spot.at(name))
                _compare(predicate.of, end, spot.at(name), equal=False)
        case OneOf():
            for number, value in enumerate(predicate.values):
                constant = Constant(value=value)
                _compare(predicate.of, constant, spot.at(f"values[{number}]"), equal=True)
        case Match():
            demand(predicate.of, ("text",), "only a text contains another", spot.at("of"))
        case During():
            demand(predicate.of, TIMES, "only times lie in periods", spot.at("of"))
        case Among():
            inner = spot.at("query")
            spot.check_query(predicate.query, inner)
            if count_columns(predicate.query, spot.model) != 1:
                inner.report("the values of one column are wanted, and this query gives several")
            else:
                _compare_columns(predicate, inner)


def _compare_columns(among: Among, spot: Spot) -> None:
    columns = columns_of(among.query, spot.model)
    if columns:
        _compare(among.of, columns[0], spot, equal=True)


def _check_exists(exists: Exists, spot: Spot) -> None:
    if spot.level == "figure":
        spot.report("rows are looked at in `where`, not groups")
        return
    if spot.find_dataset(exists.dataset) is None:
        return
    path = spot.find_path(exists.via, exists.dataset)
    if path == ():
        spot.report(f"a row of {exists.dataset} is itself one: say with `via` which others")
    if path and exists.where is not None:
        inner = replace(spot, dataset=exists.dataset, reached=frozenset())
        check_predicate(exists.where, inner.at("where"))


def _compare(left: Expression, right: Expression, spot: Spot, *, equal: bool) -> None:
    """Report values that are not alike."""
    for each in (left, right):
        if isinstance(each, Constant) and each.value is None:
            spot.report("nothing is compared with a missing value: say `missing`")
            return
    kinds = [kind_of(each, spot.model) for each in (left, right)]
    if None in kinds:
        return
    one, other = (
        _meant(each, kind, kinds) for each, kind in zip((left, right), kinds, strict=True)
    )
    if "other" in (one, other):
        spot.report("values of this type are not compared")
    elif not alike(one, other):
        spot.report(f"a {one} is not compared with a {other}")
    elif one == "boolean" and not equal:
        spot.report("yes and no have no order")


def _meant(expression: Expression, kind: Kind | None, kinds: list[Kind | None]) -> Kind | str:
    """The kind of a value; a text that names a time is one beside a time."""
    value: Cell = expression.value if isinstance(expression, Constant) else None
    if isinstance(value, str):
        if any(each in TIMES for each in kinds):
            named = parse_moment(value)
            return "date" if named else f"text that is no date ({value!r})"
        if "time" in kinds:
            return "time" if parse_time(value) else f"text that is no time ({value!r})"
    return value_kind(value) or kind or "other"


def alike(one: str, other: str) -> bool:
    """Whether values of two kinds can be compared, or stand in one column."""
    return one == other or (one in TIMES and other in TIMES)
