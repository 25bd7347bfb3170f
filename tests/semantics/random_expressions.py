"""Random expressions over a random model, each of a type that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from flows.semantics.kinds import type_kind
from flows.semantics.model import Conversion, Cumulative, SemanticField, SemanticModel
from flows.semantics.path import Path, find_path, leads_to_many, steps
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Bin,
    Cast,
    Constant,
    Expression,
    FieldRef,
    MetricRef,
    Period,
)

Kind = Literal["number", "text", "date", "timestamp", "time", "boolean", "other"]
ORDERED: tuple[Kind, ...] = ("number", "text", "date", "timestamp")
TIMES: tuple[Kind, ...] = ("date", "timestamp")
DATES = ("2022-12-31", "2023-01-01", "2024-02-29", "2024-05-17")
TEXTS = ("Berlin", "zürich", "O'Hare", "100%", "top 3", "a_b", "x\\y", "B", "%")
DATE_GRAINS = ("half", "quarter", "fiscal quarter", "month", "week", "day")
NUMBER_GRAINS = (
    "year", "fiscal year", "quarter of year", "month of year", "day of month", "weekday",
)  # fmt: skip


def kind(field: SemanticField) -> Kind:
    return type_kind(field.type)


@dataclass(frozen=True)
class Place:
    """The rows that an expression is about: those of a dataset, and where fields may lead to."""

    model: SemanticModel
    dataset: str
    many: bool = True

    def ways(self) -> list[Path]:
        """The ways of two steps at most, the empty one first."""
        found: list[Path] = [()]
        for first in steps(self.model, self.dataset):
            found.append((first,))
            found += [(first, next_) for next_ in steps(self.model, first.end)]
        return [each for each in found if self.many or not leads_to_many(each)]

    def fields(self, wanted: Sequence[Kind] = ()) -> list[FieldRef]:
        """The fields of a kind that can be reached."""
        made = []
        for path in self.ways():
            end = path[-1].end if path else self.dataset
            dataset = self.model.dataset(end)
            assert dataset is not None
            plain = find_path(self.model, self.dataset, (), end) == path
            via = () if plain and len(path) < 2 else tuple(each.name for each in path)
            for field in dataset.fields:
                if not wanted or kind(field) in wanted:
                    made.append(FieldRef(dataset=end, field=field.name, via=via))
        return made

    def one(self) -> Place:
        """The same rows, with fields that lead to one row at most."""
        return Place(self.model, self.dataset, many=False)


def is_identifier(place: Place, ref: FieldRef) -> bool:
    dataset = place.model.dataset(ref.dataset)
    field = dataset.find(ref.field) if dataset else None
    return field is not None and field.role == "identifier"


def field(place: Place, *wanted: Kind) -> SearchStrategy[FieldRef]:
    """A field, mostly one of the rows themselves."""
    found = place.fields(wanted)
    own = [each for each in found if each.dataset == place.dataset and not each.via]
    return st.one_of(st.sampled_from(own or found), st.sampled_from(found))


def has(place: Place, *wanted: Kind) -> bool:
    return bool(place.fields(wanted))


def kinds(place: Place) -> list[Kind]:
    """The kinds of values that rows have."""
    return [each for each in ("number", "text", "date", "timestamp", "boolean", "time", "other")
            if has(place, each)]  # fmt: skip


@st.composite
def value(draw: DrawFn, place: Place, wanted: Kind, deep: int) -> Expression:
    """A value of a row that holds a field."""
    if wanted == "number":
        return draw(number(place, deep))
    if wanted in ("date", "timestamp") and deep and draw(st.integers(0, 3)) == 0:
        found = draw(period(place, deep))
        if found is not None and (found.grain == "hour") == (wanted == "timestamp"):
            return found
    return draw(field(place, wanted))


@st.composite
def period(draw: DrawFn, place: Place, deep: int) -> Period | None:
    """The period of a time, as a day or an hour; None where rows have no time."""
    times = [each for each in TIMES if has(place, each)]
    if not times:
        return None
    wanted = draw(st.sampled_from(times))
    hours = ("hour",) if wanted == "timestamp" else ()
    of = draw(field(place, wanted))
    if deep > 1 and draw(st.integers(0, 5)) == 0:
        return Period(of=Period(of=of, grain="day"), grain=draw(st.sampled_from(DATE_GRAINS)))
    return Period(of=of, grain=draw(st.sampled_from((*DATE_GRAINS, *hours))))


@st.composite
def number(draw: DrawFn, place: Place, deep: int) -> Expression:
    """A number that a row has, or that is made of what it has."""
    choices = []
    if has(place, "number"):
        choices += ["field", "field"]
        if deep:
            choices += ["arithmetic", "bin"]
    times = [each for each in TIMES if has(place, each)]
    if times:
        choices += ["part"]
        if deep:
            choices += ["days", "days"]
    if has(place, "text"):
        choices += ["cast"]
    choice = draw(st.sampled_from(choices))
    if choice == "field":
        return draw(field(place, "number"))
    if choice == "cast":
        return Cast(of=draw(field(place, "text")))
    if choice == "part":
        wanted = draw(st.sampled_from(times))
        more = ("hour of day",) if wanted == "timestamp" else ()
        return Period(
            of=draw(field(place, wanted)), grain=draw(st.sampled_from((*NUMBER_GRAINS, *more)))
        )
    if choice == "bin":
        width = draw(st.sampled_from((1, 5, 10, 2.5, 0.25)))
        return Bin(of=draw(number(place, deep - 1)), width=width)
    if choice == "days":
        left, right = (draw(field(place, draw(st.sampled_from(times)))) for _ in range(2))
        return Arithmetic(operator="-", left=left, right=right)
    return draw(arithmetic(number(place, deep - 1)))


@st.composite
def arithmetic(draw: DrawFn, part: SearchStrategy[Expression]) -> Arithmetic:
    constants = st.sampled_from((1, 2, 0.5, 100, -3)).map(lambda each: Constant(value=each))
    sides = [draw(part), draw(st.one_of(part, constants))]
    if draw(st.integers(0, 4)) == 0:
        sides.reverse()
    return Arithmetic(
        operator=draw(st.sampled_from(("+", "-", "*", "/"))), left=sides[0], right=sides[1]
    )


def constant(wanted: Kind) -> SearchStrategy[Constant]:
    """A value of the kind, as a question gives it."""
    values: dict[str, tuple[object, ...]] = {
        "number": (0, 1, 2, 3, 2.5, 10, -1),
        "date": DATES,
        "timestamp": (*DATES, "2024-05-17T08:30:00", "2024-05-17 23:59:59"),
        "time": ("08:30:00", "12:00"),
        "boolean": (True, False),
    }
    return st.sampled_from(values.get(wanted, TEXTS)).map(lambda each: Constant(value=each))


@st.composite
def aggregate(draw: DrawFn, place: Place, deep: int, own: bool = False) -> Aggregate:
    """A figure of the rows, or of rows that refer to them."""
    referring = [
        each
        for each in place.ways()
        if each and all(step.many or step.relationship.single for step in each)
        and all(not step.forward for step in each)
    ]  # fmt: skip
    if referring and not own and draw(st.integers(0, 2)) == 0:
        path = draw(st.sampled_from(referring))
        there = Place(place.model, path[-1].end, many=False)
        plain = find_path(place.model, place.dataset, (), path[-1].end) == path
        via = () if plain else tuple(each.name for each in path)
        made = draw(aggregate(there, deep, own=True))
        return made.model_copy(update={"dataset": path[-1].end, "via": via})
    return draw(_own_aggregate(place, deep))


@st.composite
def _own_aggregate(draw: DrawFn, place: Place, deep: int) -> Aggregate:
    from tests.semantics.random_predicates import predicate

    where = None
    if deep and draw(st.integers(0, 2)) == 0:
        where = draw(predicate(place.one(), deep - 1))
    figures = [each for each in place.fields(("number",)) if not is_identifier(place, each)]
    ordered = [each for each in ORDERED if has(place, each)]
    choices = ["count", "count", "count of", "count distinct"]
    if figures:
        choices += ["sum", "sum", "average", "median", "percentile", "deviation"]
    if ordered:
        choices += ["minimum", "maximum"]
    if deep:
        choices += ["share"]
    choice = draw(st.sampled_from(choices))
    if choice == "count":
        return Aggregate(function="count", where=where)
    if choice in ("count of", "count distinct"):
        function = "count" if choice == "count of" else "count distinct"
        wanted = draw(st.sampled_from(kinds(place)))
        return Aggregate(function=function, of=draw(value(place, wanted, deep)), where=where)
    if choice == "share":
        where = where or draw(predicate(place.one(), deep - 1))
        of = draw(st.one_of(st.none(), field(place)))
        return Aggregate(function="share", of=of, where=where)
    if choice in ("minimum", "maximum"):
        highest = draw(value(place, draw(st.sampled_from(ordered)), deep - 1 if deep else 0))
        return Aggregate(function=choice, of=highest, where=where)
    summed: Expression = draw(st.sampled_from(figures))
    if deep and draw(st.integers(0, 2)) == 0:
        summed = draw(number(place, deep - 1).filter(lambda each: not _bare(place, each)))
    at = draw(st.sampled_from((0, 10, 50, 90, 99.5))) if choice == "percentile" else None
    return Aggregate(function=choice, of=summed, where=where, at=at)


def _bare(place: Place, each: Expression) -> bool:
    """Whether a number is an identifier: no sum of those."""
    if isinstance(each, FieldRef):
        return is_identifier(place, each)
    if isinstance(each, Arithmetic):
        return _bare(place, each.left) or _bare(place, each.right)
    return _bare(place, each.of) if isinstance(each, Bin | Cast) else False


def metric(place: Place, *, plain: bool) -> list[MetricRef]:
    """The metrics of the rows; `plain` ones can be asked without a period of time."""
    found = []
    for each in place.model.metrics:
        special = isinstance(each.definition, Cumulative | Conversion)
        way = find_path(place.model, place.dataset, (), each.dataset)
        refers = bool(way) and not any(step.forward for step in way or ())
        if (each.dataset == place.dataset and not (plain and special)) or (refers and not special):
            found.append(MetricRef(metric=each.name))
    return found


@st.composite
def figure(draw: DrawFn, place: Place, deep: int) -> Expression:
    """A number of many rows."""
    choices = ["aggregate", "aggregate"]
    metrics = metric(place, plain=False)
    if metrics:
        choices.append("metric")
    if deep:
        choices.append("arithmetic")
    choice = draw(st.sampled_from(choices))
    if choice == "metric":
        return draw(st.sampled_from(metrics))
    if choice == "arithmetic":
        return draw(arithmetic(figure(place, deep - 1).filter(is_number(place))))
    return draw(aggregate(place, deep))


def is_number(place: Place):  # type: ignore[no-untyped-def]
    """Whether a figure is a number: the highest of texts or times is none."""
    return lambda each: (
        not (
            isinstance(each, Aggregate)
            and each.function in ("minimum", "maximum")
            and not _numeric(place, each.of)
        )
    )


def _numeric(place: Place, of: Expression | None) -> bool:
    if isinstance(of, FieldRef):
        dataset = place.model.dataset(of.dataset)
        found = dataset.find(of.field) if dataset else None
        return found is not None and kind(found) == "number"
    return not isinstance(of, Period) or of.grain in (*NUMBER_GRAINS, "hour of day")
