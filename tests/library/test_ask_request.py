"""A language model that answers with a request: checked, compiled, run and told like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.core.reply import ReplySchema
from flows.library.ask.proposal import Proposal, schema_by
from flows.models.fake.answer import Answer
from flows.models.fake.endpoints import refused_form
from flows.models.strict_schema import strict_schema
from flows.services.answer import answer_of
from tests.library.desk import Desk
from tests.library.test_ask import ask, proposal
from tests.library.world import SALES, asked


def furnish(folder: Path) -> None:
    (folder / "sales.csv").write_text(SALES)


def field(name: str) -> dict[str, Any]:
    return {"kind": "field", "dataset": "sales", "field": name}


def total(name: str = "amount") -> dict[str, Any]:
    return {"kind": "aggregate", "function": "sum", "of": field(name)}


def by_region(measure: str = "amount") -> dict[str, Any]:
    order = {"by": total(measure), "descending": True}
    query = {"kind": "query", "dataset": "sales", "metrics": [total(measure)]}
    return {**query, "by": [field("region")], "sort": [order]}


def test_a_request_is_compiled_and_its_cells_are_told(desk: Desk) -> None:
    desk.server.script(proposal(request=by_region()), Answer("{{last[0].region}} sells most."))
    found = answer_of(ask(desk), explain=True)
    assert (found.status, found.answer) == ("answered", "south sells most.")
    assert found.rows[0] == ("south", 20.0)
    assert found.sql is not None and found.sql.startswith("SELECT")
    assert found.explanation == "total amount of sales by region, highest first"
    assert found.request is not None and found.request.kind == "query"


def test_nulls_of_a_strict_endpoint_are_left_out(desk: Desk) -> None:
    """It writes every key of every part, as its schema demands."""
    part = {**total(), "where": None, "at": None, "dataset": None, "via": None}
    query = {**by_region(), "metrics": [part], "where": None, "rank": None, "compare": None}
    desk.server.script(
        proposal(request=query, sql=None, code=None, cannot=None), Answer("{{sum(last)}}")
    )
    assert answer_of(ask(desk)).rows[0][0] == "south"


def test_what_does_not_fit_the_data_goes_back_with_the_reason(desk: Desk) -> None:
    desk.server.script(
        proposal(request=by_region("amuont")), proposal(request=by_region()), Answer("Done.")
    )
    assert answer_of(ask(desk)).status == "answered"
    told = asked(desk.server, 1)[-1][1]
    assert "sales has no field amuont; did you mean amount?" in told


def test_an_analysis_is_code_by_its_method(desk: Desk) -> None:
    given = {"name": "fields", "values": [field("amount")]}
    over = {"kind": "query", "dataset": "sales"}
    analysis = {"kind": "analysis", "method": "distribution", "over": over, "arguments": [given]}
    desk.server.script(proposal(request=analysis), Answer("Five sales."))
    found = answer_of(ask(desk))
    assert found.status == "answered", found.reason
    assert found.code is not None
    desk.server.clear()
    wrong = {**analysis, "method": "distribtion"}
    desk.server.script(proposal(request=wrong), proposal(request=analysis), Answer("Five sales."))
    assert answer_of(ask(desk)).status == "answered"
    assert "did you mean 'distribution'?" in asked(desk.server, 1)[-1][1]


def test_where_it_chooses_sql_that_is_run(desk: Desk) -> None:
    desk.server.script(proposal(sql="SELECT 1 AS one"), Answer("{{last[0].one}}"))
    found = answer_of(ask(desk), explain=True)
    assert (found.rows, found.request) == (((1,),), None)


@pytest.mark.parametrize(
    ("by", "refused", "taken"),
    [("request", {"sql": "SELECT 1 AS one"}, "request"), ("sql", {"request": by_region()}, "sql")],
)
def test_the_way_can_be_set(desk: Desk, by: str, refused: dict[str, Any], taken: str) -> None:
    good = by_region() if taken == "request" else "SELECT 2 AS two"
    desk.server.script(proposal(**refused), proposal(**{taken: good}), Answer("Done."))
    assert answer_of(ask(desk, f"by={by}")).status == "answered"
    (_, system), *_ = asked(desk.server, 0)
    assert ('"sql": one SELECT' in system) == (by == "sql")
    assert ("The types of a request" in system) == (by == "request")
    assert f"exactly one of {taken}" in asked(desk.server, 1)[-1][1]


def test_the_prompt_says_what_the_data_mean(desk: Desk) -> None:
    desk.server.script(proposal(request=by_region()), Answer("Done."))
    ask(desk)
    (_, system), *_ = asked(desk.server, 0)
    assert "dataset sales (a row is: " in system
    assert "; 5 rows; DuckDB SQL" in system
    assert "region: category text, values 'north'" in system
    assert "Query = {kind: \"query\", dataset: string, metrics?: Expression[]" in system
    assert "correlation(fields, target, group" in system


@pytest.mark.parametrize("by", ["auto", "request", "sql"])
def test_strict_endpoints_take_the_schema(by: Any) -> None:
    """OpenAI's documented bounds: 5,000 keys, 10 levels, 120,000 characters, 1,000 values."""
    strict = strict_schema(schema_by(by).schema)
    assert strict is not None
    form = {"type": "json_schema", "json_schema": {"name": "P", "strict": True, "schema": strict}}

    class Asked:
        body = {"response_format": form}

    assert refused_form("openai", Asked()) is None  # type: ignore[arg-type]
    text = json.dumps(strict)
    assert len(text) < 20_000
    assert depth(strict) <= 10
    assert text.count('": {"') < 1_000


def depth(schema: Any) -> int:
    """How deep objects are nested in a schema; a reference leads to a definition of its own."""
    if isinstance(schema, list):
        return max(map(depth, schema), default=0)
    if not isinstance(schema, dict):
        return 0
    below = max((depth(each) for name, each in schema.items()), default=0)
    return below + (schema.get("type") == "object")


def test_the_schema_of_sql_alone_knows_no_request() -> None:
    assert "Query" not in json.dumps(ReplySchema.of(Proposal, frozenset({"request"})).schema)
