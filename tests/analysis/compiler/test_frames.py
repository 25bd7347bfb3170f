"""What is asked of one data frame gives what a database gives."""

from __future__ import annotations

import math
from typing import Any

import duckdb
import pandas as pd
import pytest

from flows.analysis.compiler import compile_query, result_columns
from flows.analysis.compiler.frames import FrameLimit, query_lines
from flows.semantics import query as q
from flows.semantics.check import check
from flows.semantics.model import Dataset, Metric, SemanticField, SemanticModel

SALES = pd.DataFrame(
    {
        "id": range(1, 9),
        "region": ["north", "south", None, "north", "south", "east", "north", "east"],
        "kind": ["Bolt", "nut", "bolt", "nut", None, "Bolt", "nut", "gear"],
        "price": [2.5, 4.0, 1.5, None, 3.0, 3.0, 8.0, 0.5],
        "pieces": [3, 1, 4, 1, 5, 9, 2, 6],
        "sold": pd.to_datetime(
            ["2023-01-30 10:00", "2023-01-31 18:00", "2023-02-01", "2023-12-31", "2024-01-01",
             None, "2024-02-29 23:59", "2024-07-04"], format="ISO8601"
        ),
        "code": ["7", "x", "12", "3", "4", "5", None, "1"],
    }
)  # fmt: skip


def _field(name: str, role: Any, type_: Any) -> SemanticField:
    return SemanticField(name=name, column=name, role=role, type=type_)


def of(name: str) -> q.FieldRef:
    return q.FieldRef(dataset="sales", field=name)


def number(value: float | str) -> q.Constant:
    return q.Constant(value=value)


REVENUE = q.Arithmetic(operator="*", left=of("price"), right=of("pieces"))
MODEL = SemanticModel(
    datasets=(
        Dataset(
            name="sales", source="main", table="sales", noun="sale", plural="sales", key=("id",),
            fields=(
                _field("id", "identifier", "integer"), _field("region", "category", "text"),
                _field("kind", "category", "text"), _field("price", "measure", "real"),
                _field("pieces", "measure", "integer"), _field("sold", "time", "timestamp"),
                _field("code", "text", "text"),
            ),
        ),
        Dataset(
            name="shops", source="main", table="shops", noun="shop", plural="shops",
            fields=(_field("city", "category", "text"),),
        ),
    ),
    metrics=(
        Metric(name="revenue", dataset="sales", definition=q.Aggregate(function="sum", of=REVENUE)),
    ),
)  # fmt: skip
COUNT = q.Aggregate(function="count")
SUM = q.Aggregate(function="sum", of=of("pieces"))
MEAN = q.Aggregate(function="average", of=of("price"))
CHEAP = q.Comparison(left=of("price"), operator="<", right=number(3))
YEAR = q.Period(of=of("sold"), grain="year")
LATE = q.Comparison(left=of("sold"), operator="<=", right=number("2023-01-31"))

PREDICATES: list[q.Predicate] = [
    CHEAP,
    q.Not(of=CHEAP),
    q.Comparison(left=of("kind"), operator="!=", right=number("nut")),
    q.Comparison(left=of("price"), operator="<", right=of("pieces")),
    q.Comparison(left=REVENUE, operator=">", right=number(6)),
    q.Comparison(left=q.Cast(of=of("code")), operator=">", right=number(4)),
    q.Comparison(left=YEAR, operator="=", right=number(2024)),
    LATE,
    q.Not(of=q.Between(of=of("sold"), low=number("2023-01-31"), high=number("2024-01-01"))),
    q.OneOf(of=of("sold"), values=("2023-01-30", "2024-07-04")),
    q.Not(of=q.OneOf(of=of("region"), values=("north", "south"))),
    q.Match(of=of("kind"), place="contains", text="OL"),
    q.Not(of=q.Match(of=of("kind"), place="starts", text="B")),
    q.Match(of=of("kind"), place="ends", text="t"),
    q.Missing(of=of("sold")),
    q.Not(of=q.Missing(of=of("region"))),
    q.Or(of=(CHEAP, q.Missing(of=of("kind")))),
    q.Not(of=q.Or(of=(CHEAP, q.Missing(of=of("kind"))))),
    q.Not(of=q.And(of=(CHEAP, LATE))),
]
PERIODS = ("quarter of year", "month of year", "day of month", "weekday", "hour of day", "day",
           "month", "quarter", "week")  # fmt: skip


def down(by: q.Expression) -> tuple[q.Order, ...]:
    return (q.Order(by=by, descending=True), q.Order(by=of("region")))


def _asked(**given: Any) -> q.Query:
    return q.Query(dataset="sales", **given)


