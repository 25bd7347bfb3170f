"""A question, the model's SQL, and a result that can be cited."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from flows.core.result import RunResult
from flows.data.tables import ResultTable
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.library.world import SALES, World, asked, decision, sql

ASK = """\
defaults: [{model: openai}, _self_]
name: Ask
_target_: sql
data: {sales: sales.csv}
"""
TOTAL = "SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC"


@pytest.fixture(autouse=True)
def _sales(world: World) -> None:
    world.write("sales.csv", SALES)
    with sqlite3.connect(world.folder / "shop.db") as shop:
        shop.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, price REAL)")
        shop.executemany("INSERT INTO orders (price) VALUES (?)", [(n / 2,) for n in range(60)])
    shop.close()


def ask(world: World, *overrides: str, text: str = ASK) -> RunResult:
    return world.run(text, *overrides, inputs={"question": "How much by region?"})


def observation(result: RunResult) -> Any:
    return result.outputs["observation"]


def kept(world: World, result: RunResult) -> ResultTable:
    [artifact] = result.artifacts
    content = (result.folder / artifact.path).read_bytes()
    assert hashlib.sha256(content).hexdigest() == artifact.sha256
    return ResultTable.model_validate_json(content)


def test_the_result_is_kept_whole_and_shown_in_part(world: World, server: FakeModel) -> None:
    world.write("sales.csv", "n\n" + "".join(f"{n}\n" for n in range(100)))
    server.script(sql("SELECT n FROM sales ORDER BY n"))
    result = ask(world)
    table = observation(result).table
    assert (len(table.rows), table.total_rows, table.truncated) == (20, 100, False)
    assert observation(result).text == "The query gave 100 rows."
    whole = kept(world, result)
    assert [row[0] for row in whole.rows] == list(range(100))
    assert whole.sources == {"sales": hashlib.sha256(Path("sales.csv").read_bytes()).hexdigest()}
    assert table.artifact == result.artifacts[0].name
    assert result.usage.model_calls == 1


def test_what_the_model_is_told(world: World, server: FakeModel) -> None:
    server.script(sql(TOTAL))
    ask(world)
    system, question = asked(server)
    for each in (
        "dataset sales (",
        "5 rows; DuckDB SQL",
        "amount",
        "JSON object",
        "DuckDB and SQLite",
    ):
        assert each in system[1]
    assert question == ("user", "Question: How much by region?")
    form = server.requests[0].body["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    assert list(form["json_schema"]["schema"]["properties"]) == [
        "request", "sql", "explanation", "confidence", "warnings", "cannot",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("SELECT regoin FROM sales", "regoin"),
        ("SELECT FROM WHERE", "SELECT FROM WHERE"),
        ("SELECT * FROM customers", "customers"),
        ("DROP TABLE sales", "DROP TABLE sales"),
        ("SELECT 1; SELECT 2", "SELECT 1; SELECT 2"),
        ("SELECT * FROM read_csv('/etc/passwd')", "read_csv"),
        ("SELECT CAST(region AS INTEGER) AS n FROM sales", "DuckDB"),
    ],
)
def test_a_fault_goes_back_to_the_model_with_its_reason(
    world: World, server: FakeModel, first: str, reason: str
) -> None:
    server.script(sql(first), sql(TOTAL))
    result = ask(world)
    assert observation(result).table.rows[0] == ("south", 20.0)
    [_, (role, again)] = asked(server, 1)
    assert role == "user"
    assert again.startswith(
        "Question: How much by region?\n\nWhat was tried for it and found wanting"
    )
    assert reason in again
    assert f":\n> {first}\n" in again
    assert len(result.artifacts) == 1


@pytest.mark.long("whole runs of a flow")
def test_a_query_that_is_refused_to_the_end_is_reported_and_does_nothing(
    world: World, server: FakeModel
) -> None:
    before = Path("sales.csv").read_bytes(), Path("shop.db").read_bytes()
    server.otherwise = lambda _: sql("DROP TABLE orders")
    result = ask(world, "data.shop=shop.db")
    assert len(server.requests) == 3
    assert (result.status, result.exit_code) == ("failed", 4)
    assert "QueryRefused" in result.reason
    assert (Path("sales.csv").read_bytes(), Path("shop.db").read_bytes()) == before
    assert result.artifacts == ()


@pytest.mark.long("whole runs of a flow")
def test_in_the_loop_a_refusal_is_an_observation(world: World, server: FakeModel) -> None:
    server.script(
        decision("sql", question="drop it"),
        *(sql("DELETE FROM sales") for _ in range(3)),
        decision("finish", answer="It is not possible."),
    )
    result = world.auto("model=openai")
    [(kind, text)] = world.observations()
    assert kind == "error"
    assert text.startswith("sql failed: ")
    assert text[13:] in asked(server, 4)[-1][1].replace("\n> ", "\n")
    assert result.status == "degraded"


@pytest.mark.parametrize("corrections", [0, 1, 4])
def test_tries_are_a_setting(world: World, server: FakeModel, corrections: int) -> None:
    server.otherwise = lambda _: sql("SELECT nothing FROM sales")
    assert ask(world, f"+corrections={corrections}").status == "failed"
    assert len(server.requests) == corrections + 1


def test_a_reply_that_is_no_sql_is_corrected_in_the_same_chat(
    world: World, server: FakeModel
) -> None:
    server.script(
        FakeAnswer("SELECT 1"),
        FakeAnswer('{"query": "SELECT 1"}'),
        sql(TOTAL),
    )
    assert observation(ask(world)).kind == "ok"
    said = asked(server, 2)
    assert [role for role, _ in said] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "user",
    ]
    assert "must be one JSON object" in said[3][1]
    assert 'must have "request", "sql" with a query, or "cannot"' in said[5][1]


def test_no_usable_sql_at_all(world: World, server: FakeModel) -> None:
    server.otherwise = lambda _: FakeAnswer("I would rather not.")
    result = ask(world)
    assert result.status == "failed"
    assert "the model gave no usable SQL: the reply must be one JSON object" in result.reason


def test_a_cut_reply_is_not_run(world: World, server: FakeModel) -> None:
    whole = json.dumps({"sql": "SELECT region FROM sales"})
    server.script(FakeAnswer(whole, finish="length"), sql(TOTAL))
    result = ask(world)
    assert "total" in observation(result).table.columns
    assert "length limit" in asked(server, 1)[-1][1]


def test_a_question_that_cannot_be_answered(world: World, server: FakeModel) -> None:
    server.script(sql(None, cannot="there is no column for profit"))
    result = ask(world)
    assert observation(result).kind == "error"
    assert observation(result).text == (
        "The question cannot be answered: there is no column for profit"
    )
    assert result.artifacts == ()


def test_what_the_model_warns_of_is_beside_the_result(world: World, server: FakeModel) -> None:
    warned = [{"code": "few", "text": "There are only five sales."}]
    server.script(sql(TOTAL, confidence=0.4, warnings=warned))
    text = observation(ask(world)).text
    assert text == "The query gave 4 rows.\nWarning: There are only five sales."


def test_an_empty_result_is_told_apart_from_an_error(world: World, server: FakeModel) -> None:
    server.script(sql("SELECT region FROM sales WHERE amount > 1000"))
    result = ask(world)
    assert observation(result).kind == "empty"
    assert observation(result).table.total_rows == 0
    assert len(result.artifacts) == 1


@pytest.mark.long("whole runs of a flow")
def test_max_rows_and_what_is_left_out(world: World, server: FakeModel) -> None:
    server.script(sql("SELECT id FROM orders ORDER BY id"))
    result = ask(world, "+max_rows=50", "data.shop=shop.db")
    assert observation(result).text == (
        "The query gave 50 rows (there are more; the rest was left out)."
    )
    assert observation(result).table.truncated
    assert len(kept(world, result).rows) == 50


@pytest.mark.long("whole runs of a flow")
def test_max_rows_by_its_short_path(world: World, server: FakeModel) -> None:
    server.script(
        decision("sql", question="all orders"),
        sql("SELECT id FROM orders"),
        decision("finish", answer="Done."),
    )
    world.auto("model=openai", "data.shop=shop.db", "Executor.sql.max_rows=30")
    [(_, text)] = world.observations()
    assert text.startswith("The query gave 30 rows (there are more")
    shown = asked(server, 2)[-1][1]
    assert "(the first 20 of 30 rows)" in shown


def test_sqlite_and_files_by_the_tables_of_the_query(world: World, server: FakeModel) -> None:
    server.script(sql("SELECT ROUND(AVG(price), 2) AS mean, typeof(1) AS kind FROM orders"))
    result = ask(world, "data.shop=shop.db")
    assert observation(result).table.rows == ((14.75, "integer"),)
    assert list(kept(world, result).sources) == ["shop"]


@pytest.mark.long("whole runs of a flow")
def test_one_query_joins_a_file_and_a_sqlite_database(world: World, server: FakeModel) -> None:
    server.script(sql("SELECT count(*) AS n FROM orders JOIN sales ON id <= 2"))
    result = ask(world, "data.shop=shop.db")
    assert observation(result).table.rows == ((10,),)
    assert sorted(kept(world, result).sources) == ["sales", "shop"]


@pytest.mark.long("whole runs of a flow")
@pytest.mark.parametrize(("engine", "table"), [("sqlite", "sales"), ("duckdb", "orders")])
def test_an_engine_of_ones_choice(world: World, server: FakeModel, engine: str, table: str) -> None:
    server.otherwise = lambda _: sql(f"SELECT COUNT(*) FROM {table}")
    result = ask(world, "data.shop=shop.db", f"+engine={engine}")
    assert result.status == "failed"
    assert f"in the SQL of the tables: {engine}" in asked(server)[0][1]


def test_a_query_that_takes_too_long_is_stopped(world: World, server: FakeModel) -> None:
    server.otherwise = lambda _: sql(
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    )
    result = ask(world, "+query_timeout=0.2", "+corrections=0")
    assert "took longer than" in result.reason


@pytest.mark.long("whole runs of a flow")
def test_a_model_of_its_own(world: World, server: FakeModel) -> None:
    """The rules choose the command; a language model that is to write SQL is asked for it, even
    where the rules have read the question."""
    server.script(sql(TOTAL))
    own = ("Executor.sql.model=openai", "Executor.sql.by=sql")
    result = world.auto(*own, goal="What is the total amount by region?")
    assert len(server.requests) == 1
    assert result.status == "finished"
    assert "south" in result.outputs["answer"].casefold()


@pytest.mark.long("whole runs of a flow")
def test_each_question_begins_a_new_chat(world: World, server: FakeModel) -> None:
    server.script(
        decision("sql", question="one"),
        sql(TOTAL),
        decision("sql", question="two"),
        sql(TOTAL),
        decision("finish", answer="Done."),
    )
    world.auto("model=openai")
    assert asked(server, 3)[1:] == [("user", "Question: two")]


def test_the_users_own_sql_prompt(world: World, server: FakeModel) -> None:
    world.write("prompts/analyst.system.j2", "{#- variables: tables -#}\nShort: {{ tables }} JSON")
    server.script(sql(TOTAL))
    ask(world)
    assert asked(server)[0][1].startswith("Short: table sales")


def test_a_query_without_a_model(world: World) -> None:
    text = "name: Run\n_target_: query\ndata: {sales: sales.csv}\n"
    result = world.run(text, inputs={"sql": TOTAL})
    assert observation(result).table.rows[0] == ("south", 20.0)
    failed = world.run(text, inputs={"sql": "DROP TABLE sales"})
    assert (failed.status, failed.exit_code) == ("failed", 4)


@pytest.mark.long("whole runs of a flow")
def test_what_was_read_already_is_not_asked_again(world: World, server: FakeModel) -> None:
    """The rules have read the question as a request: the language model is not needed."""
    own = "Executor.sql.model=openai"
    result = world.auto(own, goal="What is the total amount by region?")
    assert server.requests == []
    assert "south" in result.outputs["answer"].casefold()


def test_a_language_model_answers_with_a_request(world: World, server: FakeModel) -> None:
    """It goes back where it does not fit the data, and is SQL then."""

    def total(name: str) -> dict[str, Any]:
        of = {"kind": "field", "dataset": "sales", "field": name}
        figure = {"kind": "aggregate", "function": "sum", "of": of}
        query = {"kind": "query", "dataset": "sales", "metrics": [figure], "where": None}
        return {"request": {**query, "by": [{**of, "field": "region"}]}}

    server.script(sql(None, **total("amuont")), sql(None, **total("amount")))
    found = observation(ask(world))
    assert sorted(found.table.rows)[0] == ("east", 5.0)
    assert "sales has no field amuont; did you mean amount?" in asked(server)[-1][1]
