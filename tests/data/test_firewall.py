"""The firewall: what gets through, how it is written, and what a refusal says."""

from __future__ import annotations

import pytest

from flows.data.catalog import Catalog
from flows.data.query import plan_query
from flows.data.sql.firewall import check_query
from flows.data.tables import Column, Dialect, Table
from flows.errors import QueryRefused

HARMLESS_DUCKDB = [
    "SELECT * FROM orders",
    "SELECT region, sum(amount) AS total FROM orders GROUP BY region HAVING sum(amount) > 1",
    "SELECT region, sum(amount) AS total FROM orders GROUP BY ALL ORDER BY ALL LIMIT 3 OFFSET 1",
    "SELECT o.customer, r.manager FROM orders o JOIN regions r ON o.region = r.region",
    "SELECT customer, manager FROM orders JOIN regions USING (region)",
    "SELECT * FROM orders NATURAL JOIN regions",
    "SELECT * FROM orders o LEFT JOIN regions r ON o.region = r.region AND o.paid",
    "WITH big AS (SELECT * FROM orders WHERE amount > 10) SELECT count(*) FROM big",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n",
    "SELECT region FROM orders UNION SELECT region FROM regions ORDER BY region",
    "SELECT region FROM orders EXCEPT SELECT region FROM regions WHERE manager = 'Ida'",
    "SELECT * FROM orders WHERE region IN (SELECT region FROM regions WHERE manager LIKE 'I%')",
    "SELECT * FROM orders o WHERE EXISTS (SELECT 1 FROM regions r WHERE r.region = o.region)",
    "SELECT customer, row_number() OVER (PARTITION BY region ORDER BY placed) n FROM orders",
    "SELECT * FROM orders QUALIFY rank() OVER (ORDER BY amount DESC) = 1",
    "SELECT sum(amount) OVER w FROM orders WINDOW w AS (ORDER BY placed)",
    "SELECT date_trunc('month', placed) m, avg(amount) FROM orders GROUP BY m",
    "SELECT extract(year FROM placed), year(placed), strftime(placed, '%Y-%m') FROM orders",
    "SELECT datediff('day', min(placed), max(placed)) FROM orders",
    "SELECT placed + INTERVAL 1 MONTH, placed - INTERVAL '3' DAY FROM orders",
    "SELECT median(amount), quantile_cont(amount, 0.9), stddev(amount), corr(amount, order_id) "
    "FROM orders",
    "SELECT count(*) FILTER (WHERE paid), count(DISTINCT region) FROM orders",
    "SELECT CASE WHEN amount > 10 THEN 'big' ELSE 'small' END AS size, count(*) FROM orders "
    "GROUP BY size",
    "SELECT coalesce(amount, 0), nullif(region, 'x'), round(amount, 1), amount::INT FROM orders",
    "SELECT TRY_CAST(customer AS INTEGER), CAST(amount AS VARCHAR) FROM orders",
    "SELECT upper(customer) || '-' || lower(region), lpad(customer, 8, '0') FROM orders",
    "SELECT regexp_matches(customer, '^A'), replace(customer, 'A', 'B') FROM orders",
    "SELECT arg_max(customer, amount), string_agg(customer, ', ' ORDER BY customer) FROM orders",
    "SELECT * EXCLUDE (paid) FROM orders",
    "SELECT COLUMNS('am.*') FROM orders",
    "SELECT region, count(*) FROM orders GROUP BY ROLLUP (region)",
    "SELECT region, count(*) FROM orders GROUP BY GROUPING SETS ((region), ())",
    "SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS v(n, word)",
    "SELECT * FROM generate_series(1, 5) AS s(i)",
    "SELECT list(customer), list_contains(list(region), 'North') FROM orders",
    "SELECT DISTINCT ON (region) region, customer FROM orders ORDER BY region, amount",
    "SELECT * FROM orders USING SAMPLE 2",
    "FROM orders SELECT customer WHERE amount BETWEEN 5 AND 20",
    "SELECT amount AS a, a * 2 AS b FROM orders WHERE a > 5",
    "SELECT max(orders.amount) FROM orders",
    "SELECT rowid, customer FROM orders",
    "SELECT 1 + 1",
    "SELECT (SELECT max(amount) FROM orders) - (SELECT min(amount) FROM orders)",
    "SELECT format('{:,.2f}', amount) FROM orders",
    "SELECT list_transform([1, 2], lambda x: x + 1)",
    "SELECT unnest([1, 2]) AS n",
    "/* why */ SELECT region -- here\nFROM orders;",
]

