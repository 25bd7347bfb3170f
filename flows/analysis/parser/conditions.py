"""How a condition of a remark meets those that a query has."""

from __future__ import annotations

from flows.analysis.language.phrasebook import CLAUSES, words_of
from flows.analysis.parser.cursor import Cursor
from flows.analysis.parser.expressions import read_constant
from flows.analysis.parser.predicates import read_predicate, read_when, write_when
from flows.semantics.model import Dataset
from flows.semantics.query import (
    And,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    OneOf,
    Predicate,
    Query,
)
from flows.semantics.tree import parts


def read_restriction(at: Cursor) -> Predicate | None:
    """`only 2024`, `where status is 'open'`, `only Berlin`, `in the last 3 months`; None where
    none of them comes next."""
    only = at.take("only") or at.take_any("for", "just")
    if (when := read_when(at)) is not None:
        return when
    clause = at.peek(CLAUSES)
    if clause == "where" or clause == "only" or clause == "in":
        at.phrase(CLAUSES)
        only = True
    if not only:
        return None
    return _read_value(at) or at.attempt(read_predicate)


def _read_value(at: Cursor) -> Predicate | None:
    """`Berlin` or `'open' and 'paid'`: known values of one field."""
    start, found = at.place, []
    dataset = at.names.by_name.get(at.scope.dataset or "")
    while dataset is not None:
        value = _known(at, dataset)
        if not value:
            break
        found.append(value)
        place = at.place
        if not at.take_any("and", "or", ","):
            break
        if not _known(at, dataset):
            at.place = place
            break
        at.place = place + 1
    fields = set.intersection(*[{name for name, _ in each} for each in found]) if found else set()
    if dataset is None or len(fields) != 1:
        at.place = start
        return None
    (name,) = fields
    values = tuple(dict(each)[name] for each in found)
    of, spans = FieldRef(dataset=dataset.name, field=name), at.span(start)
    if len(values) > 1:
        return OneOf(of=of, values=values, spans=spans)
    right = Constant(value=values[0], spans=spans)
    return Comparison(left=of, operator="=", right=right, spans=spans)


def _known(at: Cursor, dataset: Dataset) -> set[tuple[str, str]]:
    """The fields that have the value which comes next, each with the value as they have it."""
    place = at.place
    constant = read_constant(at)
    if constant is not None:
        said, ends = str(constant[0]).casefold(), at.place
        pairs = {(f.name, v) for f in dataset.fields for v in f.values if v.casefold() == said}
        at.place = ends if pairs else place
        return pairs
    best, found = place, set[tuple[str, str]]()
    for field in dataset.fields:
        for value in field.values:
            words = words_of(value)
            end = place + len(words)
            if words and tuple(at.words[place:end]) == words and end >= best:
                found = found if end == best else set()
                best = end
                found.add((field.name, value))
    at.place = best
    return found


def add_condition(query: Query, condition: Predicate, at: Cursor) -> Query:
    """The query with one more condition, in the place of those that say the same of other values:
    another period of its time, another value of the same field."""
    kept = [each for each in _conditions(query) if not _replaces(condition, each, query, at)]
    return _having(query, [*kept, condition])


def without_condition(query: Query, of: Expression) -> Query | None:
    """The query without the conditions on an expression; None where it has none."""
    kept = [each for each in _conditions(query) if of not in parts(each)]
    return None if len(kept) == len(_conditions(query)) else _having(query, kept)


def split_time(query: Query, at: Cursor) -> tuple[Predicate | None, Predicate] | None:
    """The other conditions of a query, and the one on its time; None where it has none or more."""
    timed = [each for each in _conditions(query) if write_when(each, query.dataset, at.names)]
    if len(timed) != 1:
        return None
    return _having(query, [e for e in _conditions(query) if e != timed[0]]).where, timed[0]


def _conditions(query: Query) -> list[Predicate]:
    """What must all hold."""
    if isinstance(query.where, And):
        return list(query.where.of)
    return [] if query.where is None else [query.where]


def _having(query: Query, conditions: list[Predicate]) -> Query:
    where = And(of=tuple(conditions)) if len(conditions) > 1 else next(iter(conditions), None)
    return query.model_copy(update={"where": where})


def _replaces(new: Predicate, old: Predicate, query: Query, at: Cursor) -> bool:
    """Whether both are periods of the time, or say which values one expression has."""
    if write_when(new, query.dataset, at.names):
        return write_when(old, query.dataset, at.names) is not None
    one, other = _valued(new), _valued(old)
    return one is not None and one == other


def _valued(node: Predicate) -> Expression | None:
    """The expression whose values a condition lists."""
    if isinstance(node, OneOf):
        return node.of
    if isinstance(node, Comparison) and node.operator == "=":
        return node.left if isinstance(node.right, Constant) else None
    return None
