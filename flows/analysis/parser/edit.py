"""What a remark changes of a request: other groups, conditions, first rows, figures, a picture."""

from __future__ import annotations

from collections.abc import Callable

from flows.analysis.language.phrasebook import (
    AGAINST,
    AGGREGATES,
    CLAUSES,
    ENDS,
    FIRST,
    OPENINGS,
    PICTURES,
)
from flows.analysis.parser.clauses import (
    is_measured,
    read_decimals,
    read_group,
    read_list,
    read_orders,
    read_transform,
    sees_end,
)
from flows.analysis.parser.conditions import (
    add_condition,
    read_restriction,
    split_time,
    without_condition,
)
from flows.analysis.parser.cursor import Cursor, Scope, Unread
from flows.analysis.parser.exact import cursor_of
from flows.analysis.parser.expressions import read_expression
from flows.analysis.parser.predicates import read_atom, read_when, write_when
from flows.analysis.parser.tree import substitute, unplaced
from flows.semantics import query as q
from flows.semantics.model import SemanticModel
from flows.semantics.query import Aggregate, Expression, Order, Period, Query, Rank
from flows.semantics.request import Analysis, Chart, Prepare, Request

Asked = Query | Analysis
Change = Callable[[Cursor, Query], Query | None]


def edit(request: Request, remark: str, model: SemanticModel) -> Request | None:
    """The request as a remark changes it: `only 2024`, `and by region`, `top 3 only`, `as a bar
    chart`. What the remark does not name stays.

    None where the remark cannot be read as a change of this request. The places of words that the
    parts tell are those in the remark.
    """
    at = cursor_of(remark, model)
    changed: Request = unplaced(request)
    try:
        if at.is_done():
            return None
        while not at.is_done():
            _skip(at)
            changed = _change(at, changed)
            while at.take_any("please", "too", "also", "now"):
                pass
    except Unread:
        return None
    return changed


def _skip(at: Cursor) -> None:
    """Words between changes that say nothing."""
    while at.take(",") or at.take_any("but", "then", "also", "now", "just", "make", "it", "add"):
        pass
    if at.peek(CLAUSES) != "by" and not at.sees("and", "by"):
        at.take("and")
    while at.phrase(OPENINGS) or at.take_any("it", "them", "this", "draw"):
        pass


def _change(at: Cursor, request: Request) -> Request:
    """Read one change; raises Unread where the next words are none of this request."""
    if at.take("as"):
        return _draw(at, request)
    match request:
        case Query():
            return _change_query(at, request)
        case Analysis():
            at.scope = Scope(request.over.dataset)
            restriction = read_restriction(at)
            if restriction is None:
                raise Unread("only the rows of an analysis are changed by a remark")
            over = add_condition(request.over, restriction, at)
            return request.model_copy(update={"over": over})
        case Chart():
            return request.model_copy(update={"of": _change(at, request.of)})
        case Prepare():
            return request.model_copy(update={"then": _change(at, request.then)})
    raise Unread("this kind of request is not changed by a remark")


def _draw(at: Cursor, request: Request) -> Request:
    """`as a bar chart`, `as a table`."""
    if at.take("table"):
        if not isinstance(request, Chart):
            raise Unread("it is a table")
        return request.of
    picture = at.phrase(PICTURES)
    if picture is None:
        raise Unread("a kind of picture was expected")
    at.take("instead")
    if isinstance(request, Chart):
        return request.model_copy(update={"type": picture[0]})
    if not isinstance(request, Query | Analysis):
        raise Unread("this cannot be drawn")
    return Chart(of=request, type=picture[0])


def _change_query(at: Cursor, query: Query) -> Query:
    start = at.place
    for change in _CHANGES:
        at.place, at.scope = start, Scope(query.dataset)
        found: Query | None = at.attempt(lambda at, change=change: change(at, query))  # type: ignore[misc]
        if found is not None:
            return found
    raise Unread("nothing is changed by these words")


def _with(query: Query, **changes: object) -> Query:
    return query.model_copy(update=changes)


# --- first rows and order ----------------------------------------------------------------------


