"""The SQL of a few requests, as people read it."""

from __future__ import annotations

from datetime import date

import pytest

from flows.analysis.compiler import compile_query
from flows.data.tables import Dialect
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Comparison,
    Constant,
    During,
    Exists,
    FieldRef,
    Order,
    Period,
    Query,
    Rank,
    Transform,
)
from tests.semantics.test_check import MODEL

COUNT = Aggregate(function="count")
CARRIER = FieldRef(dataset="flights", field="carrier")
PRICE = FieldRef(dataset="flights", field="price")
DAY = FieldRef(dataset="flights", field="day")
SUM = Aggregate(function="sum", of=PRICE)
FROM, TO = (FieldRef(dataset="airports", field="city", via=(each,))
            for each in ("departure", "arrival"))  # fmt: skip
BAGS = Aggregate(function="count", dataset="bags")
HEAVY = Comparison(
    left=FieldRef(dataset="bags", field="kg"), operator=">", right=Constant(value=20)
)
MEDIAN = Aggregate(function="median", of=PRICE)

WRITTEN: list[tuple[Query, str]] = [
    (Query(dataset="flights"),
     'SELECT "id", "number", "carrier", "price", "departed", "day", "late", "from", "to" '
     'FROM "flights"'),
    (Query(dataset="flights", metrics=(COUNT,)), 'SELECT COUNT(*) AS "count" FROM "flights"'),
    (Query(dataset="flights", by=(CARRIER,), metrics=(Aggregate(function="average", of=PRICE),)),
     'SELECT "carrier", AVG("price") AS "average_price" FROM "flights" GROUP BY "carrier" '
     'ORDER BY "carrier"'),
    (Query(dataset="flights", by=(CARRIER,), metrics=(SUM,), rank=Rank(
        n=3, by=(Order(by=SUM, descending=True),))),
     'SELECT "carrier", SUM("price") AS "total_price" FROM "flights" GROUP BY "carrier" '
     'ORDER BY SUM("price") DESC, "carrier" LIMIT 3'),
    (Query(dataset="flights", show=(FROM, TO)),
     'SELECT "airports"."city" AS "airports_city", "airports_2"."city" AS "airports_city_2" '
     'FROM "flights" INNER JOIN "airports" ON "flights"."from" = "airports"."id" '
     'INNER JOIN "airports" AS "airports_2" ON "flights"."to" = "airports_2"."id"'),
    (Query(dataset="flights", metrics=(COUNT,), where=Exists(dataset="bags", where=HEAVY)),
     'SELECT COUNT(*) AS "count" FROM "flights" WHERE EXISTS(SELECT 1 FROM "bags" '
     'WHERE "bags"."flight" = "flights"."id" AND "bags"."kg" > 20)'),
    (Query(dataset="flights", metrics=(BAGS,)),
     'SELECT (SELECT COUNT(*) AS "value" FROM "flights" INNER JOIN "bags" '
     'ON "flights"."id" = "bags"."flight") AS "count_bags"'),
    (Query(dataset="flights", by=(CARRIER,), metrics=(BAGS,)),
     'SELECT "flights"."carrier", COUNT("bags"."flight") AS "count_bags" FROM "flights" '
     'LEFT JOIN "bags" ON "flights"."id" = "bags"."flight" GROUP BY "flights"."carrier" '
     'ORDER BY "flights"."carrier"'),
    (Query(dataset="flights", metrics=(COUNT,), where=During(of=DAY, grain="month", first=-1)),
     'SELECT COUNT(*) AS "count" FROM "flights" '
     "WHERE \"day\" BETWEEN '2024-04-01' AND '2024-04-30'"),
    (Query(dataset="flights", by=(Period(of=DAY, grain="year"),), metrics=(COUNT,), transforms=(
        Transform(operation="share", of=COUNT),)),
     'SELECT EXTRACT(YEAR FROM "day") AS "day_year", COUNT(*) AS "count", '
     '100.0 * COUNT(*) / NULLIF(SUM(COUNT(*)) OVER (), 0) AS "share" FROM "flights" '
     'GROUP BY EXTRACT(YEAR FROM "day") ORDER BY EXTRACT(YEAR FROM "day")'),
    (Query(dataset="flights", show=(CARRIER,), unique=True),
     'SELECT DISTINCT "carrier" FROM "flights" ORDER BY "carrier"'),
    (Query(dataset="flights", by=(CARRIER,), metrics=(
        Arithmetic(operator="/", left=SUM, right=COUNT),)),
     'SELECT "carrier", SUM("price") / NULLIF(COUNT(*), 0) AS "total_price_per_count" '
     'FROM "flights" GROUP BY "carrier" ORDER BY "carrier"'),
    (Query(dataset="flights", metrics=(MEDIAN,)),
     'SELECT MEDIAN("price") AS "median_price" FROM "flights"'),
]  # fmt: skip


@pytest.mark.parametrize(("query", "sql"), WRITTEN)
def test_a_statement_is_short_and_names_what_was_asked(query: Query, sql: str) -> None:
    assert compile_query(query, MODEL, "duckdb", today=date(2024, 5, 17)) == sql


MONTHS: list[tuple[Dialect, str]] = [
    ("duckdb", "CAST(DATE_TRUNC('MONTH', \"day\") AS DATE)"),
    ("sqlite", "DATE(\"day\", 'start of month')"),
    ("postgres", "CAST(DATE_TRUNC('MONTH', \"day\") AS DATE)"),
    ("mysql", "CAST(CONCAT(YEAR(`day`), '-', MONTH(`day`), '-01') AS DATE)"),
]


@pytest.mark.parametrize(("dialect", "month"), MONTHS)
def test_each_database_is_spoken_to_in_its_own_words(dialect: Dialect, month: str) -> None:
    query = Query(dataset="flights", show=(Period(of=DAY, grain="month"),))
    assert month in compile_query(query, MODEL, dialect)
