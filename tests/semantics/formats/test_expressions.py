"""Expressions between SQL and trees: what is read means what the SQL says, and the other way."""

from __future__ import annotations

import duckdb
import pytest

from flows.errors import ConfigError, Place
from flows.semantics.formats.expressions import (
    Unsayable,
    as_sql,
    parse_condition,
    parse_expression,
    quoted,
)
from flows.semantics.formats.names import MetricNames
from flows.semantics.model import Dataset, SemanticField
from flows.semantics.query import (
    Aggregate,
    Arithmetic,
    Bin,
    Cast,
    Comparison,
    Constant,
    Expression,
    FieldRef,
    Match,
    MetricRef,
    Period,
    Predicate,
)

COLUMNS = ("amount", "status", "day", "count", "top", "2024", "Größe in m", 'the "big" one')
ROWS = Dataset(
    name="order", source="", table="order", noun="order", plural="orders",
    fields=tuple(
        SemanticField(name=each, role="measure", type="real", column=each) for each in COLUMNS
    ),
)  # fmt: skip
PLACE = Place("model.yaml", 3, 7)
NAMES = MetricNames((ROWS,), ("revenue", "items sold"), PLACE)
AMOUNT, STATUS, DAY = (FieldRef(dataset="order", field=each) for each in COLUMNS[:3])
PAID = Comparison(left=STATUS, operator="=", right=Constant(value="paid"))
BIG = Comparison(left=AMOUNT, operator=">", right=Constant(value=15))


def read(sql: str, dialect: str = "") -> Expression:
    return parse_expression(sql, dialect, NAMES, PLACE)


def figure(function: str, of: Expression | None = AMOUNT, **more: object) -> Aggregate:
    return Aggregate.model_validate({"function": function, "of": of, **more})


@pytest.mark.parametrize(
    ("tree", "value"),
    [
        (figure("sum"), 60),
        (figure("sum", where=PAID), 40),
        (figure("average"), 20),
        (figure("median"), 20),
        (figure("count", of=None), 4),
        (figure("count"), 3),
        (figure("count", of=None, where=PAID), 2),
        (figure("count distinct", of=STATUS), 2),
        (figure("count distinct", of=STATUS, where=BIG), 2),
        (figure("percentile", at=25), 15),
        (figure("minimum", where=BIG), 20),
        (figure("deviation"), 10),
        (figure("share", of=None, where=PAID), 50),
        (figure("share", of=STATUS, where=BIG), 100),
        (Arithmetic(operator="/", left=figure("sum"), right=figure("count")), 20),
        (Arithmetic(operator="/", left=figure("sum"), right=Constant(value=0)), None),
        (
            Arithmetic(
                operator="-",
                left=Constant(value=10),
                right=Arithmetic(operator="-", left=Constant(value=5), right=figure("count")),
            ),
            8,
        ),
        (figure("maximum", of=Period(of=DAY, grain="quarter of year")), 3),
        (figure("maximum", of=Period(of=DAY, grain="year")), 2024),
        (figure("minimum", of=Period(of=DAY, grain="weekday")), 4),
        (figure("maximum", of=Bin(of=AMOUNT, width=25)), 25),
        (figure("count", of=Cast(of=STATUS)), 0),
        (figure("count", of=None, where=Match(of=STATUS, place="contains", text="AI")), 2),
        (figure("count", of=None, where=Match(of=STATUS, place="starts", text="a%")), 0),
    ],
)  # fmt: skip
def test_the_sql_of_a_figure_gives_its_value_and_is_read_as_the_figure(
    tree: Expression, value: float | None
) -> None:
    sql = as_sql(tree)
    with duckdb.connect() as database:
        database.execute('CREATE TABLE "order" (amount DOUBLE, status TEXT, day DATE)')
        database.execute(
            "INSERT INTO \"order\" VALUES (10, 'paid', '2024-02-29'), (20, 'open', '2024-02-29'), "
            "(30, 'paid', '2024-08-15'), (NULL, 'open', NULL)"
        )
        row = database.execute(f'SELECT {sql} FROM "order"').fetchone()
    assert row is not None
    assert row[0] == (None if value is None else pytest.approx(value))
    assert read(sql) == tree


@pytest.mark.parametrize("name", COLUMNS)
def test_any_name_can_be_a_field(name: str) -> None:
    tree = figure("sum", of=FieldRef(dataset="order", field=name))
    assert as_sql(tree) == f"SUM({quoted('order')}.{quoted(name)})"
    assert read(as_sql(tree)) == tree