QUERIES = [
    *(_asked(where=each, show=(of("id"),)) for each in PREDICATES),
    *(_asked(show=(of("id"), q.Period(of=of("sold"), grain=each))) for each in PERIODS),
    _asked(metrics=(COUNT, SUM, MEAN)),
    _asked(metrics=(q.Aggregate(function="share", where=CHEAP),), by=(of("region"),)),
    _asked(metrics=(q.Aggregate(function="share", of=of("kind"), where=CHEAP),)),
    _asked(metrics=(q.Aggregate(function="count distinct", of=of("kind")), COUNT), by=(YEAR,)),
    _asked(metrics=(q.Aggregate(function="percentile", of=of("pieces"), at=90),)),
    _asked(metrics=(q.Aggregate(function="deviation", of=of("pieces")),)),
    _asked(metrics=(q.Aggregate(function="count", where=CHEAP),), by=(of("region"),)),
    _asked(metrics=(q.MetricRef(metric="revenue"),), by=(of("region"),)),
    _asked(metrics=(q.Arithmetic(operator="/", left=SUM, right=COUNT),), by=(of("region"),)),
    _asked(metrics=(SUM,), by=(of("region"),), having=q.Comparison(
        left=COUNT, operator=">=", right=number(2))),
    _asked(metrics=(SUM,), by=(of("region"), YEAR)),
    _asked(metrics=(SUM,), by=(q.Bin(of=of("pieces"), width=3),)),
    _asked(metrics=(SUM,), by=(of("region"),), rank=q.Rank(by=down(MEAN), n=2, skip=1)),
    _asked(show=(of("region"),), by=(of("region"),), rank=q.Rank(by=down(SUM), n=1)),
    _asked(by=(of("region"), of("kind"))),
    _asked(show=(of("region"), of("id")), rank=q.Rank(
        by=(q.Order(by=of("pieces"), descending=True),), n=1, within=(of("region"),))),
    _asked(show=(of("region"),), unique=True, sort=(q.Order(by=of("region")),)),
    _asked(metrics=(MEAN,), decimals=1),
    *(_asked(metrics=(SUM,), by=(of("region"),), transforms=(
        q.Transform(operation=each, of=SUM),)) for each in ("share", "rank")),
    *(_asked(metrics=(SUM,), by=(of("id"),), transforms=(q.Transform(
        operation=each, of=SUM, along=(q.Order(by=of("id")),)),))
      for each in ("running", "change", "growth")),
    _asked(metrics=(SUM,), by=(of("region"), of("kind")), transforms=(
        q.Transform(operation="share", of=SUM, within=(of("region"),)),)),
]  # fmt: skip


def in_database(query: q.Query) -> list[tuple[Any, ...]]:
    with duckdb.connect() as connection:
        connection.register("sales", SALES)
        return connection.execute(compile_query(query, MODEL, "duckdb")).fetchall()


def in_frame(query: q.Query) -> pd.DataFrame:
    names: dict[str, Any] = {"pd": pd, "data": SALES}
    exec("\n".join(query_lines(query, MODEL)), names)
    found = names["result"]
    assert isinstance(found, pd.DataFrame)
    return found


def plain(value: Any) -> Any:
    if value is None or value is pd.NaT or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, int | float):
        return round(float(value), 6)
    return pd.Timestamp(value).isoformat() if hasattr(value, "year") else str(value)


@pytest.mark.parametrize("query", QUERIES, ids=lambda each: str(QUERIES.index(each)))
def test_a_frame_gives_what_a_database_gives(query: q.Query) -> None:
    assert check(query, MODEL) == ()
    wanted = [tuple(map(plain, row)) for row in in_database(query)]
    found = in_frame(query)
    given = [tuple(map(plain, row)) for row in found.itertuples(index=False, name=None)]
    if not query.sort and (query.rank is None or query.rank.within):
        wanted, given = sorted(wanted, key=str), sorted(given, key=str)
    assert given == wanted
    assert list(found.columns) == result_columns(query, MODEL)


def test_rows_without_a_group_are_left_out_where_that_is_wished() -> None:
    lines = query_lines(_asked(metrics=(SUM,), by=(of("region"),)), MODEL, missing=False)
    names: dict[str, Any] = {"pd": pd, "data": SALES}
    exec("\n".join(lines), names)
    assert sorted(names["result"]["region"]) == ["east", "north", "south"]


CITY = q.FieldRef(dataset="shops", field="city")
BEYOND = [
    (_asked(show=(CITY,)), "one table"),
    (_asked(where=q.Exists(dataset="shops")), "to say 'exists'"),
    (_asked(where=q.Among(of=of("id"), query=_asked(show=(of("id"),)))), "to say 'among'"),
    (_asked(where=q.During(of=of("sold"), grain="year", first=-1)), "to say 'during'"),
    (_asked(metrics=(q.Aggregate(function="count", dataset="shops"),)), "to say 'aggregate'"),
    (_asked(combine=(q.Combine(operation="union", query=_asked()),)), "one table"),
    (_asked(metrics=(COUNT,), compare=q.Compare(
        a=q.Scope(name="a", where=CHEAP), b=q.Scope(name="b", where=LATE))), "two scopes"),
    (_asked(show=(of("id"),), rank=q.Rank(by=(q.Order(by=of("id")),), n=1, ties=True)), "tie"),
    (_asked(show=(q.Period(of=of("sold"), grain="half"),)), "to say 'period'"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "why"), BEYOND, ids=[why for _, why in BEYOND])
def test_what_a_frame_cannot_say_is_refused_with_a_reason(query: q.Query, why: str) -> None:
    with pytest.raises(FrameLimit, match=why):
        query_lines(query, MODEL)
