"""What follows the head of a query: groups, order, first rows, computed columns, comparisons."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from flows.analysis.language.phrasebook import (
    AGAINST,
    CLAUSES,
    COMPARISONS,
    COMPUTED,
    DIRECTIONS,
    ENDS,
    FIRST,
    GRAINS,
    RELATIVE,
)
from flows.analysis.parser.cursor import Cursor, ParseError
from flows.analysis.parser.expressions import (
    as_predicate,
    read_expression,
    write_expression,
    write_operand,
)
from flows.analysis.parser.periods import expect_time
from flows.analysis.parser.predicates import read_when, write_atom, write_when
from flows.analysis.parser.tokens import quote_text
from flows.analysis.parser.writer import Writer, listed
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Bin,
    Cast,
    Compare,
    Expression,
    FieldRef,
    MetricRef,
    Order,
    Period,
    Predicate,
    Rank,
    Scope,
    Transform,
)

Item = TypeVar("Item")
# Words that begin what stands behind the clauses of a query, in a chart or an analysis.
_BEHIND = frozenset({"with", "without", "using", "then", "compared", "today", "on"})


def is_measured(node: Expression) -> bool:
    """Whether an expression holds a figure of the rows that are spoken of, not only of one row."""
    match node:
        case MetricRef():
            return True
        case Aggregate():
            return not node.dataset
        case Arithmetic():
            return is_measured(node.left) or is_measured(node.right)
        case Period() | Bin() | Cast():
            return is_measured(node.of)
    return False


# --- reading -----------------------------------------------------------------------------------


def starts_clause(at: Cursor) -> bool:
    """Whether a clause comes next, and not one more part of a list."""
    word = at.words[at.place] if at.place < len(at.words) else ""
    if word in _BEHIND or CLAUSES.match(at.words, at.place) or sees_end(at):
        return True
    return FIRST.match(at.words, at.place) is not None or _sees_time(at)


def _sees_time(at: Cursor) -> bool:
    """Whether `after 2024-01-01` or `last 3 months` comes next."""
    if (compared := COMPARISONS.match(at.words, at.place)) is not None:
        return compared[1] < len(at.tokens) and at.tokens[compared[1]].kind == "date"
    if (relative := RELATIVE.match(at.words, at.place)) is None:
        return False
    counted = relative[1] < len(at.tokens) and at.tokens[relative[1]].kind == "number"
    return counted or GRAINS.match(at.words, relative[1]) is not None


def sees_end(at: Cursor) -> bool:
    """Whether `top 5`, `bottom 5` or `first 5` comes next."""
    found = ENDS.match(at.words, at.place)
    return found is not None and found[1] < len(at.tokens) and at.tokens[found[1]].kind == "number"


def read_list(at: Cursor, read: Callable[[Cursor], Item]) -> tuple[Item, ...]:
    """`A, B and C`, up to where a clause begins."""
    found = [read(at)]
    while True:
        place = at.place
        comma = at.take(",")
        if not (at.take("and") or comma) or starts_clause(at) or at.is_done():
            at.place = place
            return tuple(found)
        found.append(read(at))


def read_group(at: Cursor) -> Expression:
    """What groups are made by. `month` alone is that of the time of the rows, `customer` the name
    of one."""
    start = at.place
    grain = GRAINS.match(at.words, at.place)
    bare = grain and at.words[grain[1] : grain[1] + 1] != ["of"]
    if grain and bare and at.names.fields.match(at.words, at.place) is None:
        at.place = grain[1]
        time = FieldRef(dataset=at.scope.dataset or "", field=expect_time(at))
        return Period(of=time, grain=grain[0], spans=at.span(start))
    found = at.attempt(read_expression)
    if found is not None:
        return found
    known = at.expect_dataset()
    return read_label(at, known, start)


def read_label(at: Cursor, dataset: str, start: int) -> FieldRef:
    """What names the rows of a dataset, where the text names only the dataset: `by customer`."""
    label = at.names.by_name[dataset].label
    if not label:
        raise ParseError("the rows have no name")
    at.labels.add((dataset, label))
    return FieldRef(dataset=dataset, field=label, spans=at.span(start))


def read_orders(at: Cursor) -> tuple[Order, ...]:
    """`A descending and B`."""
    return read_list(at, _read_order)


def _read_order(at: Cursor) -> Order:
    start = at.place
    by = read_expression(at)
    direction = at.phrase(DIRECTIONS)
    return Order(by=by, descending=bool(direction and direction[0]), spans=at.span(start))


def read_rank(at: Cursor, measure: Expression | None) -> Rank:
    """`top 5`, `first 5 by A, after the first 3, with ties, within B`; `measure` is what the top
    is of where the text does not say it."""
    start = at.place
    end = at.phrase(ENDS)
    assert end is not None
    n = at.whole()
    if n < 1:
        raise ParseError("at least the first one is taken")
    at.take_any("rows", "only")
    by: tuple[Order, ...] = ()
    if at.take("by"):
        by = read_orders(at)
        if end[0] is not None:
            by = tuple(each.model_copy(update={"descending": end[0]}) for each in by)
    elif end[0] is not None:
        if measure is None:
            raise ParseError("it is not said what the top is of")
        by = (Order(by=measure, descending=end[0]),)
    return read_rest(at, Rank(by=by, n=n), start)


def read_rest(at: Cursor, rank: Rank, start: int) -> Rank:
    """What may stand behind the first rows: how many are skipped, ties, groups."""
    skip = 0
    if at.take("after", "first"):
        skip = at.whole()
    ties = at.take("with", "ties") or at.take("including", "ties")
    within = read_list(at, read_group) if at.take("within") else ()
    changes = {"skip": skip, "ties": ties, "within": within, "spans": at.span(start)}
    return rank.model_copy(update=changes)


def read_transform(at: Cursor) -> Transform | None:
    """`rank of A along B within C`; None where nothing is computed."""
    start = at.place
    computed = at.phrase(COMPUTED)
    if computed is None:
        return None
    of = read_expression(at)
    along = read_orders(at) if at.take("along") else ()
    within = read_list(at, read_group) if at.take("within") else ()
    n = 1
    if at.take("over"):
        n = at.whole()
        at.take_any("rows", "row")
    base = read_expression(at) if at.phrase(AGAINST) else None
    return Transform(
        operation=computed[0], of=of, along=along, within=within, n=max(n, 1), base=base,
        spans=at.span(start),
    )  # fmt: skip


def read_compare(at: Cursor) -> Compare:
    """`'a' where A with 'b' where B`."""
    start = at.place
    first = _read_scope(at)
    if not at.take("with") and at.phrase(AGAINST) is None:
        at.expect("and")
    return Compare(a=first, b=_read_scope(at), spans=at.span(start))


def _read_scope(at: Cursor) -> Scope:
    start = at.place
    name = at.text("text")
    if name is None:
        raise ParseError("the name of some rows was expected")
    at.expect("where")
    where = as_predicate(at.rules.read_atom(at))
    return Scope(name=name, where=where, spans=at.span(start))


def read_time(at: Cursor, dataset: str) -> Predicate | Compare | None:
    """`in 2024`, `after 2024-01-01`; with `compared with 2023` two scopes."""
    start = at.place
    when = read_when(at)
    if when is None:
        return None
    first = write_when(when, dataset, at.names)
    place = at.place
    if first is None or at.phrase(AGAINST) is None:
        at.place = place
        return when
    other = read_when(at)
    second = write_when(other, dataset, at.names) if other else None
    if other is None or second is None:
        raise ParseError("a second period was expected")
    return Compare(
        a=Scope(name=first.removeprefix("in "), where=when, spans=when.spans),
        b=Scope(name=second.removeprefix("in "), where=other, spans=other.spans),
        spans=at.span(start),
    )


def read_decimals(at: Cursor) -> int:
    """`2 decimals`."""
    found = at.whole()
    if not (at.take_any("decimals", "decimal") or at.take("places") or at.take("digits")):
        raise ParseError("`decimals` was expected")
    at.take("places")
    if found > 12:
        raise ParseError("at most 12 decimals are kept")
    return found


# --- writing -----------------------------------------------------------------------------------


def write_list(nodes: tuple[Expression, ...], writer: Writer) -> str:
    """Expressions as a list in English."""
    return listed([write_expression(each, writer) for each in nodes])


def write_orders(orders: tuple[Order, ...], writer: Writer) -> str:
    """What rows are sorted by."""
    return listed([
        write_operand(each.by, writer) + (f" {DIRECTIONS.write(True)}" if each.descending else "")
        for each in orders
    ])  # fmt: skip


def write_sort(orders: tuple[Order, ...], measure: Expression | None, writer: Writer) -> str:
    """`highest first` where rows are sorted by the first figure, else by what."""
    if len(orders) == 1 and measure is not None and orders[0].by == measure:
        return FIRST.write(orders[0].descending)
    return f"{CLAUSES.write('sort')} {write_orders(orders, writer)}"


def write_rank(rank: Rank, measure: Expression | None, writer: Writer) -> str:
    """Which of the first rows are taken."""
    if len(rank.by) == 1 and measure is not None and rank.by[0].by == measure:
        text = f"{ENDS.write(rank.by[0].descending)} {rank.n}"
    elif len(rank.by) == 1 and rank.by[0].descending:
        text = f"{ENDS.write(True)} {rank.n} by {write_operand(rank.by[0].by, writer)}"
    else:
        by = f" by {write_orders(rank.by, writer)}" if rank.by else ""
        text = f"{ENDS.write(None)} {rank.n}{by}"
    text += f" after the first {rank.skip}" if rank.skip else ""
    text += " with ties" if rank.ties else ""
    return text + (f" within {write_list(rank.within, writer)}" if rank.within else "")


def write_transform(node: Transform, writer: Writer) -> str:
    """A computed column."""
    text = f"{CLAUSES.write('with')} {COMPUTED.write(node.operation)} "
    text += write_operand(node.of, writer)
    text += f" along {write_orders(node.along, writer)}" if node.along else ""
    text += f" within {write_list(node.within, writer)}" if node.within else ""
    text += f" over {node.n} rows" if node.n != 1 else ""
    if node.base is not None:
        text += f" {AGAINST.write('with')} {write_operand(node.base, writer)}"
    return text


def write_compare(node: Compare, dataset: str, writer: Writer) -> str:
    """Two scopes; periods without the name of the field that they are of."""
    times = [write_when(each.where, dataset, writer.names) for each in (node.a, node.b)]
    names = [each.name for each in (node.a, node.b)]
    if all(times) and names == [str(each).removeprefix("in ") for each in times]:
        return f"{times[0]} {AGAINST.write('with')} {names[1]}"
    told = [
        f"{quoted(each.name)} where {write_atom(each.where, writer)}" for each in (node.a, node.b)
    ]
    return f"{CLAUSES.write('compare')} {told[0]} with {told[1]}"


def quoted(name: str) -> str:
    """The name of a scope between quotes, also where it looks like a date."""
    text = quote_text(name)
    return text if text[0] in "'\"" else f"'{text}'"