@pytest.mark.parametrize(
    ("sql", "dialect", "tree"),
    [
        ('revenue / NULLIF("items sold", 0)', "",
         Arithmetic(operator="/", left=MetricRef(metric="revenue"),
                    right=MetricRef(metric="items sold"))),
        ("SUM(Amount)", "", figure("sum")),
        ("sum(case when status = 'paid' then amount else 0 end)", "", figure("sum", where=PAID)),
        ("SUM(amount) FILTER (WHERE status = 'paid')", "", figure("sum", where=PAID)),
        ("SUM(CASE WHEN status = 'paid' THEN 1 ELSE 0 END)", "",
         figure("count", of=None, where=PAID)),
        ("COUNT_IF(status = 'paid')", "snowflake", figure("count", of=None, where=PAID)),
        ("SUM(IFF(status = 'paid', amount, NULL))", "snowflake", figure("sum", where=PAID)),
        ("SUM(IF(status = 'paid', amount, 0))", "bigquery", figure("sum", where=PAID)),
        ("SAFE_DIVIDE(SUM(amount), COUNT(*))", "bigquery",
         Arithmetic(operator="/", left=figure("sum"), right=figure("count", of=None))),
        ("SUM(COALESCE(amount, 0))", "", figure("sum")),
        ("SUM(amount::numeric)", "", figure("sum", of=Cast(of=AMOUNT))),
        ("MAX(DATE_TRUNC('month', day))", "", figure("maximum", of=Period(of=DAY, grain="month"))),
        ("MAX(MONTH(day))", "snowflake",
         figure("maximum", of=Period(of=DAY, grain="month of year"))),
        ("MAX(-amount)", "",
         figure("maximum", of=Arithmetic(operator="-", left=Constant(value=0), right=AMOUNT))),
        ("PERCENTILE_CONT(0.29) WITHIN GROUP (ORDER BY amount)", "", figure("percentile", at=29)),
    ],
)  # fmt: skip
def test_sql_of_other_tools_is_read(sql: str, dialect: str, tree: Expression) -> None:
    assert read(sql, dialect) == tree


@pytest.mark.parametrize(
    ("sql", "tree"),
    [
        ("LOWER(status) LIKE '%ai%'", Match(of=STATUS, place="contains", text="ai")),
        ("status ILIKE 'p%'", Match(of=STATUS, place="starts", text="p")),
        ("count", Comparison(left=FieldRef(dataset="order", field="count"), operator="=",
                             right=Constant(value=True))),
        ("day >= DATE '2024-01-01'",
         Comparison(left=DAY, operator=">=", right=Constant(value="2024-01-01"))),
    ],
)  # fmt: skip
def test_conditions_of_other_tools_are_read(sql: str, tree: Predicate) -> None:
    assert parse_condition(sql, "", NAMES, PLACE) == tree


@pytest.mark.parametrize(
    "sql",
    [
        "AVG(COALESCE(amount, 0))", "RANK() OVER (ORDER BY amount)", "status || 'x'",
        "UPPER(status)", "SUM(DISTINCT amount)", "COUNT(DISTINCT amount, status)",
        "CASE WHEN amount > 1 THEN 'a' ELSE 'b' END", "(SELECT MAX(amount) FROM x)",
        "STDDEV_POP(amount)", "amount % 2", "MAX(CASE WHEN amount > 1 THEN 2 ELSE 0 END)",
        "SUM(CASE WHEN status LIKE 'p%' THEN 1 END)", "CURRENT_DATE", "DATE_TRUNC('year', day)",
        "GREATEST(amount, 1)", "SUM(CASE WHEN LOWER(status) LIKE 'a_b' THEN 1 END)",
    ],
)  # fmt: skip
def test_what_would_mean_something_else_is_not_read(sql: str) -> None:
    with pytest.raises(Unsayable):
        read(sql)


@pytest.mark.parametrize(
    "sql", ["", "SUM(", "SUM(amount) AS x", "SUM(amount); DROP TABLE x", "DROP TABLE x", "a b c",
            "(" * 3000, "1+" * 3000 + "1", "DELETE FROM x"],
)  # fmt: skip
def test_what_is_no_expression_is_refused_at_its_place(sql: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(sql)
    assert caught.value.place == PLACE
