"""A language model that answers with a request: checked, compiled, run and told like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows.core.reply import ReplySchema
from flows.library.ask.proposal import Proposal, schema_by
from flows.models.fake.answer import ClientRequest, FakeAnswer
from flows.models.fake.endpoints import refused_form
from flows.models.fake.server import FakeModel
from flows.models.strict_schema import strict_schema
from flows.services.answer import answer_of
from tests.library.desk import Desk
from tests.library.test_ask import ask, proposal
from tests.library.world import SALES, World, asked


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
    desk.server.script(proposal(request=by_region()), FakeAnswer("{{last[0].region}} sells most."))
    found = answer_of(ask(desk), explain=True)
    assert (found.status, found.answer) == ("answered", "south sells most.")
    assert found.rows[0] == ("south", 20.0)
    assert str(found.sql).startswith("SELECT")
    assert found.explanation == "total amount by region, highest first"
    assert found.request is not None
    assert found.request.kind == "query"


def test_nulls_of_a_strict_endpoint_are_left_out(desk: Desk) -> None:
    """It writes every key of every part, as its schema demands."""
    part = {**total(), "where": None, "at": None, "dataset": None, "via": None}
    query = {**by_region(), "metrics": [part], "where": None, "rank": None, "compare": None}
    desk.server.script(
        proposal(request=query, sql=None, code=None, cannot=None), FakeAnswer("{{sum(last)}}")
    )
    assert answer_of(ask(desk)).rows[0][0] == "south"


def test_what_does_not_fit_the_data_goes_back_with_the_reason(desk: Desk) -> None:
    desk.server.script(
        proposal(request=by_region("amuont")), proposal(request=by_region()), FakeAnswer("Done.")
    )
    assert answer_of(ask(desk)).status == "answered"
    told = asked(desk.server, 1)[-1][1]
    assert "sales has no field amuont; did you mean amount?" in told


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_an_analysis_is_code_by_its_method(desk: Desk) -> None:
    given = {"name": "fields", "values": [field("amount")]}
    over = {"kind": "query", "dataset": "sales"}
    analysis = {"kind": "analysis", "method": "distribution", "over": over, "arguments": [given]}
    desk.server.script(proposal(request=analysis), FakeAnswer("Five sales."))
    found = answer_of(ask(desk))
    assert found.status == "answered", found.reason
    assert found.code is not None
    desk.server.clear()
    wrong = {**analysis, "method": "distribtion"}
    desk.server.script(
        proposal(request=wrong), proposal(request=analysis), FakeAnswer("Five sales.")
    )
    assert answer_of(ask(desk)).status == "answered"
    assert "did you mean 'distribution'?" in asked(desk.server, 1)[-1][1]


def test_where_it_chooses_sql_that_is_run(desk: Desk) -> None:
    desk.server.script(proposal(sql="SELECT 1 AS one"), FakeAnswer("{{last[0].one}}"))
    found = answer_of(ask(desk), explain=True)
    assert (found.rows, found.request) == (((1,),), None)


@pytest.mark.parametrize(
    ("by", "refused", "taken"),
    [("request", {"sql": "SELECT 1 AS one"}, "request"), ("sql", {"request": by_region()}, "sql")],
)
def test_the_way_can_be_set(desk: Desk, by: str, refused: dict[str, Any], taken: str) -> None:
    good = by_region() if taken == "request" else "SELECT 2 AS two"
    desk.server.script(proposal(**refused), proposal(**{taken: good}), FakeAnswer("Done."))
    assert answer_of(ask(desk, f"by={by}")).status == "answered"
    (_, system), *_ = asked(desk.server, 0)
    assert ('"sql": one SELECT' in system) == (by == "sql")
    assert ("The types of a request" in system) == (by == "request")
    assert f"exactly one of {taken}" in asked(desk.server, 1)[-1][1]


def test_the_prompt_says_what_the_data_mean(desk: Desk) -> None:
    desk.server.script(proposal(request=by_region()), FakeAnswer("Done."))
    ask(desk)
    (_, system), *_ = asked(desk.server, 0)
    assert "dataset sales (a row is: " in system
    assert "; 5 rows; DuckDB SQL" in system
    assert "region: place text, " in system
    assert 'Query = {kind: "query", dataset: string, metrics?: Expression[]' in system
    assert "correlation(fields, target, group" in system


@pytest.mark.parametrize("by", ["auto", "request", "sql"])
def test_strict_endpoints_take_the_schema(by: Any) -> None:
    """OpenAI's documented bounds: 5,000 keys, 10 levels, 120,000 characters, 1,000 values."""
    strict = strict_schema(schema_by(by).schema)
    assert strict is not None
    form = {"type": "json_schema", "json_schema": {"name": "P", "strict": True, "schema": strict}}
    asked_for = ClientRequest("POST", "/chat/completions", {}, {"response_format": form})
    assert refused_form("openai", asked_for) is None
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