def _first(at: Cursor, query: Query) -> Query | None:
    """`top 3 only`, `the first 10`: as many rows of the order that is there."""
    at.take("only")
    if not sees_end(at):
        return None
    end = at.phrase(ENDS)
    n = at.whole()
    _ = at.take_any("only", "rows", "instead")
    if end is None or n < 1:
        return None
    before = query.rank
    by = before.by if before is not None and before.by else query.sort
    if not by and end[0] is not None:
        measure = next(iter(query.metrics), None)
        if measure is None:
            return None
        by = (Order(by=measure, descending=end[0]),)
    elif end[0] is False or (end[0] and before is not None and not query.sort):
        by = (by[0].model_copy(update={"descending": end[0]}), *by[1:])
    if at.take("by"):
        by = tuple(each.model_copy(update={"descending": bool(end[0])}) for each in read_orders(at))
    rank = before.model_copy(update={"n": n, "by": by}) if before else Rank(by=by, n=n)
    return _with(query, rank=rank)


def _all(at: Cursor, query: Query) -> Query | None:
    """`all of them`: no longer only the first rows."""
    if not at.take("all") or query.rank is None:
        return None
    _ = at.take("of", "them") or at.take_any("rows", "groups")
    return _with(query, rank=None)


def _sort(at: Cursor, query: Query) -> Query | None:
    """`sorted by name`, `lowest first`."""
    if (first := at.phrase(FIRST)) is not None:
        if not query.metrics:
            return None
        orders: tuple[Order, ...] = (Order(by=query.metrics[0], descending=first[0]),)
    elif at.peek(CLAUSES) == "sort":
        at.phrase(CLAUSES)
        orders = read_orders(at)
    else:
        return None
    at.take("instead")
    return _with(query, sort=orders)


# --- groups ------------------------------------------------------------------------------------


def _group(at: Cursor, query: Query) -> Query | None:
    """`and by region` adds a group; `by month instead` puts it in the place of those there."""
    instead = at.take("instead")
    if at.peek(CLAUSES) != "by":
        return None
    at.phrase(CLAUSES)
    groups = read_list(at, read_group)
    instead = at.take("instead") or instead
    if not query.metrics:
        return None
    old = [(each, new) for each in query.by for new in groups if _is_grain(each, new)]
    for each, new in old:
        query = substitute(query, each, new)
        groups = tuple(group for group in groups if group != new)
    if old or not instead:
        return _add_groups(query, tuple(each for each in groups if each not in query.by))
    if len(query.by) == 1 and len(groups) == 1:
        return substitute(query, query.by[0], groups[0])
    for each in query.by:
        query = _drop_group(query, each)
    return _add_groups(query, groups)


def _is_grain(old: Expression, new: Expression) -> bool:
    """Whether both are periods of one time, such as its months and its years."""
    return isinstance(old, Period) and isinstance(new, Period) and old.of == new.of


def _add_groups(query: Query, groups: tuple[Expression, ...]) -> Query:
    show = query.show
    if show:
        last = max((place + 1 for place, each in enumerate(show) if each in query.by), default=0)
        show = (*show[:last], *groups, *show[last:])
    return _with(query, by=(*query.by, *groups), show=show)


def _drop_group(query: Query, group: Expression) -> Query:
    """The query without a group, and without what was sorted or divided by it."""

    def kept(nodes: tuple[Expression, ...]) -> tuple[Expression, ...]:
        return tuple(each for each in nodes if each != group)

    def ordered(orders: tuple[Order, ...]) -> tuple[Order, ...]:
        return tuple(each for each in orders if each.by != group)

    rank = query.rank and query.rank.model_copy(
        update={"by": ordered(query.rank.by), "within": kept(query.rank.within)}
    )
    transforms = tuple(
        each.model_copy(update={"along": ordered(each.along), "within": kept(each.within)})
        for each in query.transforms
    )
    return _with(
        query, by=kept(query.by), show=kept(query.show), sort=ordered(query.sort), rank=rank,
        transforms=transforms,
    )  # fmt: skip


