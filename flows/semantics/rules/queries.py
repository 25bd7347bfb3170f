"""The rules of a query as a whole: which parts go together, and at which level each stands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from flows.semantics.kinds import columns_of, fields_in, kind_of
from flows.semantics.node import Node
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Expression,
    MetricRef,
    Order,
    Query,
    Rank,
    Transform,
)
from flows.semantics.rules.expressions import (
    check_expression,
    count_columns,
    demand,
    is_additive,
    is_identifier,
    reach,
)
from flows.semantics.rules.predicates import check_predicate
from flows.semantics.rules.spot import Spot

_ALONG = ("running", "moving", "change", "growth", "index")
_STEPS = ("moving", "change", "growth")


def check_query(query: Query, spot: Spot) -> None:
    """Report what is wrong with a query at its place."""
    if spot.find_dataset(query.dataset) is None:
        return
    grouped = bool(query.by or query.metrics)
    rows = replace(spot, dataset=query.dataset, level="row", groups=(), reached=None, metrics=())
    groups = (*query.by, *query.identity)
    reached = reach(_joining(query), query.dataset, spot.model)
    tested = replace(rows, reached=reached)
    result = replace(tested, level="figure", groups=groups) if grouped else rows
    for number, each in enumerate(query.by):
        check_expression(each, rows.at(f"by[{number}]"))
        if not any(fields_in(each)):
            rows.at(f"by[{number}]").report("a group is made by a field")
    for number, ref in enumerate(query.identity):
        check_expression(ref, rows.at(f"identity[{number}]"))
    for number, each in enumerate(query.metrics):
        check_expression(each, replace(result, groups=groups).at(f"metrics[{number}]"))
    for number, each in enumerate(query.show):
        check_expression(each, result.at(f"show[{number}]"))
    if query.where is not None:
        check_predicate(query.where, tested.at("where"))
    if query.having is not None and grouped:
        check_predicate(query.having, result.at("having"))
    _check_parts(query, grouped, spot)
    _check_compare(query, tested, spot)
    _check_orders(query, result)
    for number, transform in enumerate(query.transforms):
        _check_transform(transform, result.at(f"transforms[{number}]"))
    _check_combine(query, spot)


def _joining(query: Query) -> Iterator[Node]:
    """The parts of a query whose fields say which rows are joined: all but what tests rows."""
    orders = (*query.sort, *(query.rank.by if query.rank else ()))
    within = query.rank.within if query.rank else ()
    moved = (part for each in query.transforms for part in (each.of, *each.within))
    along = (part.by for each in query.transforms for part in each.along)
    everything: tuple[Expression, ...] = (
        *query.by, *query.identity, *query.metrics, *query.show, *within, *moved, *along,
        *(each.by for each in orders),
    )  # fmt: skip
    for each in everything:
        yield from _untested(each)


def _untested(node: Node) -> Iterator[Node]:
    """An expression without what its figures test."""
    if isinstance(node, Aggregate):
        if node.of is not None and not node.dataset:
            yield node.of
    elif isinstance(node, Arithmetic):
        yield from _untested(node.left)
        yield from _untested(node.right)
    else:
        yield node


def _check_parts(query: Query, grouped: bool, spot: Spot) -> None:
    if query.identity and not query.by:
        spot.at("identity").report("groups are told apart, and there are none")
    if query.having is not None and not grouped:
        spot.at("having").report("groups are tested, and there are none: rows are in `where`")
    if query.compare is not None and not query.metrics:
        spot.at("compare").report("figures are compared, and there are none")
    if query.combine and (query.transforms or query.compare):
        spot.at("combine").report("rows with computed columns are not combined with others")
    if query.unique and query.transforms:
        spot.at("transforms").report("a column is computed from all rows, and some are left out")
    if query.unique and query.compare:
        spot.at("unique").report("groups that are compared stay apart")


def _check_compare(query: Query, tested: Spot, spot: Spot) -> None:
    if query.compare is None:
        return
    place = tested.at("compare")
    for name in ("a", "b"):
        check_predicate(getattr(query.compare, name).where, place.at(f"{name}.where"))
    if query.compare.a.name == query.compare.b.name:
        place.report("the two scopes need different names")
    groups = (*query.by, *query.identity)
    for each in columns_of(query, spot.model):
        if each not in groups:
            demand(each, ("number",), "numbers are compared", place)


def _check_orders(query: Query, result: Spot) -> None:
    for number, order in enumerate(query.sort):
        _check_order(order, query, result.at(f"sort[{number}].by"))
    if query.rank is not None:
        _check_rank(query.rank, query, result.at("rank"))


def _check_rank(rank: Rank, query: Query, spot: Spot) -> None:
    for number, order in enumerate(rank.by):
        _check_order(order, query, spot.at(f"by[{number}].by"))
    for number, each in enumerate(rank.within):
        _check_order(Order(by=each), query, spot.at(f"within[{number}]"))
    if rank.ties and not (rank.by or query.sort):
        spot.at("ties").report("rows are equal to the last one in an order, and there is none")


def _check_order(order: Order, query: Query, spot: Spot) -> None:
    check_expression(order.by, spot)
    if not _varies(order.by):
        spot.report("this is the same for all rows")
    if (query.unique or query.combine) and order.by not in columns_of(query, spot.model):
        spot.report("rows that are combined, or without repeats, are ordered by what they show")


def _varies(expression: Expression) -> bool:
    if isinstance(expression, Aggregate | MetricRef) or any(fields_in(expression)):
        return True
    inner = [getattr(expression, name, None) for name in ("left", "right", "of")]
    return any(isinstance(each, Node) and _varies(each) for each in inner)  # type: ignore[arg-type]


def _check_transform(made: Transform, spot: Spot) -> None:
    check_expression(made.of, spot.at("of"))
    for number, order in enumerate(made.along):
        check_expression(order.by, spot.at(f"along[{number}].by"))
        if not _varies(order.by):
            spot.at(f"along[{number}]").report("this is the same for all rows")
    for number, each in enumerate(made.within):
        check_expression(each, spot.at(f"within[{number}]"))
    if made.operation in _ALONG and not made.along:
        spot.report(f"{made.operation} goes along an order, and there is none")
    if made.operation not in _ALONG and made.along:
        spot.report(f"{made.operation} goes along no order")
    if made.operation not in _STEPS and made.n != 1:
        spot.report(f"{made.operation} counts no rows")
    if (made.operation == "difference") != (made.base is not None):
        spot.report("a difference, and nothing else, needs `base`")
    if made.base is not None:
        check_expression(made.base, spot.at("base"))
        demand(made.base, ("number",), "a number is taken away", spot.at("base"))
    _check_summed(made, spot)


def _check_summed(made: Transform, spot: Spot) -> None:
    if made.operation == "rank":
        return
    if not demand(made.of, ("number",), f"{made.operation} is of numbers", spot.at("of")):
        return
    if made.operation not in ("share", "running"):
        return
    if is_identifier(made.of, spot.model):
        spot.at("of").report("an identifier is not summed up")
    elif spot.level == "figure" and not is_additive(made.of, spot):
        spot.at("of").report("the figures of parts do not sum up to that of the whole")


def _check_combine(query: Query, spot: Spot) -> None:
    columns = columns_of(query, spot.model)
    for number, each in enumerate(query.combine):
        place = spot.at(f"combine[{number}].query")
        check_query(each.query, place)
        wanted = count_columns(query, spot.model)
        if count_columns(each.query, spot.model) != wanted:
            place.report(f"rows of {wanted} columns are combined with rows of another number")
            continue
        others = columns_of(each.query, spot.model)
        for one, other in zip(columns, others, strict=False):
            kinds = [kind_of(part, spot.model) for part in (one, other)]
            if None not in kinds and kinds[0] != kinds[1]:
                place.report(f"a {kinds[1]} cannot stand in a column where a {kinds[0]} stands")