@pytest.mark.long("whole runs of a flow")
def test_what_was_chosen_is_remembered_as_a_request(world: World, server: FakeModel) -> None:
    """The same words are read so again, without asking the model what they mean."""
    world.write("sales.csv", SALES)
    options = [
        {"label": "the sum", "question": "The sum of amount by region"},
        {"label": "the mean", "question": "The mean of amount by region"},
    ]
    server.script(
        proposal(clarify={"question": "Sum or mean?", "options": options}, confidence=0.4),
        proposal(request=by_region()),
        FakeAnswer("South."),
    )
    world.write("said.txt", "1\n")
    scripted = ("human=scripted", "human.path=said.txt", "glossary=words.csv")
    assert answer_of(ask(world, *scripted)).status == "answered"
    assert not (world.folder / "words.csv").exists()
    [learned] = yaml.safe_load_all((world.folder / "words.readings.yaml").read_text())
    assert learned["question"] == "How much does each region sell?"
    assert learned["request"]["kind"] == "query"
    server.script(FakeAnswer("South again."))
    again = answer_of(ask(world, "glossary=words.csv"))
    assert (again.answer, again.rows[0]) == ("South again.", ("south", 20.0))
    [said] = again.warnings
    assert said.text == (
        "The glossary says that 'How much does each region sell?' means "
        "'total amount by region, highest first'."
    )


@pytest.mark.long("whole runs of a flow")
def test_readings_with_the_same_answer_are_not_asked_back(world: World, server: FakeModel) -> None:
    """Nobody is there to choose, and there is nothing to choose."""
    world.write("sales.csv", SALES)
    for least, status in ((0, "answered"), (6, "clarify")):
        least_amount = {"kind": "constant", "value": least}
        bound = {"kind": "comparison", "operator": ">", "right": least_amount}
        second = {**by_region(), "where": {**bound, "left": field("amount")}}
        options = [
            {"label": "all", "question": "All regions", "request": by_region()},
            {"label": "those", "question": "Those regions", "request": second},
        ]
        server.script(
            proposal(clarify={"question": "Which?", "options": options}, confidence=0.4),
            FakeAnswer("South."),
        )
        assert answer_of(ask(world)).status == status


def test_a_reading_that_does_not_fit_other_data_is_left_alone(
    world: World, server: FakeModel
) -> None:
    reading = {"question": "how much does each region sell", "request": by_region("money")}
    world.write("words.readings.yaml", yaml.safe_dump(reading))
    world.write("sales.csv", SALES)
    server.script(proposal(request=by_region()), FakeAnswer("South."))
    found = answer_of(ask(world, "glossary=words.csv"))
    assert (found.answer, found.warnings) == ("South.", ())


def test_a_damaged_file_of_readings_is_named(world: World, server: FakeModel) -> None:
    world.write("words.readings.yaml", "question: how\nrequest: {kind: query, dataste: sales}\n")
    world.write("sales.csv", SALES)
    found = answer_of(ask(world, "glossary=words.csv"))
    assert found.status == "failed"
    assert "words.readings.yaml, reading 1: request.query.dataset: Field required" in found.reason


