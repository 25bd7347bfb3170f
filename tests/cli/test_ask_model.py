"""`flows ask` with a language model that `flows fake-model` plays: requests, and SQL of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.command import environment
from tests.cli.farm import jsonl
from tests.cli.inside import inside
from tests.cli.test_fake_model_command import playing

SALES = 'region,price\nnorth,"$1,200.50"\nsouth,$30.00\nnorth,$2.50\neast,n/a\n'


def field(name: str) -> dict[str, Any]:
    return {"kind": "field", "dataset": "sales", "field": name}


def total(name: str) -> dict[str, Any]:
    figure = {"kind": "aggregate", "function": "sum", "of": field(name)}
    return {"kind": "query", "dataset": "sales", "metrics": [figure], "by": [field("region")]}


def script(*replies: dict[str, Any] | str) -> str:
    said = {"confidence": 0.8, "explanation": "as asked"}
    turns = [{"reply": {**said, **each} if isinstance(each, dict) else each} for each in replies]
    return yaml.safe_dump({"turns": turns}, sort_keys=False)


@pytest.mark.long("whole runs of the command")
def test_a_request_is_refused_corrected_compiled_and_told(tmp_path: Path) -> None:
    """Money that is written as text is summed: a request is over what the data mean."""
    (tmp_path / "sales.csv").write_text(SALES)
    replies = (
        {"request": total("prise")},
        {"request": total("price")},
        "North: {{last[1].total_price}}.",
    )
    (tmp_path / "script.yaml").write_text(script(*replies))
    with playing(tmp_path, "--log", "log.jsonl") as (_, base_url):
        env = environment(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="k")
        question = ("ask", "What does each region take?", "--data", "sales.csv")
        options = ("--model", "openai:small", "--explain", "--json")
        ended = inside(*question, *options, cwd=tmp_path, env=env)
    found = ended.json()
    assert (ended.code, found["status"]) == (0, "answered"), ended.err
    assert ["north", 1203.0] in found["rows"]
    assert found["answer"] == "North: 1203."
    assert found["explanation"] == "total price by region"
    assert found["request"] == {**total("price")}
    asked = [json.loads(line)["body"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    form = asked[0]["response_format"]["json_schema"]
    assert (form["name"], form["strict"]) == ("Proposal", True)
    assert "sales has no field prise; did you mean price?" in asked[1]["messages"][-1]["content"]


@pytest.mark.long("whole runs of the command")
def test_it_may_choose_sql(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    sql = "SELECT COUNT(*) AS n FROM sales WHERE price LIKE '$%'"
    (tmp_path / "script.yaml").write_text(script({"sql": sql}, "{{last[0].n}} have a price."))
    with playing(tmp_path) as (_, base_url):
        env = environment(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="k")
        question = ("ask", "How many have a price?", "--data", "sales.csv", "--by", "auto")
        ended = inside(*question, "--model", "openai:small", "--json", cwd=tmp_path, env=env)
    assert (ended.code, ended.json()["answer"]) == (0, "3 have a price.")
    assert ended.json()["sql"] == sql


def test_a_way_that_there_is_not_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    ended = inside("ask", "How many?", "--data", "sales.csv", "--by", "magic", cwd=tmp_path)
    assert ended.code == 2
    assert "--by is 'magic'; it can be auto, request, sql" in ended.err


@pytest.mark.long("a language model is asked the cases of a file in three ways")
def test_the_ways_are_compared_over_cases_of_ones_own(tmp_path: Path) -> None:
    """The request is right; SQL over money as text is not."""
    (tmp_path / "sales.csv").write_text(SALES)
    wanted = yaml.safe_dump({**total("price"), "words": "each region"})
    case = {"id": "takings", "question": "What does each region take?", "data": ["sales.csv"]}
    (tmp_path / "cases.yaml").write_text(yaml.safe_dump([{**case, "request": wanted}]))
    sql = {"sql": "SELECT region, MAX(price) AS price FROM sales GROUP BY region"}
    replies = ({"request": total("price")}, "So.", sql, "So.", {"request": total("price")}, "So.")
    (tmp_path / "script.yaml").write_text(script(*replies))
    with playing(tmp_path) as (_, base_url):
        env = environment(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="k")
        many = ("eval", "cases.yaml", "--model", "openai:small", "--processes", "1")
        ended = inside(*many, "--by", "request", "--by", "sql", cwd=tmp_path, env=env)
        assert ended.code == 0, ended.err
        assert "right by request only: takings" in ended.out
        reports = {
            way: json.loads((tmp_path / "evaluation" / way / "report.json").read_text())
            for way in ("request", "sql")
        }
        assert [each["right"] for each in reports.values()] == [1, 0]
        assert reports["sql"]["wrong"] == 1
        jsonl(tmp_path / "cases.jsonl", [{**case, "request": total("price")}])
        one = inside("eval", "cases.jsonl", *many[2:], "--by", "auto", "--json",
                     cwd=tmp_path, env=env)  # fmt: skip
    assert one.json()["right"] == 1


@pytest.mark.long("whole runs of the command")
def test_a_case_whose_request_does_not_fit_is_named(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    case = {"question": "How many regions?", "data": ["sales.csv"]}
    lines = [{**case, "request": total("prise")}, {**case, "request": {"kind": "query"}}]
    jsonl(tmp_path / "cases.jsonl", lines)
    ended = inside("eval", "cases.jsonl", "--json", "--processes", "1", cwd=tmp_path)
    reasons = [each["reason"] for each in ended.json()["cases_judged"]]
    assert "sales has no field prise" in reasons[0]
    assert "line 2: `request.query.dataset`: Field required" in reasons[1]


def ask_with(tmp_path: Path, *replies: dict[str, Any] | str) -> tuple[dict[str, Any], list[Any]]:
    """What `flows ask` answers with these replies, and the bodies that the model was sent."""
    (tmp_path / "sales.csv").write_text(SALES)
    (tmp_path / "script.yaml").write_text(script(*replies))
    with playing(tmp_path, "--log", "log.jsonl") as (_, base_url):
        env = environment(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="k")
        question = ("ask", "What does each region take?", "--data", "sales.csv")
        options = ("--model", "openai:small", "--explain", "--json")
        ended = inside(*question, *options, cwd=tmp_path, env=env)
    assert ended.code == 0, ended.err
    log = (tmp_path / "log.jsonl").read_text().splitlines()
    return ended.json(), [json.loads(line)["body"] for line in log]


def prepared(value: object) -> dict[str, Any]:
    """The total of each region, with this value where there is no price."""
    constant = {"kind": "constant", "value": value}
    fill = {"kind": "impute", "field": field("price"), "way": "value", "value": constant}
    return {"kind": "prepare", "dataset": "sales", "steps": [fill], "then": total("price")}


@pytest.mark.long("whole runs of the command")
def test_a_working_table_is_refused_corrected_and_asked(tmp_path: Path) -> None:
    replies = ({"request": prepared("much")}, {"request": prepared(7)}, "East: {{last[0].region}}.")
    found, bodies = ask_with(tmp_path, *replies)
    assert ["east", 7.0] in found["rows"]
    assert found["request"]["kind"] == "prepare"
    assert "a text cannot stand in a column of number" in bodies[1]["messages"][-1]["content"]


@pytest.mark.long("whole runs of the command")
def test_what_the_data_hold_is_described(tmp_path: Path) -> None:
    columns = {"kind": "describe", "subject": "columns", "dataset": "sales"}
    wrong = {**columns, "subject": "colour"}
    found, bodies = ask_with(tmp_path, {"request": wrong}, {"request": columns})
    assert (
        found["answer"]
        == "sales has two columns: region (place, text), price (measure, real, in USD)."
    )
    assert "'columns'" in bodies[1]["messages"][-1]["content"]


@pytest.mark.long("whole runs of the command")
def test_several_requests_are_answered_one_after_the_other(tmp_path: Path) -> None:
    tables = {"kind": "describe", "subject": "tables"}
    several = {"kind": "compound", "requests": [tables, total("price"), prepared(7)]}
    one = {"kind": "compound", "requests": [tables]}
    told = "{{count(last.region)}} regions."
    found, bodies = ask_with(tmp_path, {"request": one}, {"request": several}, told, told)
    assert found["answer"].splitlines()[1:] == ["3 regions.", "3 regions."]
    assert found["answer"].startswith("The data: sales has 4 rows")
    assert "requests" in bodies[1]["messages"][-1]["content"]
    assert len(bodies) == 4
