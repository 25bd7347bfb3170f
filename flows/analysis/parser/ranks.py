"""What a remark changes of the order of a query, and of the rows that it takes of it."""

from __future__ import annotations

from flows.analysis.language.phrasebook import CLAUSES, DIRECTIONS, ENDS, FIRST
from flows.analysis.language.remarks import (
    EXTREMES,
    MORE_ROWS,
    NUMBERS,
    PLACES_IN_ORDER,
    SORTS,
    TURNS,
)
from flows.analysis.parser.clauses import is_measured, read_list, read_orders
from flows.analysis.parser.cursor import Cursor, ParseError
from flows.analysis.parser.expressions import read_expression
from flows.analysis.parser.remark import ends, field_of
from flows.semantics.query import Aggregate, Expression, FieldRef, Order, Query, Rank

_LEAST_MORE = 10
# Numbers from here on are years and not numbers of rows.
_MOST_ROWS = 1000


def change_first(at: Cursor, query: Query) -> Query | None:
    """`top 3 only`, `the first 10`, `show 6 rows`: as many rows of the order that is there."""
    at.take("only")
    end = at.phrase(ENDS) or _extreme(at)
    n = _count(at)
    if n is None or (end is None and not _closes(at)):
        return None
    end = end or at.phrase(ENDS) or (None,)
    _ = at.take_any("only", "rows", "row", "results", "groups", "lines", "ones")
    by = _order(query)
    if not by and end[0] is not None:
        measure = figure_of(query)
        if measure is None:
            return None
        by = (Order(by=measure, descending=end[0]),)
    elif end[0] is False or (end[0] and query.rank is not None and not query.sort):
        by = (by[0].model_copy(update={"descending": end[0]}), *by[1:])
    if at.take("by"):
        by = tuple(each.model_copy(update={"descending": bool(end[0])}) for each in read_orders(at))
    return _ranked(query, by, n, 0)


def _extreme(at: Cursor) -> tuple[bool | None] | None:
    """An end of the order that is said in other words."""
    found = at.phrase(EXTREMES)
    return None if found is None else (found[0],)


def _closes(at: Cursor) -> bool:
    """Whether what was counted are rows, or an end of the order, or the remark ends."""
    rows = ("rows", "row", "results", "groups", "lines", "ones", "of")
    return at.is_done() or any(map(at.sees, rows)) or at.peek(ENDS) is not None


def _count(at: Cursor) -> int | None:
    """A number of rows, in figures or in words."""
    if (text := at.number()) is not None:
        good = text.isdecimal() and 0 < int(text) < _MOST_ROWS
        return int(text) if good else None
    found = at.phrase(NUMBERS)
    return None if found is None else found[0]


def change_end(at: Cursor, query: Query) -> Query | None:
    """`the lowest instead`, `only the highest`, `second highest`, `and the second one?`: another
    end of the order, or another place in it."""
    at.take("only")
    place = at.phrase(PLACES_IN_ORDER)
    end = at.phrase(EXTREMES)
    _ = at.take("of", "them") or at.take_any("one", "ones", "first")
    if (place is None and end is None) or not ends(at):
        return None
    by, measure = _order(query), figure_of(query)
    if not by and measure is not None and query.by:
        by = (Order(by=measure, descending=True),)
    if not by or not (query.by or not query.metrics):
        return None
    if end is not None:
        by = (by[0].model_copy(update={"descending": end[0]}), *by[1:])
    n = query.rank.n if query.rank is not None and place is None else 1
    return _ranked(query, by, n, place[0] - 1 if place else 0)


def turn(at: Cursor, query: Query) -> Query | None:
    """`the other way round`: the order from its other end."""
    if at.phrase(TURNS) is None:
        return None
    turned = tuple(_turned(each) for each in query.sort)
    rank = query.rank
    if rank is not None and rank.by:
        rank = rank.model_copy(update={"by": tuple(map(_turned, rank.by))})
    elif not turned and (measure := figure_of(query)) is not None and query.by:
        turned = (Order(by=measure),)
    return query.model_copy(update={"sort": turned, "rank": rank})


def change_all(at: Cursor, query: Query) -> Query | None:
    """`all of them`, `more rows`: no longer only the first rows."""
    every = at.phrase(MORE_ROWS)
    if every is None or query.rank is None:
        return None
    if every[0]:
        return listed(query)
    n = max(_LEAST_MORE, 2 * query.rank.n)
    return query.model_copy(update={"rank": query.rank.model_copy(update={"n": n, "skip": 0})})


def listed(query: Query) -> Query:
    """All rows of a query that took the first, in their order, with what it goes by."""
    if query.rank is None:
        return query
    sort = query.sort or query.rank.by
    return with_figures(query.model_copy(update={"rank": None, "sort": sort}), sort)


