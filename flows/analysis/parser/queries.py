"""Queries: a head that says what is asked for, and clauses that say of which rows and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from flows.analysis.language.phrasebook import CLAUSES, FIRST, OPENINGS, RELATIVE, Clause
from flows.analysis.parser.clauses import (
    is_measured,
    read_compare,
    read_decimals,
    read_group,
    read_list,
    read_orders,
    read_rank,
    read_time,
    read_transform,
    sees_end,
    write_compare,
    write_list,
    write_rank,
    write_sort,
    write_transform,
)
from flows.analysis.parser.cursor import Cursor, ParseError, RowScope
from flows.analysis.parser.expressions import (
    read_expression,
    read_inner,
    write_inner,
)
from flows.analysis.parser.heads import QueryParts, read_belonging, read_head
from flows.analysis.parser.predicates import (
    read_predicate,
    write_belonging,
    write_predicate,
)
from flows.analysis.parser.writer import Writer
from flows.semantics.query import (
    Combine,
    Compare,
    Exists,
    FieldRef,
    Not,
    Order,
    Predicate,
    Query,
    Rank,
)

# --- reading -----------------------------------------------------------------------------------


def read_query(at: Cursor) -> Query:
    """A query, up to where none of its clauses follows."""
    outer, at.labels = at.labels, set()
    try:
        return _read_query(at)
    finally:
        at.labels = outer


def _read_query(at: Cursor) -> Query:
    start, parts = at.place, QueryParts()
    if at.scope.dataset is None:
        at.scope.dataset = find_dataset(at)
    while at.phrase(OPENINGS):
        pass
    read_head(at, parts)
    while _read_clause(at, parts):
        pass
    if at.scope.dataset is None:
        raise ParseError("it is not said which rows are meant")
    _keep_apart(at, parts)
    whole = {"dataset": at.scope.dataset, "where": parts.condition, "spans": at.span(start)}
    return Query.model_validate({**parts.values, **whole})


def _keep_apart(at: Cursor, parts: QueryParts) -> None:
    """Rows that are called by their label are told apart by their key: two customers may have one
    name."""
    found: list[FieldRef] = []
    for each in parts.expressions("by"):
        if isinstance(each, FieldRef) and (each.dataset, each.field) in at.labels:
            key = at.names.by_name[each.dataset].key
            found += [FieldRef(dataset=each.dataset, field=name) for name in key]
    if found and "identity" not in parts.values:
        parts.put("identity", tuple(found))


def find_dataset(at: Cursor) -> str | None:
    """The dataset of `over orders`, which stands behind the names that it explains."""
    depth, here = 0, at.place
    for place in range(here, len(at.tokens)):
        word = at.words[place]
        depth += (word == "(") - (word == ")")
        if depth < 0 or (depth == 0 and word == ";"):
            break
        if depth == 0 and word in ("over", "from", "among"):
            at.place = place + 1
            found = None if at.peek(RELATIVE) is not None else at.attempt(Cursor.dataset)
            at.place = here
            if found is not None:
                return found
    return None


def _read_clause(at: Cursor, parts: QueryParts) -> bool:
    """Read one clause; False where none comes next."""
    place = at.place
    at.take(",")
    _ = at.sees("and") and at.take("and")
    if sees_end(at):
        parts.put("rank", read_rank(at, parts.measure))
        return True
    first = at.phrase(FIRST)
    if first is not None:
        _turn(parts, first[0], at)
        return True
    start, clause = at.place, at.peek(CLAUSES)
    if clause not in (None, "in"):
        at.phrase(CLAUSES)
        assert clause is not None
        if _CLAUSES[clause](at, parts) is not False:
            return True
        at.place = start
    if _read_time(at, parts) or (at.take("for") and _read_over(at, parts) is None):
        return True
    at.place = place
    return False


def _turn(parts: QueryParts, descending: bool, at: Cursor) -> None:
    """`highest first`: of the first figure, or of what the rows are sorted by already."""
    order = {"descending": descending, "spans": at.span(at.place - 1)}
    sort = cast(tuple[Order, ...], parts.values.get("sort", ()))
    if len(sort) == 1 and not sort[0].descending and "metrics" not in parts.values:
        parts.values["sort"] = (sort[0].model_copy(update=order),)
    elif parts.measure is None:
        raise ParseError("it is not said what comes first")
    else:
        parts.put("sort", (Order(by=parts.measure).model_copy(update=order),))


def _read_time(at: Cursor, parts: QueryParts) -> bool:
    found = read_time(at, at.scope.dataset or "")
    if isinstance(found, Compare):
        parts.put("compare", found)
    elif found is not None:
        parts.where.append(found)
    return found is not None


def _read_over(at: Cursor, parts: QueryParts) -> bool | None:
    if (found := at.dataset()) is None:
        return False
    if found != at.scope.dataset:
        raise ParseError("two datasets are said")
    read_belonging(at, parts)
    return None


def _read_by(at: Cursor, parts: QueryParts) -> None:
    if "metrics" not in parts.values:
        raise ParseError("there is no figure for groups")
    groups = read_list(at, read_group)
    rank = parts.values.get("rank")
    if isinstance(rank, Rank) and "by" in parts.values and not rank.within:
        # `top 3 products by revenue in each region`
        parts.values["by"] = (*groups, *parts.expressions("by"))
        parts.values["rank"] = rank.model_copy(update={"within": groups})
        return
    parts.put("by", groups)


def _read_only(at: Cursor, parts: QueryParts) -> None:
    """`only where` holds for groups where it speaks of their figures."""
    condition = read_predicate(at)
    if holds_figures(condition):
        parts.put("having", condition)
    else:
        parts.where.append(condition)


def holds_figures(node: object) -> bool:
    """Whether a condition compares figures of groups."""
    if isinstance(node, tuple):
        return any(map(holds_figures, node))
    if not hasattr(node, "spans"):
        return False
    if is_measured(node):  # type: ignore[arg-type]
        return True
    inner = {"of", "left", "right", "low", "high"} & node.__dict__.keys()
    return any(holds_figures(getattr(node, name)) for name in inner)


def _read_with(at: Cursor, parts: QueryParts) -> bool | None:
    transform = read_transform(at)
    if transform is None:
        return False
    parts.add("transforms", transform)
    return None


def _read_identity(at: Cursor, parts: QueryParts) -> None:
    found = read_list(at, read_expression)
    if not all(isinstance(each, FieldRef) for each in found):
        raise ParseError("fields were expected")
    parts.put("identity", found)


def _set_of(operation: str) -> Callable[[Cursor, QueryParts], bool | None]:
    def read(at: Cursor, parts: QueryParts) -> bool | None:
        start = at.place - 1
        query = read_inner(at)
        parts.add("combine", Combine(operation=operation, query=query, spans=at.span(start)))
        return None

    return read


_CLAUSES: dict[Clause, Callable[[Cursor, QueryParts], bool | None]] = {
    "by": _read_by,
    "over": _read_over,
    "where": lambda at, parts: parts.where.append(read_predicate(at)),
    "only": _read_only,
    "having": lambda at, parts: parts.put("having", read_predicate(at)),
    "identity": _read_identity,
    "show": lambda at, parts: parts.put("show", read_list(at, read_expression)),
    "with": _read_with,
    "compare": lambda at, parts: parts.put("compare", read_compare(at)),
    "union": _set_of("union"),
    "intersect": _set_of("intersect"),
    "except": _set_of("except"),
    "sort": lambda at, parts: parts.put("sort", read_orders(at)),
    "unique": lambda _, parts: parts.put("unique", True),
    "decimals": lambda at, parts: parts.put("decimals", read_decimals(at)),
}


# --- writing -----------------------------------------------------------------------------------


def write_query(query: Query, writer: Writer) -> str:
    """A query. The dataset is said only where its first field does not say it."""
    new = writer.scope.new
    for said in (False, True) if new is None and not writer.explicit else (True,):
        scope = RowScope(query.dataset if said else None, new, query.dataset)
        text = writer.within(scope, lambda said=said: _write(query, writer, said))  # type: ignore[misc]
        if said or (text and scope.dataset == query.dataset):
            return text
    raise AssertionError("a query whose dataset is said can be written")


def _write(query: Query, writer: Writer, said: bool) -> str:
    """The text, `said` whether it says the dataset; empty where it has to and does not."""
    head, used = _write_head(query, writer, said)
    if not head:
        return ""
    by = f" by {write_list(query.by, writer)}" if query.by and "by" not in used else ""
    over = f" over {writer.dataset(query.dataset)}" if said and "over" not in used else ""
    clauses = [text for text in _write_clauses(query, writer, used) if text]
    return ", ".join([f"{head}{by}{over}", *clauses])


def _write_head(query: Query, writer: Writer, said: bool) -> tuple[str, set[str]]:
    """The head, and which parts of the query it tells."""
    if query.metrics:
        told = write_list(query.metrics, writer)
        whole = all(map(is_measured, query.metrics))
        if not whole:
            return f"figures {told}", set()
        return ("" if not said and writer.is_dataset(told) else told), set()
    if query.by:
        return f"different {write_list(query.by, writer)}", {"by"}
    if query.show and not any(map(is_measured, query.show)):
        told = write_list(query.show, writer)
        return ("" if not said and writer.is_dataset(told) else told), {"show"}
    return _write_rows(query, writer)


def _write_rows(query: Query, writer: Writer) -> tuple[str, set[str]]:
    writer.scope.dataset = query.dataset
    name = writer.dataset(query.dataset)
    head = f"rows of {name}" if writer.is_name(name) else name
    match query.where:
        case Exists() as exists:
            return f"{head} with {write_belonging(exists, writer)}", {"over", "where"}
        case Not(of=Exists() as exists):
            return f"{head} without {write_belonging(exists, writer)}", {"over", "where"}
    return head, {"over"}


def _write_clauses(query: Query, writer: Writer, used: set[str]) -> list[str]:
    measure = next(iter(query.metrics), None)
    where = None if "where" in used else query.where
    show = () if "show" in used else query.show
    texts = [f"where {write_predicate(where, writer)}"] if where is not None else []
    texts += [f"kept apart by {write_list(query.identity, writer)}"] if query.identity else []
    texts += [f"showing {write_list(show, writer)}"] if show else []
    texts += [_write_having(query.having, writer)] if query.having is not None else []
    texts += [write_transform(each, writer) for each in query.transforms]
    texts += [write_compare(query.compare, query.dataset, writer)] if query.compare else []
    texts += [_write_combine(each, writer) for each in query.combine]
    texts += [write_sort(query.sort, measure, writer)] if query.sort else []
    texts += [write_rank(query.rank, measure, writer)] if query.rank else []
    texts += [CLAUSES.write("unique")] if query.unique else []
    if query.decimals is not None:
        texts.append(f"rounded to {query.decimals} decimals")
    return texts


def _write_having(node: Predicate, writer: Writer) -> str:
    clause = CLAUSES.write("only" if holds_figures(node) else "having")
    return f"{clause} {write_predicate(node, writer)}"


def _write_combine(node: Combine, writer: Writer) -> str:
    return f"{CLAUSES.write(node.operation)} {write_inner(node.query, writer)}"
