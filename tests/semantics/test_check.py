"""What cannot be answered is refused with a reason that says where and what instead."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from flows.semantics.check import check
from flows.semantics.model import Dataset, Metric, Relationship, SemanticField, SemanticModel
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Between,
    Bin,
    Combine,
    Comparison,
    Constant,
    Exists,
    Expression,
    FieldRef,
    MetricRef,
    Not,
    OneOf,
    Order,
    Period,
    Predicate,
    Query,
    Rank,
    Scalar,
    Transform,
)
from flows.semantics.request import Chart, Compound, Derive, Describe, Impute, Prepare, Request
from tests.semantics.strategies import models, requests


def _field(name: str, role: str, type_: str) -> SemanticField:
    return SemanticField.model_validate({"name": name, "role": role, "type": type_})


FLIGHTS = Dataset(
    name="flights", source="main", table="flights", noun="flight", plural="flights", key=("id",),
    time="departed",
    fields=(
        _field("id", "identifier", "integer"), _field("number", "identifier", "integer"),
        _field("carrier", "category", "text"), _field("price", "measure", "real"),
        _field("departed", "time", "timestamp"), _field("day", "time", "date"),
        _field("late", "flag", "boolean"), _field("from", "identifier", "integer"),
        _field("to", "identifier", "integer"),
    ),
)  # fmt: skip
AIRPORTS = Dataset(
    name="airports", source="main", table="airports", noun="airport", plural="airports",
    key=("id",),
    fields=(
        _field("id", "identifier", "integer"), _field("city", "place", "text"),
        _field("height", "measure", "integer"),
    ),
)  # fmt: skip
BAGS = Dataset(
    name="bags", source="main", table="bags", noun="bag", plural="bags",
    fields=(_field("flight", "identifier", "integer"), _field("kg", "measure", "real")),
)  # fmt: skip
MODEL = SemanticModel(
    datasets=(FLIGHTS, AIRPORTS, BAGS),
    relationships=(
        Relationship(name="departure", dataset="flights", fields=("from",), to="airports",
                     to_fields=("id",)),
        Relationship(name="arrival", dataset="flights", fields=("to",), to="airports",
                     to_fields=("id",)),
        Relationship(name="load", dataset="bags", fields=("flight",), to="flights",
                     to_fields=("id",)),
    ),
    metrics=(
        Metric(name="fare", dataset="flights", additive="none", definition=Aggregate(
            function="average", of=FieldRef(dataset="flights", field="price"))),
    ),
)  # fmt: skip
COUNT = Aggregate(function="count")
CARRIER = FieldRef(dataset="flights", field="carrier")


def flight(name: str) -> FieldRef:
    return FieldRef(dataset="flights", field=name)


def asked(*metrics: Expression, **more: object) -> Query:
    return Query.model_validate({"dataset": "flights", "metrics": metrics or (COUNT,), **more})


def figure(function: str, name: str) -> Aggregate:
    return Aggregate.model_validate({"function": function, "of": flight(name)})


def where(test: Predicate) -> Query:
    return asked(where=test)


def compared(left: Expression, right: object, operator: str = "=") -> Comparison:
    made = right if not isinstance(right, str | int | float | None) else Constant(value=right)
    return Comparison.model_validate({"left": left, "operator": operator, "right": made})


CITY = FieldRef(dataset="airports", field="city")
REFUSED: list[tuple[Request, str, str]] = [
    (Query(dataset="flight"), "", "there is no dataset flight; did you mean flights?"),
    (asked(figure("sum", "prise")), "metrics[0].of", "flights has no field prise; did you mean"),
    (asked(MetricRef(metric="fair")), "metrics[0]", "there is no metric fair; did you mean fare?"),
    (asked(by=(CITY,)), "by[0]", "say which: departure; arrival"),
    (
        asked(by=(CITY.model_copy(update={"via": ("arival",)}),)), "by[0]",
        "there is no relationship arival; did you mean arrival?",
    ),
    (
        asked(by=(CITY.model_copy(update={"via": ("load",)}),)), "by[0]",
        "load leads to bags, not to airports",
    ),
    (asked(figure("sum", "number")), "metrics[0].of", "an identifier is a name and not a number"),
    (asked(figure("average", "carrier")), "metrics[0].of", "is of numbers, and this is a text"),
    (asked(figure("sum", "day")), "metrics[0].of", "a sum is of numbers, and this is a date"),
    (asked(figure("maximum", "late")), "metrics[0].of", "what has an order, and this is yes or no"),
    (asked(Aggregate(function="sum")), "metrics[0]", "the sum needs a value"),
    (
        asked(Aggregate(function="percentile", of=flight("price"))), "metrics[0]",
        "a percentile, and nothing else, needs `at`",
    ),
    (
        asked(Aggregate(function="count", dataset="airports", via=("arrival",))), "metrics[0]",
        "rows of airports do not refer to rows of flights",
    ),
    (asked(CARRIER), "metrics[0]", "carrier is neither a group nor a figure"),
    (Query(dataset="flights", show=(COUNT,)), "show[0]", "a figure of many rows cannot stand here"),
    (where(compared(COUNT, 3)), "where.left", "where one row is looked at"),
    (where(compared(CARRIER, 3)), "where", "a text is not compared with a number"),
    (where(compared(flight("day"), "last May")), "where", "text that is no date ('last May')"),
    (where(compared(flight("price"), None)), "where", "say `missing`"),
    (where(compared(flight("late"), flight("late"), ">")), "where", "yes and no have no order"),
    (where(Not(of=OneOf(of=flight("price"), values=("cheap",)))), "where.of.values[0]", "a number"),
    (
        where(Between(of=flight("day"), low=Constant(value="2024-02-30"),
                      high=Constant(value="2024-03-01"))),
        "where.low", "text that is no date ('2024-02-30')",
    ),
    (
        where(compared(FieldRef(dataset="bags", field="kg"), 20, ">")), "where.left",
        "say with `exists` that it has one",
    ),
    (where(Exists(dataset="flights")), "where", "say with `via` which others"),
    (where(compared(Period(of=CARRIER, grain="year"), 2024)), "where.left.of", "only times lie in"),
    (where(compared(Period(of=flight("day"), grain="hour"), "2024-01-01")), "where.left",
     "a date has no hour"),
    (where(compared(Bin(of=CARRIER, width=5), 5)), "where.left.of", "a range is of numbers"),
    (
        where(compared(Arithmetic(operator="+", left=CARRIER, right=Constant(value=1)), 2)),
        "where.left.left", "computed with numbers, and this is a text",
    ),
    (
        where(compared(flight("price"), Scalar(query=asked(by=(CARRIER,), show=(COUNT,))))),
        "where.right.query", "gives several rows",
    ),
    (
        where(compared(flight("price"), Scalar(query=asked(COUNT, figure("sum", "price"))))),
        "where.right.query", "gives several columns",
    ),
    (asked(by=(Constant(value=1),)), "by[0]", "a group is made by a field"),
    (asked(sort=(Order(by=Constant(value=1)),)), "sort[0].by", "the same for all rows"),
    (Query(dataset="flights", having=compared(COUNT, 1)), "having", "groups are tested"),
    (
        Query(dataset="flights", show=(CARRIER,), unique=True, sort=(Order(by=flight("price")),)),
        "sort[0].by", "ordered by what they show",
    ),
    (asked(by=(CARRIER,), rank=Rank(n=1, ties=True)), "rank.ties", "there is none"),
    (
        asked(MetricRef(metric="fare"), by=(CARRIER,),
              transforms=(Transform(operation="share", of=MetricRef(metric="fare")),)),
        "transforms[0].of", "do not sum up to that of the whole",
    ),
    (
        asked(by=(CARRIER,), transforms=(Transform(operation="growth", of=COUNT),)),
        "transforms[0]", "growth goes along an order",
    ),
    (
        Query(dataset="flights", show=(CARRIER,), combine=(
            Combine(operation="union", query=Query(dataset="flights", show=(flight("price"),))),)),
        "combine[0].query", "a number cannot stand in a column where a text stands",
    ),
    (
        Query(dataset="flights", show=(CARRIER,), combine=(
            Combine(operation="except", query=asked(by=(CARRIER,))),)),
        "combine[0].query", "rows of 1 columns are combined with rows of another number",
    ),
    (Chart(of=asked(by=(CARRIER,)), x=flight("price")), "x", "is no column of the query"),
    (Describe(subject="values", dataset="flights"), "field", "the values of a field are wanted"),
    (
        Prepare(dataset="flights", steps=(Derive(name="Price", of=flight("price")),), then=asked()),
        "steps[0].name", "flights has a field Price already",
    ),
    (
        Prepare(dataset="flights", steps=(Impute(field=CARRIER, way="mean"),), then=asked()),
        "steps[0].field", "a mean is of numbers, and this is a text",
    ),
    (
        Prepare(dataset="bags", steps=(Derive(name="g", of=FieldRef(dataset="bags", field="kg")),),
                then=asked()),
        "then", "bags is prepared, and flights is asked about",
    ),
    (
        Compound(requests=(asked(), asked(figure("sum", "prise")))), "requests[1].metrics[0].of",
        "flights has no field prise",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "place", "reason"), REFUSED)
def test_a_problem_is_told_with_its_place(request_: Request, place: str, reason: str) -> None:
    problems = check(request_, MODEL)
    assert [each.place for each in problems if reason in each.reason] == [place], problems


ANSWERED: list[Request] = [
    asked(by=(CITY.model_copy(update={"via": ("arrival",)}),)),
    asked(figure("median", "price"), by=(Period(of=flight("departed"), grain="month"),)),
    where(compared(flight("departed"), "2024-05-17", ">")),
    where(Exists(dataset="bags", where=compared(FieldRef(dataset="bags", field="kg"), 20, ">"))),
    asked(Aggregate(function="sum", of=FieldRef(dataset="bags", field="kg"), dataset="bags")),
    asked(by=(FieldRef(dataset="bags", field="kg"),),
          where=compared(FieldRef(dataset="bags", field="kg"), 20, ">")),
    Query(dataset="airports", by=(CITY,), metrics=(
        Aggregate(function="count", dataset="flights", via=("departure",)),)),
    Prepare(
        dataset="flights",
        steps=(Derive(name="double", of=Arithmetic(
            operator="*", left=flight("price"), right=Constant(value=2))),),
        then=asked(figure("sum", "double")),
    ),
]  # fmt: skip


@pytest.mark.parametrize("request_", ANSWERED)
def test_what_can_be_answered_has_no_problem(request_: Request) -> None:
    assert check(request_, MODEL) == ()


@pytest.mark.long("models of many tables are inferred")
@given(st.data())
@settings(max_examples=30, derandomize=True, suppress_health_check=list(HealthCheck))
def test_what_is_made_at_random_can_be_answered(data: st.DataObject) -> None:
    model = data.draw(models())
    assert check(data.draw(requests(model)), model) == ()
