"""The firewall: what gets through, how it is written, and what a refusal says."""

from __future__ import annotations

import pytest

from flows.data.catalog import Catalog
from flows.data.query import plan_query
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
        ("SELECT price FROM book, orders", "one query cannot read"),
        ("SELECT b.title FROM book b WHERE b.year > (SELECT max(amount) FROM orders)", "one query"),
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
