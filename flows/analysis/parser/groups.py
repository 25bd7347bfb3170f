"""What a remark changes of the groups of a query."""

from __future__ import annotations

from flows.analysis.language.remarks import GROUPINGS
from flows.analysis.parser.clauses import read_group, read_list
from flows.analysis.parser.conditions import without_condition
from flows.analysis.parser.cursor import Cursor
from flows.analysis.parser.ranks import listed
from flows.analysis.parser.remark import takes_place
from flows.analysis.parser.tree import substitute
from flows.analysis.parser.values import year_field
from flows.semantics.query import Expression, FieldRef, Order, Period, Query


def change_groups(at: Cursor, query: Query) -> Query | None:
    """`broken down by region` and `and by region` add a group; `by month` puts it in the place of
    those there. A group in which a condition chose one value spreads over all of its values."""
    instead = takes_place(at)
    added = at.phrase(GROUPINGS)
    if added is None:
        return None
    groups = read_list(at, lambda at: _read(at, query))
    instead = takes_place(at) or instead
    if not query.metrics and query.rank is None:
        return None
    spread = without_condition(query, groups[0]) if len(groups) == 1 else None
    if spread is not None and groups[0] not in query.by and not instead and not added[0]:
        return _spread(spread, groups[0], at)
    old = [(each, new) for each in query.by for new in groups if _is_grain(each, new)]
    for each, new in old:
        query = _replaced(query, each, new)
        groups = tuple(group for group in groups if group != new)
    new_ones = tuple(each for each in groups if each not in query.by)
    if old or (added[0] and not instead) or not query.by:
        return _add(query, new_ones)
    if len(query.by) == 1 and len(groups) == 1:
        return _replaced(query, query.by[0], groups[0])
    for each in query.by:
        query = without_group(query, each) if each not in groups else query
    return _add(query, new_ones)


def _read(at: Cursor, query: Query) -> Expression:
    """A group; `year` is the field of years where the rows have one."""
    group = read_group(at)
    if isinstance(group, Period) and group.grain == "year":
        return year_field(at, query) or group
    return group


def _replaced(query: Query, old: Expression, new: Expression) -> Query:
    """The query with another group, also in its order; conditions and figures stay."""
    made = substitute(query, old, new)
    own = {"where": query.where, "having": query.having, "metrics": query.metrics}
    dataset = old.dataset if isinstance(old, FieldRef) else ""
    kept = tuple(each for each in query.identity if each.dataset != dataset)
    return made.model_copy(update={**own, "identity": kept})


def _spread(query: Query, group: Expression, at: Cursor) -> Query:
    """All values of a group in which one was chosen, in order if they are times; of groups of
    which one won, all are shown."""
    field = at.names.field(group.dataset, group.field) if isinstance(group, FieldRef) else None
    timed = isinstance(group, Period) or (field is not None and field.role == "time")
    if query.rank is not None and query.rank.n == 1:
        query = listed(query)
    if not timed:
        return _add(query, (group,))
    show = (group, *query.show) if query.show else ()
    return query.model_copy(
        update={"by": (group, *query.by), "show": show, "sort": (Order(by=group),)}
    )


def _is_grain(old: Expression, new: Expression) -> bool:
    """Whether both are periods of one time, such as its months and its years."""
    return isinstance(old, Period) and isinstance(new, Period) and old.of == new.of


def _add(query: Query, groups: tuple[Expression, ...]) -> Query:
    show = query.show
    if show:
        last = max((place + 1 for place, each in enumerate(show) if each in query.by), default=0)
        show = (*show[:last], *groups, *show[last:])
    return query.model_copy(update={"by": (*query.by, *groups), "show": show})


def without_group(query: Query, group: Expression) -> Query:
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
    return query.model_copy(
        update={
            "by": kept(query.by), "show": kept(query.show), "sort": ordered(query.sort),
            "rank": rank, "transforms": transforms,
        }
    )  # fmt: skip
