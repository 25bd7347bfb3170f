"""Several predicates as one, and one as several."""

from __future__ import annotations

from collections.abc import Sequence

from flows.semantics.query import And, Predicate


def both(tests: Sequence[Predicate]) -> Predicate | None:
    """That all tests hold; None without any."""
    if len(tests) < 2:
        return tests[0] if tests else None
    return And(of=tuple(tests))


def conjuncts(where: Predicate | None) -> tuple[Predicate, ...]:
    """The predicates that must all hold."""
    if where is None:
        return ()
    return where.of if isinstance(where, And) else (where,)