HARMLESS_SQLITE = [
    "SELECT * FROM book",
    'SELECT title FROM book WHERE title = "Lavinia"',
    "SELECT b.title, a.name FROM book AS b JOIN author AS a ON b.author_id = a.author_id",
    "SELECT a.name, count(*) FROM author a LEFT JOIN book b USING (author_id) GROUP BY a.name",
    "SELECT strftime('%Y', born) AS y, count(*) FROM author GROUP BY y",
    "SELECT date(born, '+1 year'), julianday(born) FROM author",
    "SELECT CAST(year / 10 AS INTEGER) * 10 AS decade, total(price) FROM book GROUP BY decade",
    "SELECT group_concat(title, '; ') FROM book",
    "SELECT iif(price > 13, 'dear', 'cheap'), ifnull(price, 0) FROM book",
    "SELECT substr(title, 1, 3), instr(title, 'a'), length(title), printf('%.1f', price) FROM book",
    "SELECT rank() OVER (ORDER BY pages DESC) FROM book",
    "SELECT title FROM book WHERE author_id IN (SELECT author_id FROM author WHERE name LIKE 'U%')",
    "SELECT name FROM author EXCEPT SELECT a.name FROM author a JOIN book b USING (author_id)",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT * FROM n",
    'SELECT "first col", "select" FROM "odd name"',
    "SELECT rowid, title FROM book",
    "SELECT title FROM recent",
    "SELECT `title`, [year] FROM book",
    "SELECT title FROM book WHERE title GLOB 'L*' OR title IS NULL",
    "SELECT hex(notes), typeof(notes), round(avg(price), 2), max(1, 2) FROM book",
]


@pytest.mark.parametrize("sql", HARMLESS_DUCKDB)
def test_reading_files_gets_through(standing_catalog: Catalog, sql: str) -> None:
    checked = plan_query(standing_catalog, sql, "duckdb")
    assert checked.dialect == "duckdb"
    assert "--" not in checked.sql
    assert "/*" not in checked.sql


@pytest.mark.parametrize("sql", HARMLESS_SQLITE)
def test_reading_sqlite_gets_through(standing_catalog: Catalog, sql: str) -> None:
    assert plan_query(standing_catalog, sql, "sqlite").dialect == "sqlite"


def test_the_query_is_written_anew_and_names_its_tables(standing_catalog: Catalog) -> None:
    checked = plan_query(
        standing_catalog,
        "select  region, /*+ hint */ sum( amount )\n from Orders -- all\n group by 1",
    )
    assert checked.sql == "SELECT region, SUM(amount) FROM Orders GROUP BY 1"
    assert [table.name for table in checked.tables] == ["orders"]


def test_a_name_with_an_invisible_letter_is_quoted(standing_catalog: Catalog) -> None:
    checked = plan_query(standing_catalog, "SELECT 1 x\u200bfrom\u200bsecret", "sqlite")
    assert checked.sql == 'SELECT 1 AS "x\u200bfrom\u200bsecret"'
    with pytest.raises(QueryRefused, match="no table secret"):
        plan_query(standing_catalog, "SELECT 1 x\u3000from\u3000secret", "sqlite")