def with_figures(query: Query, orders: tuple[Order, ...]) -> Query:
    """The query with the figures that its rows are in order of."""
    new = tuple(each.by for each in orders if is_measured(each.by) and each.by not in query.metrics)
    if not new or not query.by:
        return query
    show = (*query.show, *new) if query.show else ()
    return query.model_copy(update={"metrics": (*query.metrics, *new), "show": show})


def change_sort(at: Cursor, query: Query) -> Query | None:
    """`sorted by name`, `lowest first`, `in descending order`: one row that won becomes the list
    of all."""
    orders = _read_sort(at, query)
    if orders is None:
        return None
    if query.rank is not None and query.rank.n == 1:
        query = listed(query)
    elif query.rank is not None and not query.rank.by and query.sort:
        query = query.model_copy(update={"rank": query.rank.model_copy(update={"by": query.sort})})
    return with_figures(query.model_copy(update={"sort": orders}), orders)


def _read_sort(at: Cursor, query: Query) -> tuple[Order, ...] | None:
    sorts = at.phrase(SORTS) is not None
    if sorts or at.peek(CLAUSES) == "sort":
        at.phrase(CLAUSES)
        if (found := at.attempt(lambda at: _read_orders(at, query))) is not None:
            return found
    direction = at.phrase(FIRST) or at.phrase(DIRECTIONS)
    if direction is None:
        if sorts:
            raise ParseError("what to sort by was expected")
        return None
    by = _order(query)
    key = by[0].by if by else figure_of(query)
    if direction[0] is False and key is None:
        key = _name(at, query)
    return None if key is None else (Order(by=key, descending=direction[0]),)


def _read_orders(at: Cursor, query: Query) -> tuple[Order, ...]:
    return read_list(at, lambda at: _read_order(at, query))


def _read_order(at: Cursor, query: Query) -> Order:
    start = at.place
    name = _name(at, query)
    if at.sees("name") and name is not None and not _has_name(at, query):
        at.place += 1
        by = name
    else:
        by = _key(field_of(at, query) or read_expression(at), at, query)
    direction = at.phrase(DIRECTIONS)
    down = bool(direction[0]) if direction else _was_descending(by, query)
    return Order(by=by, descending=down, spans=at.span(start))


def _has_name(at: Cursor, query: Query) -> bool:
    """Whether a field that comes next is shown, or is of the rows that are shown."""
    found = at.names.fields.match(at.words, at.place)
    called = {(each.dataset, each.name) for each in found[0]} if found else set()
    shown = [each for each in (*query.by, *query.show) if isinstance(each, FieldRef)]
    if query.by or query.metrics:
        return any((each.dataset, each.field) in called for each in shown)
    return any(dataset == query.dataset for dataset, _ in called)


def _name(at: Cursor, query: Query) -> Expression | None:
    """What calls the rows: their first group, else the label of the dataset."""
    named = [each for each in query.by if not is_measured(each)]
    shown = [each for each in query.show if isinstance(each, FieldRef)]
    if named or shown:
        return [*named, *shown][0]
    dataset = at.names.by_name.get(query.dataset)
    label = dataset.label if dataset and not query.metrics else ""
    return FieldRef(dataset=query.dataset, field=label) if label else None


def _key(named: Expression, at: Cursor, query: Query) -> Expression:
    """What a field means as a key: the figure of it that the query has, or itself."""
    for each in figures_of(query):
        if isinstance(each, Aggregate) and each.of == named:
            return each
    grouped = bool(query.by or query.metrics) and named not in query.by
    field = at.names.field(named.dataset, named.field) if isinstance(named, FieldRef) else None
    if grouped and field is not None and field.type in ("integer", "real"):
        return Aggregate(function="average", of=named)
    return named


def _was_descending(by: Expression, query: Query) -> bool:
    return any(each.descending for each in _order(query) if each.by == by and query.rank is None)


def figures_of(query: Query) -> tuple[Expression, ...]:
    """The figures that a query shows or is in order of."""
    ordered = [each.by for each in _order(query) if is_measured(each.by)]
    return tuple(dict.fromkeys([*query.metrics, *ordered]))


def figure_of(query: Query) -> Expression | None:
    """The first figure of a query."""
    return next(iter(figures_of(query)), None)


def _order(query: Query) -> tuple[Order, ...]:
    return query.rank.by if query.rank is not None and query.rank.by else query.sort


def _turned(order: Order) -> Order:
    return order.model_copy(update={"descending": not order.descending})


def _ranked(query: Query, by: tuple[Order, ...], n: int, skip: int) -> Query:
    before = query.rank or Rank(n=n)
    rank = before.model_copy(update={"n": n, "by": by, "skip": skip})
    return query.model_copy(update={"rank": rank})
