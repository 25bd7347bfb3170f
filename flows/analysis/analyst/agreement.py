"""Whether two readings of a question ask the same: then it was probably understood."""

from __future__ import annotations

from flows.semantics.query import Query, conjuncts


def agree(one: Query, other: Query) -> bool:
    """Whether two queries give the same rows and columns, whatever their order."""
    return _meaning(one) == _meaning(other)


def same_groups(one: Query, other: Query) -> bool:
    """Whether two queries give the same groups, and differ at most in what they show of them."""
    if not one.by or not other.by:
        return False
    shown = {"show": (), "metrics": (), "unique": False, "decimals": None}
    return agree(one.model_copy(update=shown), other.model_copy(update=shown))


def _meaning(query: Query) -> tuple[object, ...]:
    """What a query asks for, without what is only said of how it is told."""
    rank = query.rank
    first = None if rank is None else (rank.by or query.sort, rank.n, rank.skip, rank.within)
    return (
        query.dataset,
        frozenset(query.metrics),
        frozenset(query.by),
        frozenset(query.show or (*query.by, *query.metrics)),
        frozenset(conjuncts(query.where)),
        frozenset(conjuncts(query.having)),
        frozenset(query.transforms),
        query.compare,
        query.combine,
        first,
    )