def test_a_quoted_word_is_a_text_only_where_it_is_compared(standing_catalog: Catalog) -> None:
    checked = plan_query(standing_catalog, 'SELECT title FROM book WHERE title = "Lavinia"')
    assert checked.sql == "SELECT title FROM book WHERE title = 'Lavinia'"
    with pytest.raises(QueryRefused, match="did you mean title"):
        plan_query(standing_catalog, 'SELECT "titel" FROM book')


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("SELECT amuont FROM orders", "no column amuont; did you mean amount?"),
        ("SELECT o.amuont FROM orders o", "no column o.amuont; did you mean amount?"),
        ("SELECT * FROM ordres", "no table ordres; did you mean orders?"),
        ("SELECT pages FROM orders", "there is no column pages"),
        ("SELECT manager FROM orders", "there is no column manager"),
        ("SELECT c.x FROM (SELECT region AS y FROM orders) c", "no column c.x"),
        ("WITH c AS (SELECT region AS y FROM orders) SELECT x FROM c", "no column x"),
        ("SELECT * FROM orders WHERE region IN (SELECT reg FROM regions)", "no column reg"),
        ("SELECT a.price FROM book b", "no table called a"),
        ("SELECT FROM WHERE", "this is not a query"),
        ("SELECT 'open", "this is not a query"),
        ("", "there is no query"),
        ("-- nothing", "there is no query"),
        ("SELECT 1; SELECT 2", "one statement is allowed, these are 2"),
        ("SELECT " + "(" * 3000 + "1" + ")" * 3000, "nested too deeply"),
        ("SELECT 1 -- " + "x" * 100_000, "longer than"),
        ("SELECT " + ", ".join(["1"] * 30_000), "too large"),
        ("SELECT 1 \x00", "NUL"),
    ],
)
def test_a_refusal_says_why(standing_catalog: Catalog, sql: str, says: str) -> None:
    with pytest.raises(QueryRefused) as caught:
        plan_query(standing_catalog, sql)
    assert says in str(caught.value)


def test_an_engine_that_does_not_read_the_table_is_refused(standing_catalog: Catalog) -> None:
    with pytest.raises(QueryRefused, match="book is of the source books, which SQLite reads"):
        plan_query(standing_catalog, "SELECT * FROM book", "duckdb")
    with pytest.raises(QueryRefused, match="which DuckDB reads; this query is for SQLite"):
        plan_query(standing_catalog, "SELECT * FROM orders", "sqlite")


def test_a_with_clause_counts_only_where_it_can_be_seen(
    standing_catalog: Catalog,
) -> None:
    inside = "SELECT * FROM (WITH ghost AS (SELECT 1 AS n) SELECT * FROM ghost)"
    assert plan_query(standing_catalog, inside, "duckdb").tables == ()
    with pytest.raises(QueryRefused, match="no table ghost"):
        plan_query(standing_catalog, f"{inside} JOIN ghost USING (n)", "duckdb")


def shop(dialect: Dialect, *more: str) -> tuple[list[Table], dict[str, str]]:
    """Tables of a server: orders(order_id, Amount), and one of another schema."""
    schema = {"postgres": "public", "mysql": "shop"}.get(dialect)
    names = {"orders": ("order_id", "Amount", *more), "sales_deals": ("deal",)}
    tables = [
        Table(
            source="shop",
            name=name,
            dialect=dialect,
            rows=1,
            columns=tuple(
                Column(name=each, type="text", role="text", rows=1, missing=0, distinct=1)
                for each in columns
            ),
        )
        for name, columns in names.items()
    ]
    return tables, {"orders": f"{schema}.orders", "sales_deals": "sales.deals"} if schema else {}


def written(sql: str, dialect: Dialect, *more: str) -> str:
    tables, physical = shop(dialect, *more)
    return check_query(sql, tables, dialect, physical).sql


