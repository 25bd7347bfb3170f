from __future__ import annotations

import sqlite3

import duckdb
import pytest

from flows.analysis.compile import compile_plan
from flows.analysis.plan import AnyOf, Comparison, Condition, Field, Having, Measure, Order, Plan
from flows.core.observation import Cell
from flows.data.tables import Dialect

ROWS = [
    ("a'b", 3, "2001-05-06"),
    ("100%_x", 7, "2002-01-31"),
    ('q"q', 5, "2002-12-01"),
    (None, 1, None),
]


def run(plan: Plan, dialect: Dialect) -> list[tuple[Cell, ...]]:
    day = "TEXT" if dialect == "sqlite" else "DATE"
    table = f'"odd table" ("na""me" TEXT, "select" INTEGER, "day" {day})'
    if dialect == "sqlite":
        lite = sqlite3.connect(":memory:")
        lite.execute(f"CREATE TABLE {table}")
        lite.executemany('INSERT INTO "odd table" VALUES (?, ?, ?)', ROWS)
        found = lite.execute(compile_plan(plan)).fetchall()
        lite.close()
        return found
    duck = duckdb.connect()
    duck.execute(f"CREATE TABLE {table}")
    duck.executemany('INSERT INTO "odd table" VALUES (?, ?, ?)', ROWS)
    result = duck.execute(compile_plan(plan)).fetchall()
    duck.close()
    return result


NAME, SIZE = Field('na"me'), Field("select")


def plan_of(dialect: Dialect, *conditions: Condition, **changes: object) -> Plan:
    values: dict[str, object] = {
        "kind": "rows", "source": "s", "table": "odd table", "dialect": dialect,
        "select": (SIZE,), "filters": tuple(AnyOf((each,)) for each in conditions),
        "order": (Order(SIZE),), **changes,
    }  # fmt: skip
    return Plan(**values)  # type: ignore[arg-type]  # the tests name the fields that they change


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
@pytest.mark.parametrize(
    ("comparison", "values", "expected"),
    [
        ("=", ("a'b",), [3]),
        ("!=", ("a'b",), [5, 7]),
        ("in", ("a'b", 'q"q'), [3, 5]),
        ("not in", ("a'b",), [5, 7]),
        ("contains", ("0%_",), [7]),
        ("contains", ("%",), [7]),
        ("starts", ("A",), [3]),
        ("ends", ("Q",), [5]),
        ("not contains", ("q",), [3, 7]),
        ("missing", (), [1]),
        ("present", (), [3, 5, 7]),
    ],
)
def test_text_conditions_mean_the_same_in_both_dialects(
    dialect: Dialect, comparison: Comparison, values: tuple[Cell, ...], expected: list[int]
) -> None:
    rows = run(plan_of(dialect, Condition(NAME, comparison, values)), dialect)
    assert [row[0] for row in rows] == expected


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_ranges_parts_of_dates_and_alternatives(dialect: Dialect) -> None:
    between = Condition(SIZE, "between", (2, 5))
    assert run(plan_of(dialect, between), dialect) == [(3,), (5,)]
    year = Condition(Field("day", "year"), "=", (2002,))
    assert run(plan_of(dialect, year), dialect) == [(5,), (7,)]
    either = AnyOf((Condition(SIZE, "<", (2,)), Condition(SIZE, ">", (6,))))
    assert run(plan_of(dialect, filters=(either,)), dialect) == [(1,), (7,)]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_aggregates_groups_and_having(dialect: Dialect) -> None:
    year = Field("day", "year")
    counted = plan_of(
        dialect, kind="aggregate", select=(year, Measure("sum", SIZE)), groups=(year,),
        having=(Having(Measure("count"), ">", (1,)),), order=(Order(year),),
    )  # fmt: skip
    assert run(counted, dialect) == [(2002, 12)]
    share = Measure("share", of=(AnyOf((Condition(SIZE, ">=", (5,)),)),))
    assert run(plan_of(dialect, kind="aggregate", select=(share,), order=()), dialect) == [(50.0,)]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_limit_offset_and_distinct(dialect: Dialect) -> None:
    second = plan_of(dialect, order=(Order(SIZE, descending=True),), limit=1, offset=1)
    assert run(second, dialect) == [(5,)]
    names = plan_of(dialect, select=(Field("day", "year"),), distinct=True, order=())
    assert sorted(run(names, dialect), key=str) == [(2001,), (2002,), (None,)]


@pytest.mark.parametrize("descending", [True, False])
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_a_missing_value_is_never_first(dialect: Dialect, descending: bool) -> None:
    plan = plan_of(dialect, select=(NAME,), order=(Order(NAME, descending),), limit=1)
    assert run(plan, dialect)[0][0] is not None


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_numbers_kept_as_text_are_compared_as_numbers(dialect: Dialect) -> None:
    text = Field('na"me', "number")
    plan = plan_of(dialect, Condition(SIZE, "=", (3,)), select=(Measure("max", text),), order=())
    assert len(run(plan, dialect)) == 1