def _without(at: Cursor, query: Query) -> Query | None:
    """`without region`: the group goes, or the column, or the conditions on it."""
    if not (at.take("without") or at.take_any("drop", "remove")):
        return None
    if at.take("condition", "on") or at.take("filter", "on"):
        return without_condition(query, read_expression(at))
    named = read_group(at)
    if named in query.by:
        return _drop_group(query, named)
    if named in query.metrics and len(query.metrics) > 1:
        metrics = tuple(each for each in query.metrics if each != named)
        return _with(query, metrics=metrics, show=tuple(e for e in query.show if e != named))
    if named in query.show and len(query.show) > 1:
        return _with(query, show=tuple(each for each in query.show if each != named))
    return without_condition(query, named)


def _exclude(at: Cursor, query: Query) -> Query | None:
    """`without orders`, `with orders after 2024-01-01`: only rows that have others."""
    if not at.sees("without") and not at.sees("with"):
        return None
    condition = read_atom(at)
    if not isinstance(condition, q.Exists | q.Not):
        return None
    return add_condition(query, condition, at)


# --- conditions and figures --------------------------------------------------------------------


def _restrict(at: Cursor, query: Query) -> Query | None:
    """`only 2024`, `where status is 'open'`, `only Berlin`."""
    condition = read_restriction(at)
    _ = at.take_any("instead", "only")
    return None if condition is None else add_condition(query, condition, at)


def _compare(at: Cursor, query: Query) -> Query | None:
    """`compared with 2023`: the period that is asked for beside another."""
    if at.phrase(AGAINST) is None or (parted := split_time(query, at)) is None:
        return None
    rest, time = parted
    other = read_when(at)
    first = _scope(time, query, at)
    second = None if other is None else _scope(other, query, at)
    if first is None or second is None:
        return None
    return _with(query, where=rest, compare=q.Compare(a=first, b=second))


def _scope(when: q.Predicate, query: Query, at: Cursor) -> q.Scope | None:
    name = write_when(when, query.dataset, at.names)
    return q.Scope(name=name.removeprefix("in "), where=when) if name else None


def _aggregate(at: Cursor, query: Query) -> Query | None:
    """`the average instead`: the same figure in another way."""
    at.take("use")
    function = at.phrase(AGGREGATES)
    if function is None or not _closes(at):
        return None
    figures = [
        each for each in query.metrics if isinstance(each, Aggregate) and each.of is not None
    ]
    if not figures or len({each.function for each in figures}) > 1:
        return None
    for each in figures:
        new = each.model_copy(update={"function": function[0], "at": None})
        query = substitute(query, each, new)
    return query


def _closes(at: Cursor) -> bool:
    """Read `instead` or `instead of the total`; whether it stood there or the remark ends."""
    if not at.take("instead"):
        return at.is_done()
    if at.take("of") and at.phrase(AGGREGATES) is None:
        raise Unread("what is replaced was expected")
    return True


def _figure(at: Cursor, query: Query) -> Query | None:
    """`number of orders instead` replaces the one figure; without `instead` it is added."""
    figures = read_list(at, read_expression)
    if not all(map(is_measured, figures)) or not query.metrics:
        return None
    if at.take("instead"):
        if len(query.metrics) != 1 or len(figures) != 1:
            return None
        return substitute(query, query.metrics[0], figures[0])
    new = tuple(each for each in figures if each not in query.metrics)
    show = (*query.show, *new) if query.show else ()
    return _with(query, metrics=(*query.metrics, *new), show=show)


def _clause(at: Cursor, query: Query) -> Query | None:
    """`rounded to 2 decimals`, `without repeats`, `with the running total of ...`."""
    found = at.phrase(CLAUSES)
    match found:
        case ("decimals",):
            return _with(query, decimals=read_decimals(at))
        case ("unique",):
            return _with(query, unique=True)
        case ("with",):
            transform = read_transform(at)
            if transform is not None:
                return _with(query, transforms=(*query.transforms, transform))
    return None


_CHANGES: tuple[Change, ...] = (
    _clause, _first, _all, _sort, _group, _compare, _restrict, _without, _exclude, _aggregate,
    _figure,
)  # fmt: skip