@pytest.mark.parametrize(
    ("dialect", "sql", "runs"),
    [
        # tables carry their schema, and keep the name that the query gives them
        (
            "postgres",
            "SELECT order_id FROM orders",
            'SELECT order_id FROM "public"."orders" AS orders',
        ),
        (
            "mysql",
            "SELECT order_id FROM orders",
            "SELECT order_id FROM `shop`.`orders` AS orders",
        ),
        ("postgres", "SELECT deal FROM sales_deals s", 'SELECT deal FROM "sales"."deals" AS s'),
        ("postgres", "SELECT deal FROM sales.deals", 'SELECT deal FROM "sales"."deals" AS deals'),
        ("mysql", "SELECT deal FROM sales.deals d", "SELECT deal FROM `sales`.`deals` AS d"),
        # PostgreSQL folds what is not quoted; the column is called Amount there
        (
            "postgres",
            "SELECT amount FROM orders o WHERE o.AMOUNT > 1 ORDER BY Amount",
            'SELECT "Amount" FROM "public"."orders" AS o WHERE o."Amount" > 1 ORDER BY "Amount"',
        ),
        (
            "postgres",
            "SELECT t.amount FROM (SELECT amount FROM orders) t",
            'SELECT t."Amount" FROM (SELECT "Amount" FROM "public"."orders" AS orders) AS t',
        ),
        (
            "postgres",
            "SELECT max(amount) AS Amount FROM orders ORDER BY amount",
            'SELECT MAX("Amount") AS Amount FROM "public"."orders" AS orders ORDER BY amount',
        ),
        # MySQL takes double quotes for a text, and may tell upper from lower case in aliases
        (
            "mysql",
            'SELECT "a" FROM orders O WHERE o.amount = "b"',
            "SELECT 'a' FROM `shop`.`orders` AS O WHERE O.amount = 'b'",
        ),
        ("mysql", "SELECT 'a\\'b'", "SELECT 'a''b'"),
        # what one server writes in words of its own
        ("mysql", "SELECT 'a' REGEXP 'b'", "SELECT 'a' REGEXP 'b'"),
        ("mysql", "SELECT median(1) OVER ()", "SELECT MEDIAN(1) OVER ()"),
        (
            "mysql",
            "SELECT '{}' ->> '$.a'",
            "SELECT JSON_UNQUOTE(JSON_EXTRACT('{}', '$.a'))",
        ),
        ("postgres", "SELECT to_hex(255)", "SELECT TO_HEX(255)"),
        ("postgres", "SELECT $$it's$$, E'a\\nb'", "SELECT 'it''s', e'a\\nb'"),
        ("postgres", "SELECT 1 /* DROP */ -- x", "SELECT 1"),
    ],
)
def test_servers_get_queries_in_their_own_words(dialect: Dialect, sql: str, runs: str) -> None:
    assert written(sql, dialect) == runs


def test_columns_that_differ_in_case_alone_are_told_apart() -> None:
    both = written('SELECT "Amount", amount, AMOUNT FROM orders', "postgres", "amount")
    assert both == 'SELECT "Amount", amount, AMOUNT FROM "public"."orders" AS orders'