NORTH = {"kind": "comparison", "left": field("region"), "operator": "=",
         "right": {"kind": "constant", "value": "north"}}  # fmt: skip


def prepared(then: dict[str, Any], *steps: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "prepare", "dataset": "sales", "steps": list(steps), "then": then}


def test_a_working_table_is_made_and_asked_in_one_statement(desk: Desk) -> None:
    double = {"kind": "arithmetic", "operator": "*", "left": field("amount"),
              "right": {"kind": "constant", "value": 2}}  # fmt: skip
    steps = ({"kind": "derive", "name": "double", "of": double}, {"kind": "keep", "where": NORTH})
    asked_for = prepared(by_region("double"), *steps)
    desk.server.script(
        proposal(request=prepared(by_region("duoble"), *steps)),
        proposal(request=asked_for),
        FakeAnswer("{{last[0].total_double}}"),
    )
    found = answer_of(ask(desk), explain=True)
    assert found.status == "answered", found.reason
    assert found.rows == (("north", 29.0),)
    assert str(found.sql).startswith("WITH")
    assert found.request is not None
    assert found.request.kind == "prepare"
    told = asked(desk.server, 1)[-1][1]
    assert "sales has no field duoble; did you mean double?" in told


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_working_table_is_analysed_by_code(desk: Desk) -> None:
    """The steps are made in their order: what is encoded first is then a number."""
    steps = (
        {"kind": "keep", "where": {**NORTH, "operator": "!="}},
        {"kind": "encode", "field": field("region"), "way": "ordinal"},
        {"kind": "split", "test": 0.5, "seed": 3},
        {"kind": "impute", "field": field("amount"), "way": "mean"},
    )
    given = {"name": "fields", "values": [field("region"), field("amount")]}
    over = {"kind": "query", "dataset": "sales"}
    analysis: dict[str, Any] = {"kind": "analysis", "method": "summary_statistics", "over": over}
    analysis["arguments"] = [given]
    desk.server.script(proposal(request=prepared(analysis, *steps)), FakeAnswer("So."))
    found = answer_of(ask(desk), explain=True)
    assert found.status == "answered", found.reason
    assert found.code is not None
    assert 'rank(method="dense")' in found.code
    assert "region" in [row[0] for row in found.rows]


def test_what_data_hold_is_said_in_words(desk: Desk) -> None:
    columns = {"kind": "describe", "subject": "columns", "dataset": "sales"}
    desk.server.script(proposal(request=columns))
    found = answer_of(ask(desk), explain=True)
    assert found.status == "answered"
    assert str(found.answer).startswith("sales has ")
    assert "amount (measure, real)" in str(found.answer)
    values = {"kind": "describe", "subject": "values", "dataset": "sales", "field": "region"}
    desk.server.clear()
    desk.server.script(proposal(request=values))
    assert "north" in str(answer_of(ask(desk)).answer)


def test_several_requests_are_answered_in_their_order(desk: Desk) -> None:
    count = {"kind": "query", "dataset": "sales", "metrics": [{"kind": "aggregate",
             "function": "count"}]}  # fmt: skip
    tables = {"kind": "describe", "subject": "tables"}
    several = {"kind": "compound", "requests": [by_region(), tables, count]}
    desk.server.script(
        proposal(request={**several, "requests": [by_region("amuont"), count]}),
        proposal(request=several),
        FakeAnswer("{{last[0].region}} sells {{last[0].total_amount}}."),
        FakeAnswer("{{last[0].count}} sales."),
    )
    found = answer_of(ask(desk), explain=True)
    assert found.status == "answered", found.reason
    lines = str(found.answer).splitlines()
    assert lines[0] == "south sells 20."
    assert lines[1].startswith("The data: sales has 5 rows")
    assert lines[2] == "5 sales."
    assert found.rows == ((5,),)
    cited = [each for each in found.citations if each.origin == "cell"]
    assert [str(found.answer)[each.start : each.end] for each in cited] == [
        each.text for each in cited
    ]
    assert found.request is not None
    assert found.request.kind == "compound"
    assert "sales has no field amuont" in asked(desk.server, 1)[-1][1]
