"""What a remark changes of a request: other groups, conditions, first rows, figures, a picture."""

from __future__ import annotations

from collections.abc import Callable

from flows.analysis.language.phrasebook import AGAINST, OPENINGS, PICTURES
from flows.analysis.language.remarks import (
    ABOUT,
    BESIDES,
    EXCLUSIONS,
    GROUPINGS,
    REMARK_ENDINGS,
    REMARK_OPENINGS,
)
from flows.analysis.parser.conditions import (
    add_condition,
    change_conditions,
    change_exclusions,
    drop_conditions,
    read_restriction,
    split_condition,
    without_condition,
)
from flows.analysis.parser.cursor import Cursor, ParseError, RowScope
from flows.analysis.parser.exact import cursor_of
from flows.analysis.parser.expressions import read_expression
from flows.analysis.parser.figures import (
    change_counted,
    change_figure,
    change_form,
    change_function,
    share,
)
from flows.analysis.parser.groups import change_groups, without_group
from flows.analysis.parser.predicates import read_atom, write_when
from flows.analysis.parser.ranks import change_all, change_end, change_first, change_sort, turn
from flows.analysis.parser.remark import ends, skip_replaced, takes_place
from flows.analysis.parser.tree import unplaced
from flows.semantics import query as q
from flows.semantics.model import SemanticModel
from flows.semantics.query import Query
from flows.semantics.request import Analysis, Chart, Prepare, Request, Unparsed

Change = Callable[[Cursor, Query], Query | None]


def edit(request: Request, remark: str, model: SemanticModel) -> Request:
    """The request as a remark changes it: `only 2024`, `and by region`, `top 3 only`, `as a bar
    chart`. What the remark does not name stays.

    `Unparsed` where the remark cannot be read as a change of this request; its `words` are those
    that were not understood. The places of words that the parts tell are those in the remark.
    """
    at = cursor_of(remark, model)
    _drop_endings(at)
    asks = remark.rstrip(" .!").endswith("?")
    changed: Request = unplaced(request)
    start = 0
    try:
        if at.is_done():
            raise ParseError("it says nothing")
        while not at.is_done():
            start = at.place
            _skip(at, asks=asks)
            changed = _change(at, changed)
            skip_replaced(at)
    except ParseError as unread:
        left = [each for each in at.tokens[start:] if each.kind != "sign"]
        text = remark[left[0].start : left[-1].end] if left else remark
        words = tuple(remark[each.start : each.end] for each in left)
        return Unparsed(text=text, reason=str(unread), words=words)
    return changed


def _drop_endings(at: Cursor) -> None:
    """Leave out words at the end that say nothing, such as `please`."""
    for place in range(len(at.words)):
        found = REMARK_ENDINGS.match(at.words, place)
        if place and found and found[1] == len(at.words):
            del at.tokens[place:], at.words[place:]
            return


def _skip(at: Cursor, *, asks: bool) -> None:
    """Words between changes that say nothing; `not A but B` says B. A group that is asked for
    with `and` is one instead of those there, not one more."""
    while True:
        while at.take(",") or (asks and at.sees("and", "by") and at.take("and")):
            pass
        said = at.peek(GROUPINGS) is not None or at.phrase(REMARK_OPENINGS) is None
        opened = not said or (at.peek(ABOUT) is None and at.phrase(OPENINGS) is not None)
        if not opened:
            break
    if at.sees("not") and (turn := _behind_denial(at)):
        at.place = turn


def _behind_denial(at: Cursor) -> int:
    """Where `not A but B` goes on with B, or `not by A, by B`; 0 for a denial alone."""
    for place in range(at.place + 1, len(at.words) - 1):
        if at.words[place] in ("but", ",", ";"):
            return place + 1
    return 0


def _change(at: Cursor, request: Request) -> Request:
    """Read one change; raises Unread where the next words are none of this request."""
    if at.sees("as") and (drawn := at.attempt(lambda at: _draw(at, request))) is not None:
        return drawn
    match request:
        case Query():
            return _change_query(at, request)
        case Analysis():
            return request.model_copy(update={"over": _change_rows(at, request)})
        case Chart():
            return request.model_copy(update={"of": _change(at, request.of)})
        case Prepare():
            return request.model_copy(update={"then": _change(at, request.then)})
    raise ParseError("this kind of request is not changed by a remark")


