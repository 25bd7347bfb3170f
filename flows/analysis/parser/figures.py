"""What a remark changes of the figures of a query."""

from __future__ import annotations

from flows.analysis.language.phrasebook import AGGREGATES, CLAUSES
from flows.analysis.language.remarks import COUNTED, NUMBERS, PERCENTAGES
from flows.analysis.parser.clauses import (
    is_measured,
    read_decimals,
    read_list,
    read_transform,
)
from flows.analysis.parser.cursor import Cursor, ParseError
from flows.analysis.parser.expressions import read_expression
from flows.analysis.parser.ranks import figures_of
from flows.analysis.parser.remark import ends, field_of, takes_place
from flows.analysis.parser.tree import substitute
from flows.semantics.query import (
    Aggregate,
    Expression,
    FieldRef,
    MetricRef,
    Query,
    Transform,
)
from flows.semantics.tree import parts

# What can be made of all numbers, and not only of some rows or of none.
_OF_NUMBERS = ("sum", "average", "median", "minimum", "maximum", "percentile", "deviation")


def change_function(at: Cursor, query: Query) -> Query | None:
    """`the average instead`, `and the median?`: the same figure in another way."""
    function = at.phrase(AGGREGATES)
    if function is None or function[0] not in _OF_NUMBERS:
        return None
    if not ends(at):
        return None
    figures = [
        each
        for each in figures_of(query)
        if isinstance(each, Aggregate) and each.of is not None and each.function in _OF_NUMBERS
    ]
    if not figures or len({each.function for each in figures}) > 1:
        return None
    for each in figures:
        new = each.model_copy(update={"function": function[0], "at": None})
        query = substitute(query, each, new)
    return query


def change_figure(at: Cursor, query: Query, *, instead: bool = False) -> Query | None:
    """`number of orders instead` replaces the one figure; without `instead` it is added. A field
    alone takes the place of the one that is counted with: `use profit`."""
    field = at.attempt(lambda at: _field(at, query))
    if field is not None:
        return field
    figures = read_list(at, read_expression)
    old = figures_of(query)
    if not all(map(is_measured, figures)) or not old:
        return None
    if takes_place(at) or instead:
        single = len(old) == len(figures) == 1
        return substitute(query, old[0], figures[0]) if single else None
    if not query.metrics:
        return None
    new = tuple(each for each in figures if each not in query.metrics)
    show = (*query.show, *new) if query.show else ()
    return query.model_copy(update={"metrics": (*query.metrics, *new), "show": show})


def _field(at: Cursor, query: Query) -> Query:
    """The query with another field that its one figure is made of."""
    named = field_of(at, query) or at.name()
    old = figures_of(query)
    if len(old) != 1 or not ends(at):
        raise ParseError("no field was expected here")
    if isinstance(named, MetricRef):
        return substitute(query, old[0], named)
    field = at.names.field(named.dataset, named.field) if isinstance(named, FieldRef) else None
    if field is None or named is None or field.type not in ("integer", "real"):
        raise ParseError("a field of numbers was expected")
    if field.role not in ("measure", "time"):
        raise ParseError("a field of figures was expected")
    before = [each for each in parts(old[0]) if isinstance(each, FieldRef)]
    if len(before) == 1 and before[0] not in query.by:
        return substitute(query, before[0], named)
    raise ParseError("the figure is not of one field")


def share(at: Cursor, query: Query) -> Query | None:
    """`in percent`: also what part of the total each figure is."""
    if at.phrase(PERCENTAGES) is None or not query.by:
        return None
    figures = [each for each in query.metrics if _adds_up(each, at)]
    new = [Transform(operation="share", of=each) for each in figures]
    made = tuple(each for each in new if each not in query.transforms)
    if not made:
        return None
    return query.model_copy(update={"transforms": (*query.transforms, *made)})


def _adds_up(figure: Expression, at: Cursor) -> bool:
    """Whether the figures of groups make up that of the whole."""
    if isinstance(figure, MetricRef):
        metric = at.names.model.metric(figure.metric)
        return metric is not None and metric.additive == "all"
    return isinstance(figure, Aggregate) and figure.function in ("sum", "count", "count distinct")


def change_counted(at: Cursor, query: Query) -> Query | None:
    """`list them` after a count: what was counted."""
    if at.phrase(COUNTED) is None or query.by or len(query.metrics) != 1:
        return None
    _ = at.take("all")
    (figure,) = query.metrics
    if not isinstance(figure, Aggregate) or figure.dataset or figure.where is not None:
        return None
    if figure.function == "count":
        return query.model_copy(update={"metrics": (), "show": ()})
    if figure.function != "count distinct" or figure.of is None:
        return None
    return query.model_copy(update={"metrics": (), "show": (), "by": (figure.of,)})


def change_form(at: Cursor, query: Query) -> Query | None:
    """`rounded to 2 decimals`, `without repeats`, `with the running total of ...`."""
    match at.phrase(CLAUSES):
        case ("decimals",):
            said = at.phrase(NUMBERS)
            if said is not None:
                _ = at.take_any("decimal", "decimals") or at.take("place")
            n = said[0] if said is not None else read_decimals(at)
            return query.model_copy(update={"decimals": n})
        case ("unique",):
            return query.model_copy(update={"unique": True})
        case ("with",):
            transform = read_transform(at)
            if transform is not None:
                made = (*query.transforms, transform)
                return query.model_copy(update={"transforms": made})
    return None
