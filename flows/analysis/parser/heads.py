"""The head of a query: what is asked for, which the clauses behind it say more about."""

from __future__ import annotations

from typing import cast

from flows.analysis.language.phrasebook import CLAUSES, ENDS
from flows.analysis.parser.clauses import (
    is_measured,
    read_group,
    read_label,
    read_list,
    read_rest,
    sees_end,
)
from flows.analysis.parser.cursor import Cursor, ParseError, RowScope
from flows.analysis.parser.expressions import as_predicate, phrase_reader, read_expression
from flows.analysis.parser.predicates import read_predicate
from flows.semantics.query import Expression, Order, Predicate, Rank, conjunction, conjuncts


class QueryParts:
    """What was read of a query so far; each part may come once."""

    def __init__(self) -> None:
        self.values: dict[str, object] = {}
        self.where: list[Predicate] = []

    def put(self, name: str, value: object) -> None:
        """Keep a part; raises Unread where it was there already."""
        if name in self.values:
            raise ParseError(f"{name!r} is said twice")
        self.values[name] = value

    def add(self, name: str, value: object) -> None:
        """Keep one more of the parts that may come several times."""
        self.values[name] = (*cast(tuple[object, ...], self.values.get(name, ())), value)

    def expressions(self, name: str) -> tuple[Expression, ...]:
        """The expressions of a part; none where it was not read."""
        return cast(tuple[Expression, ...], self.values.get(name, ()))

    @property
    def measure(self) -> Expression | None:
        """The first figure."""
        return next(iter(self.expressions("metrics")), None)

    @property
    def condition(self) -> Predicate | None:
        """All conditions on rows in one."""
        found = conjunction(self.where)
        if len(self.where) < 2 or found is None:
            return found
        spans = tuple(span for each in conjuncts(found) for span in each.spans)
        return found.model_copy(update={"spans": spans})


def read_head(at: Cursor, parts: QueryParts) -> None:
    """What is asked for: figures, groups, columns or rows."""
    if at.take("different"):
        parts.put("by", read_list(at, read_group))
    elif at.take("figures"):
        parts.put("metrics", read_list(at, read_expression))
    elif at.take("rows", "of") or at.take("all", "rows", "of"):
        at.scope.dataset = at.expect_dataset()
        read_belonging(at, parts)
    elif at.take("rows") or at.take("all", "rows"):
        pass
    elif sees_end(at) or at.peek(CLAUSES) == "by":
        _read_ranking(at, parts)
    elif _sees_rows(at):
        at.take("all")
        at.scope.dataset = at.expect_dataset()
        read_belonging(at, parts)
    else:
        _read_listed(at, parts)


def _sees_rows(at: Cursor) -> bool:
    """Whether the head is the name of a dataset, which stands for its rows."""
    if at.scope.dataset is not None or phrase_reader(at):
        return False
    here = at.place
    at.take("all")
    named = at.names.fields.match(at.words, at.place)
    end = here if at.attempt(Cursor.dataset) is None else at.place
    at.place = here
    if end == here:
        return False
    if named is not None and named[1] == end:
        raise ParseError("a dataset and a field are called that")
    return named is None or named[1] < end


def read_belonging(at: Cursor, parts: QueryParts) -> None:
    """`without orders` behind the name of rows."""
    start = at.place
    _ = at.take_any("who", "that", "which")
    if at.peek(CLAUSES) == "unique" or not (
        at.sees("with") or at.sees("without") or at.sees("has") or at.sees("have")
    ):
        at.place = start
        return
    found = at.attempt(at.rules.read_atom)
    if found is None and at.take("with"):
        found = at.attempt(read_predicate)
    if found is None:
        at.place = start
    else:
        parts.where.append(as_predicate(found))


def _read_listed(at: Cursor, parts: QueryParts) -> None:
    """Figures, or else columns of rows: `total amount`, `name and city`."""
    found = read_list(at, read_expression)
    measured = [is_measured(each) for each in found]
    if all(measured):
        parts.put("metrics", found)
    elif not any(measured):
        parts.put("show", found)
    else:
        raise ParseError("figures and columns stand in one list")


def _read_ranking(at: Cursor, parts: QueryParts) -> None:
    """`top 3 products by total amount`, `for each region the total amount`."""
    start, scope = at.place, at.scope
    if scope.dataset is None and not (sees_end(at) and at.peek(ENDS) is None):
        # The figure says whose rows are meant, and stands behind the names that this explains.
        scope.dataset = at.within(RowScope(new=scope.new), lambda at: at.attempt(_read_measured))
        at.place = start
    groups = _read_groups(at)
    if not sees_end(at):
        parts.put("by", groups)
        parts.put("metrics", read_list(at, read_expression))
        return
    rank_start = at.place
    end = at.phrase(ENDS)
    n = at.whole()
    if not groups and end and n and at.attempt(lambda at: _read_rows(at, parts, end[0], n)):
        return
    thing = _read_thing(at)
    at.expect("by")
    metric = read_expression(at)
    if end is None or end[0] is None or not is_measured(metric) or n < 1:
        raise ParseError("the figure of the first ones was expected")
    rank = Rank(by=(Order(by=metric, descending=end[0]),), n=n, within=groups)
    parts.put("by", (*groups, thing))
    parts.put("metrics", (metric,))
    parts.put("rank", read_rest(at, rank, rank_start).model_copy(update={"within": groups}))


def _read_rows(at: Cursor, parts: QueryParts, first: bool | None, n: int) -> bool:
    """`orders` behind `first 10`, `orders by amount` behind `top 10`."""
    start = at.place
    dataset = at.expect_dataset()
    by: tuple[Order, ...] = ()
    at.scope.dataset = dataset
    if first is not None:
        at.expect("by")
        key = read_expression(at)
        if is_measured(key):
            raise ParseError("a figure is that of groups")
        by = (Order(by=key, descending=first),)
    parts.put("rank", Rank(by=by, n=n, spans=at.span(start)))
    return True


def _read_measured(at: Cursor) -> str | None:
    """The dataset of the figure that stands behind groups and things."""
    _read_groups(at)
    if sees_end(at):
        at.phrase(ENDS)
        at.whole()
        _read_thing(at)
        at.expect("by")
    at.scope.dataset = None
    read_expression(at)
    return at.scope.dataset


def _read_groups(at: Cursor) -> tuple[Expression, ...]:
    if at.peek(CLAUSES) != "by":
        return ()
    at.phrase(CLAUSES)
    groups = [read_group(at)]
    while at.take("and"):
        groups.append(read_group(at))
    at.take(",")
    return tuple(groups)


def _read_thing(at: Cursor) -> Expression:
    """What is ranked: a field, or the name of a dataset's rows."""
    start = at.place
    known = at.attempt(Cursor.dataset)
    end = at.place
    named = at.names.fields.match(at.words, start)
    if known is None or (named is not None and named[1] > end):
        at.place = start
        return read_expression(at)
    if named is not None and named[1] == end:
        raise ParseError("a dataset and a field are called that")
    return read_label(at, known, start)