def _change_rows(at: Cursor, analysis: Analysis) -> Query:
    """The rows of an analysis under another condition; of one without arguments, which tells a
    query in its own way, any change of that query."""
    if not analysis.arguments and analysis.over.metrics:
        return _change_query(at, analysis.over)
    at.scope = RowScope(analysis.over.dataset)
    for change in (change_exclusions, drop_conditions):
        start = at.place
        found = at.attempt(lambda at, change=change: change(at, analysis.over))  # type: ignore[misc]
        if found is not None:
            return found  # type: ignore[no-any-return]
        at.place = start
    restriction = read_restriction(at, analysis.over)
    if restriction is None:
        raise ParseError("only the rows of an analysis are changed by a remark")
    return add_condition(analysis.over, restriction, at)


def _draw(at: Cursor, request: Request) -> Request:
    """`as a bar chart`, `as a table`."""
    at.expect("as")
    if at.take("table"):
        if not isinstance(request, Chart):
            raise ParseError("it is a table")
        return request.of
    picture = at.phrase(PICTURES)
    if picture is None:
        raise ParseError("a kind of picture was expected")
    takes_place(at)
    if isinstance(request, Chart):
        return request.model_copy(update={"type": picture[0]})
    if not isinstance(request, Query | Analysis):
        raise ParseError("this cannot be drawn")
    return Chart(of=request, type=picture[0])


def _change_query(at: Cursor, query: Query) -> Query:
    start, furthest, reason = at.place, at.place, "nothing is changed by these words"
    asked = at.phrase(ABOUT) is not None
    for change in _ASKED if asked else _CHANGES:
        at.place, at.scope = start + 2 * asked, RowScope(query.dataset)
        try:
            found = change(at, query)
        except ParseError as unread:
            if at.place > furthest:
                furthest, reason = at.place, str(unread)
            continue
        if found is not None and at.place > start and ends(at):
            return found
    raise ParseError(reason)


def _without(at: Cursor, query: Query) -> Query | None:
    """`without region`: the group goes, or the column, or the conditions on it."""
    if at.phrase(EXCLUSIONS) is None:
        return None
    if at.take("condition", "on") or at.take("filter", "on"):
        return without_condition(query, read_expression(at))
    named = _named_part(at, query)
    if named in query.by:
        return without_group(query, named)
    if named in query.metrics and len(query.metrics) > 1:
        metrics = tuple(each for each in query.metrics if each != named)
        show = tuple(each for each in query.show if each != named)
        return query.model_copy(update={"metrics": metrics, "show": show})
    if named in query.show and len(query.show) > 1:
        show = tuple(each for each in query.show if each != named)
        return query.model_copy(update={"show": show})
    return without_condition(query, named)


def _named_part(at: Cursor, query: Query) -> q.Expression:
    """A part of the query that is named: by itself, or a group by the grain of its periods."""
    named = at.attempt(read_expression)
    if named is not None:
        return named
    for each in query.by:
        if isinstance(each, q.Period) and at.take(each.grain):
            return each
    raise ParseError("a part of the answer was expected")


def _exclude(at: Cursor, query: Query) -> Query | None:
    """`without orders`, `with orders after 2024-01-01`: only rows that have others."""
    if not at.sees("without") and not at.sees("with"):
        return None
    condition = read_atom(at)
    if not isinstance(condition, q.Exists | q.Not):
        return None
    return add_condition(query, condition, at)


def _compare(at: Cursor, query: Query) -> Query | None:
    """`compared with 2023`: what is asked for beside another period, or another value."""
    if at.phrase(BESIDES) is None and at.phrase(AGAINST) is None:
        return None
    other = read_restriction(at, query)
    parted = None if other is None else split_condition(query, other, at)
    if other is None or parted is None:
        return None
    compare = q.Compare(a=_scope(parted[1], query, at), b=_scope(other, query, at))
    return query.model_copy(update={"where": parted[0], "compare": compare})


def _scope(where: q.Predicate, query: Query, at: Cursor) -> q.Scope:
    """The rows of one side, called by the period or the value that they have."""
    name = write_when(where, query.dataset, at.names)
    if isinstance(where, q.Comparison) and isinstance(where.right, q.Constant):
        name = name or str(where.right.value)
    if isinstance(where, q.OneOf):
        name = " and ".join(map(str, where.values))
    if name is None:
        raise ParseError("what is compared has no name")
    return q.Scope(name=name.removeprefix("in "), where=where)


def _about_figure(at: Cursor, query: Query) -> Query | None:
    return change_figure(at, query, instead=True)


# What a remark is tried as, in this order; and one that begins with `what about`.
_CHANGES: tuple[Change, ...] = (
    change_form, change_counted, change_all, turn, change_sort, change_first, change_end,
    change_function, share, change_groups, _compare, drop_conditions, change_exclusions, _without,
    _exclude, change_figure, change_conditions,
)  # fmt: skip
_ASKED: tuple[Change, ...] = (
    change_end, change_function, change_conditions, change_groups, _about_figure
)  # fmt: skip
