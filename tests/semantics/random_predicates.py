"""Random predicates over a random model."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from flows.semantics.path import find_path
from flows.semantics.query import (
    Among,
    And,
    Between,
    Comparison,
    Constant,
    During,
    Exists,
    Expression,
    Match,
    Missing,
    Not,
    OneOf,
    Or,
    Predicate,
    Scalar,
)
from tests.semantics import random_expressions as some
from tests.semantics.random_expressions import DATES, TEXTS, Kind, Place

SCALES: tuple[Kind, ...] = ("number", "date", "timestamp")
_COMPARED = ("=", "!=", ">", ">=", "<", "<=")
_GRAINS = (
    "year", "half", "quarter", "month", "week", "day", "fiscal year", "fiscal quarter",
)  # fmt: skip


@st.composite
def predicate(draw: DrawFn, place: Place, deep: int) -> Predicate:
    """What may hold for a row; its fields lead to one row at most."""
    choices = ["compare", "compare", "missing"]
    if some.has(place, "number") or some.has(place, "date") or some.has(place, "timestamp"):
        choices.append("between")
    if some.has(place, "text"):
        choices += ["one of", "match"]
    if some.has(place, "date") or some.has(place, "timestamp"):
        choices += ["during"]
    if deep:
        choices += ["not", "and", "or"]
        if any(each != "other" for each in some.kinds(place)):
            choices.append("among")
        if any(Place(place.model, place.dataset).ways()[1:]):
            choices += ["exists"]
    made: Predicate = draw(_MADE[draw(st.sampled_from(choices))](place, deep))
    return made


@st.composite
def _compare(draw: DrawFn, place: Place, deep: int) -> Comparison:
    comparable = [each for each in some.kinds(place) if each not in ("other",)]
    wanted = draw(st.sampled_from(comparable))
    left = draw(some.value(place, wanted, max(0, deep - 1)))
    return draw(compared(left, wanted, some.value(place, wanted, 0), place, deep))


@st.composite
def compared(
    draw: DrawFn,
    left: Expression,
    wanted: Kind,
    others: SearchStrategy[Expression],
    place: Place,
    deep: int,
) -> Comparison:
    """A value compared with a constant, with another one, or with that of a query."""
    from tests.semantics.random_requests import one_value

    operator = draw(st.sampled_from(_COMPARED))
    if wanted == "boolean":
        operator = draw(st.sampled_from(("=", "!=")))
    rights = [some.constant(wanted), some.constant(wanted), others]
    if deep and wanted in ("number", "date", "timestamp", "text"):
        rights.append(one_value(place, wanted, deep - 1).map(lambda each: Scalar(query=each)))
    right = draw(st.one_of(rights))
    if draw(st.integers(0, 7)) == 0 and isinstance(right, Constant):
        left, right = right, left
    return Comparison(left=left, operator=operator, right=right)


@st.composite
def _between(draw: DrawFn, place: Place, deep: int) -> Between:
    found = [each for each in SCALES if some.has(place, each)]
    wanted = draw(st.sampled_from(found))
    low, high = (draw(some.constant(wanted)) for _ in range(2))
    return Between(of=draw(some.value(place, wanted, max(0, deep - 1))), low=low, high=high)


@st.composite
def _one_of(draw: DrawFn, place: Place, deep: int) -> OneOf:
    wanted: Kind = draw(st.sampled_from(("text", "number", "date")))
    if not some.has(place, wanted):
        wanted = "text"  # there is one, or this would not have been chosen
    values = {"number": (0, 2, 12, 0.5), "date": DATES}.get(wanted, TEXTS)
    chosen = draw(st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True))
    return OneOf(of=draw(some.value(place, wanted, 0)), values=tuple(chosen))


@st.composite
def _match(draw: DrawFn, place: Place, deep: int) -> Match:
    where = draw(st.sampled_from(("contains", "starts", "ends")))
    return Match(of=draw(some.field(place, "text")), place=where, text=draw(st.sampled_from(TEXTS)))


@st.composite
def _missing(draw: DrawFn, place: Place, deep: int) -> Missing:
    return Missing(of=draw(some.field(place)))


@st.composite
def _during(draw: DrawFn, place: Place, deep: int) -> During:
    times = [each for each in some.TIMES if some.has(place, each)]
    return During(
        of=draw(some.field(place, *times)),
        grain=draw(st.sampled_from(_GRAINS)),
        first=draw(st.integers(-3, 1)),
        length=draw(st.integers(1, 4)),
        to_date=draw(st.booleans()),
    )


@st.composite
def _exists(draw: DrawFn, place: Place, deep: int) -> Exists:
    ways = [each for each in Place(place.model, place.dataset).ways() if each]
    path = draw(st.sampled_from(ways))
    end = path[-1].end
    plain = find_path(place.model, place.dataset, (), end) == path
    there = Place(place.model, end, many=False)
    return Exists(
        dataset=end,
        via=() if plain else tuple(each.name for each in path),
        where=draw(st.one_of(st.none(), predicate(there, deep - 1))),
    )


@st.composite
def _among(draw: DrawFn, place: Place, deep: int) -> Among:
    from tests.semantics.random_requests import one_column

    found = [each for each in some.kinds(place) if each != "other"]
    wanted = draw(st.sampled_from(found))
    return Among(of=draw(some.value(place, wanted, 0)), query=draw(one_column(place, wanted, deep)))


@st.composite
def _not(draw: DrawFn, place: Place, deep: int) -> Not:
    return Not(of=draw(predicate(place, deep - 1)))


@st.composite
def _and(draw: DrawFn, place: Place, deep: int) -> And:
    return And(of=tuple(draw(st.lists(predicate(place, deep - 1), min_size=2, max_size=3))))


@st.composite
def _or(draw: DrawFn, place: Place, deep: int) -> Or:
    return Or(of=tuple(draw(st.lists(predicate(place, deep - 1), min_size=2, max_size=3))))


_MADE: dict[str, Callable[..., SearchStrategy[Predicate]]] = {
    "compare": _compare, "between": _between, "one of": _one_of, "match": _match,
    "missing": _missing, "during": _during, "exists": _exists, "among": _among, "not": _not,
    "and": _and, "or": _or,
}  # fmt: skip
