"""What the changes of a remark share: where one ends, and which field a name means in it."""

from __future__ import annotations

from flows.analysis.language.phrasebook import CLAUSES
from flows.analysis.language.remarks import EXCLUSIONS, GROUPINGS
from flows.analysis.parser.cursor import Cursor
from flows.semantics.query import FieldRef, Query

_BEHIND = frozenset([",", "and", "but", "instead", "rather", "as", "not"])


def ends(at: Cursor) -> bool:
    """Whether a change ends here: nothing follows, or what begins another."""
    if at.is_done() or at.words[at.place] in _BEHIND:
        return True
    following = (at.peek(GROUPINGS), at.peek(EXCLUSIONS), at.peek(CLAUSES))
    return any(each is not None for each in following)


def takes_place(at: Cursor) -> bool:
    """Read `instead`; whether it stands there, also as `instead of`, which is not read."""
    return at.sees("instead", "of") or at.take("instead")


def skip_replaced(at: Cursor) -> None:
    """Read `instead of A`, or `, not A`: what was there before is known."""
    if at.take("instead", "of") or at.take("rather", "than") or at.take("and", "not"):
        while not (at.is_done() or at.sees(",")):
            at.place += 1
    elif at.sees(",", "not"):
        at.place = len(at.tokens)
    at.take("instead")


def field_of(at: Cursor, query: Query) -> FieldRef | None:
    """Read a field of the query's own rows, where a metric may be called like it."""
    start = at.place
    found = at.names.fields.match(at.words, start)
    own = [each for each in found[0] if each.dataset == query.dataset] if found else []
    best = min((each.rank for each in own), default=0)
    names = {each.name for each in own if each.rank == best}
    if found is None or len(names) != 1:
        return None
    at.place = found[1]
    return FieldRef(dataset=query.dataset, field=names.pop(), spans=at.span(start))
