"""How a condition of a remark meets those that a query has."""

from __future__ import annotations

from collections.abc import Sequence

from flows.analysis.language.phrasebook import CLAUSES, GRAINS
from flows.analysis.language.remarks import EVERY, EXCLUSIONS, INCLUSIONS, RESTRICTIONS
from flows.analysis.parser.cursor import Cursor
from flows.analysis.parser.expressions import read_expression
from flows.analysis.parser.predicates import read_predicate, read_when
from flows.analysis.parser.values import denied, read_flag, read_values, read_years, year_field
from flows.semantics.query import (
    Comparison,
    Constant,
    Expression,
    FieldRef,
    OneOf,
    Predicate,
    Query,
    conjunction,
    conjuncts,
)
from flows.semantics.tree import parts


def change_conditions(at: Cursor, query: Query) -> Query | None:
    """`only 2024`, `where status is 'open'`, `and in Berlin?`: a condition more, in the place of
    those that say the same of other values. Of groups of which one won, it looks one up."""
    condition = read_restriction(at, query)
    at.take("only")
    if condition is None:
        return None
    return _looked_up(query, condition) or add_condition(query, condition, at)


def _looked_up(query: Query, condition: Predicate) -> Query | None:
    """The figure by which groups were ranked, of one of them that a condition names."""
    rank = query.rank
    if rank is None or not rank.by or not isinstance(condition, Comparison):
        return None
    figure, of = rank.by[0].by, _valued(condition)
    if of is None or of not in query.by or len(query.by) != 1 or rank.n > 1:
        return None
    rest = without_condition(query, of) or query
    kept = [*conjuncts(rest.where), condition]
    plain = {"by": (), "show": (), "rank": None, "sort": (), "metrics": (figure,), "identity": ()}
    return _having(rest.model_copy(update=plain), kept)


def change_exclusions(at: Cursor, query: Query) -> Query | None:
    """`without Berlin`, `excluding 2020 and 2021`, `include Berlin again`."""
    if at.phrase(INCLUSIONS) is not None:
        condition = _read_named(at, query)
        kept = [each for each in conjuncts(query.where) if condition and each != denied(condition)]
        found = condition is not None and len(kept) < len(conjuncts(query.where))
        return _having(query, kept) if found else None
    if at.phrase(EXCLUSIONS) is None:
        return None
    condition = _read_named(at, query) or read_flag(at)
    if condition is None:
        return None
    kept = [each for each in conjuncts(query.where) if each not in (condition, denied(condition))]
    return _having(query, [*kept, denied(condition)])


def drop_conditions(at: Cursor, query: Query) -> Query | None:
    """`all years`, `remove the region filter`: the conditions on that field go."""
    every = at.phrase(EVERY) is not None
    if not every and at.phrase(EXCLUSIONS) is None:
        return None
    if (grain := at.phrase(GRAINS)) is not None and at.is_done():
        timed = [e for e in conjuncts(query.where) if _is_timed(e, query, at)]
        kept = [each for each in conjuncts(query.where) if each not in timed]
        return _having(query, kept) if timed and grain else None
    named = at.attempt(read_expression)
    if named is None or not (every or at.phrase(RESTRICTIONS)):
        return None
    return without_condition(query, named)


def _is_timed(condition: Predicate, query: Query, at: Cursor) -> bool:
    """Whether a condition says which years or which other times are meant."""
    dataset = at.names.by_name.get(query.dataset)
    times = [year_field(at, query)]
    if dataset is not None and dataset.time:
        times.append(FieldRef(dataset=dataset.name, field=dataset.time))
    return any(each in parts(condition) for each in times if each is not None)


def read_restriction(at: Cursor, query: Query) -> Predicate | None:
    """`only 2024`, `where status is 'open'`, `Berlin`, `in the last 3 months`; None where none of
    them comes next."""
    while at.take_any("only", "for", "just"):
        pass
    if (when := read_years(at, query) or read_when(at)) is not None:
        return when
    clause = at.peek(CLAUSES)
    if clause == "where" or clause == "only" or clause == "in":
        at.phrase(CLAUSES)
    _ = at.take_any("from", "on", "at", "for")
    return read_values(at, query) or at.attempt(read_predicate)


def _read_named(at: Cursor, query: Query) -> Predicate | None:
    """Years or values without the name of their field."""
    _ = at.take_any("in", "for", "from")
    return read_years(at, query) or read_when(at) or read_values(at, query)


def add_condition(query: Query, condition: Predicate, at: Cursor) -> Query:
    """The query with one more condition, in the place of those that say the same of other values:
    another period of its time, another value of the same field."""
    kept = [each for each in conjuncts(query.where) if not _replaces(condition, each, query, at)]
    return _having(query, [*kept, condition])


def without_condition(query: Query, of: Expression) -> Query | None:
    """The query without the conditions on an expression; None where it has none."""
    kept = [each for each in conjuncts(query.where) if of not in parts(each)]
    return None if len(kept) == len(conjuncts(query.where)) else _having(query, kept)


def split_condition(
    query: Query, other: Predicate, at: Cursor
) -> tuple[Predicate | None, Predicate] | None:
    """The other conditions of a query, and the one that another is to be compared with: on its
    time, or on the values of the same field; None where it has none or more."""
    same = [each for each in conjuncts(query.where) if _replaces(other, each, query, at)]
    if len(same) != 1:
        return None
    return _having(query, [e for e in conjuncts(query.where) if e != same[0]]).where, same[0]


def _having(query: Query, conditions: Sequence[Predicate]) -> Query:
    return query.model_copy(update={"where": conjunction(conditions)})


def _replaces(new: Predicate, old: Predicate, query: Query, at: Cursor) -> bool:
    """Whether both are periods of the time, or say which values one expression has."""
    if _is_timed(new, query, at) and _is_timed(old, query, at):
        return True
    one, other = _valued(new), _valued(old)
    return one is not None and one == other


def _valued(node: Predicate) -> Expression | None:
    """The expression whose values a condition lists."""
    if isinstance(node, OneOf):
        return node.of
    if isinstance(node, Comparison) and node.operator == "=":
        return node.left if isinstance(node.right, Constant) else None
    return None