@pytest.mark.parametrize(
    ("dialect", "sql", "says"),
    [
        ("postgres", "SELECT amuont FROM orders", "no column amuont; did you mean Amount?"),
        ("mysql", "SELECT o.amuont FROM orders o", "no column o.amuont; did you mean Amount?"),
        ("postgres", "SELECT x.Amount FROM orders ord", "no table called x"),
        ("postgres", "SELECT * FROM secret.orders", "without its schema: secret.orders"),
        ("mysql", "SELECT * FROM ordres", "no table ordres; did you mean orders?"),
        ("postgres", "SELECT public.orders.amount FROM orders", "its table's name or alias alone"),
        ("postgres", "SELECT pg_sleep(1)", "the function pg_sleep is not allowed"),
        ("mysql", "SELECT sleep(1)", "the function sleep is not allowed"),
        ("mysql", "SELECT 1 /*! , 2 */", "a comment that MySQL would run"),
        ("mysql", "SELECT @x := 1", "PARAMETER is not allowed"),
        ("mysql", "SELECT SQL_CALC_FOUND_ROWS 1", "SQL_CALC_FOUND_ROWS is not allowed"),
        ("postgres", "SELECT 'x'::xml", "the type XML is not allowed"),
        ("postgres", "SELECT repeat('x', 1001)", "must be a number up to 1000"),
        ("postgres", "SELECT format('%2000s', 'x')", "widths are up to 1000"),
        ("postgres", "SELECT * FROM generate_series(1, 9999999)", "at most 1,000,000 apart"),
        ("mysql", "SELECT unnest(1)", "the function"),
        ("postgres", "SELECT * FROM orders FOR UPDATE", "LOCK is not allowed"),
        ("mysql", "DELETE FROM orders", "only queries that read are allowed, not DELETE"),
        ("postgres", "SELEC 1", "not a query that PostgreSQL reads"),
    ],
)
def test_a_refusal_for_a_server_says_why(dialect: Dialect, sql: str, says: str) -> None:
    with pytest.raises(QueryRefused) as caught:
        written(sql, dialect)
    assert says in str(caught.value)


def test_tables_of_other_dialects_count_where_they_are_copied_to() -> None:
    tables, _ = shop("postgres")
    with pytest.raises(QueryRefused, match="which PostgreSQL reads; this query is for DuckDB"):
        check_query("SELECT * FROM orders", tables, "duckdb")
    checked = check_query("SELECT amount FROM orders", tables, "duckdb", {}, foreign=True)
    assert [table.name for table in checked.tables] == ["orders"]


# What could take a parser long, or its stack.
LARGE = {
    "brackets": "SELECT " + "(" * 3000 + "1" + ")" * 3000,
    "brackets that stay open": "SELECT " + "(" * 90_000,
    "and": "SELECT 1 WHERE " + " AND ".join(["1 = 1"] * 4000),
    "or of columns": "SELECT 1 WHERE " + " OR ".join(["a = 1"] * 4000),
    "minus": "SELECT " + "- " * 40_000 + "1",
    "not": "SELECT " + "NOT " * 20_000 + "1",
    "case": "SELECT " + "CASE WHEN " * 9000,
    "casts": "SELECT 1" + "::int" * 19_000,
    "indexes": "SELECT a" + "[1]" * 30_000,
    "dots": "SELECT a" + ".a" * 45_000,
    "union": " UNION ALL ".join(["SELECT 1"] * 5000),
    "subqueries": "SELECT * FROM (" * 3000 + "SELECT 1" + ") x" * 3000,
    "joins": "SELECT 1 FROM " + " JOIN ".join(f"(SELECT 1) x{each}" for each in range(3000)),
    "list": "SELECT 1 IN (" + ", ".join(["1"] * 30_000) + ")",
    "text": "SELECT '" + "x" * 99_000 + "'",
    "quotes": "SELECT '" + "''" * 49_000 + "'",
    "comment": "SELECT 1 " + "/*" * 45_000,
    "name": "SELECT " + "a" * 99_000,
    "statements": "SELECT 1;" * 11_000,
    "nothing": " " * 99_999,
}


@pytest.mark.long("queries of the largest size, each read and written whole")
@pytest.mark.parametrize("dialect", ["duckdb", "sqlite", "postgres", "mysql"])
@pytest.mark.parametrize("name", LARGE)
def test_a_large_query_is_written_or_refused(name: str, dialect: Dialect) -> None:
    """The time of a test is the only limit on time here; no other error may come out."""
    tables, physical = shop(dialect)
    try:
        checked = check_query(LARGE[name], tables, dialect, physical)
    except QueryRefused:
        return
    assert len(checked.sql) < 400_000
