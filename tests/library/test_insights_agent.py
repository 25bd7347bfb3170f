"""The agent of insights in real runs: offline, and with a language model that makes mistakes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from flows.core.result import RunResult
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.semantics.findings import Finding
from tests.library.desk import Desk
from tests.library.world import SALES, World, asked

RUN = """\
defaults: [{model: MODEL}, {human: never}, _self_]
name: Mine
_target_: sequential
data: {sales: sales.csv}
input_interface: [sql, task, question, context]
output_interface: [finding]
subflows_config:
  Query: {_target_: query}
  Insights:
    _target_: analyst.insights
    subflows_config:
      insights_generation: {_target_: action.insights_generation}
topology:
  - goal: Query
    flow: Query
    output_interface: {keys_to_rename: {observation.table.artifact: data}}
  - {goal: Tell, flow: Insights}
"""
TOTAL = "SELECT region, SUM(amount) AS total FROM sales GROUP BY region ORDER BY total DESC"
QUESTION = "Which region sells most?"


def furnish(folder: Path) -> None:
    (folder / "sales.csv").write_text(SALES)


def run(world: World, *overrides: str, model: str = "openai", **given: Any) -> RunResult:
    inputs = {"sql": TOTAL, "task": "Tell the totals.", "question": QUESTION, "context": ""}
    return world.run(RUN.replace("MODEL", model), *overrides, inputs={**inputs, **given})


def finding(result: RunResult) -> Finding:
    assert result.status == "finished", result.error
    found = result.outputs["finding"]
    assert isinstance(found, Finding)
    return found


def say(*texts: str) -> FakeAnswer:
    return FakeAnswer(json.dumps({"insights": texts}))


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_offline_each_number_has_its_cell(desk: Desk) -> None:
    found = finding(run(desk, model="offline"))
    assert found.output_type == "insights"
    first = found.insights[0]
    assert first.text == "South has the highest total: 20.0, ahead of north (14.5) and west (8.0)."
    assert [each.value for each in first.citations] == [20.0, 14.5, 8.0]
    for told in found.insights:
        assert told.traced is not None
        assert told.traced.share == 1.0
        assert all(told.text[c.start : c.end] == c.text for c in told.citations)
        assert "{{" in told.source
    # The column is a sum, which the query says; so its share of the whole means something.
    assert any("42 %" in each.text and "total" in each.text for each in found.insights)
    assert found.table is not None
    assert found.data_used == (found.table.artifact,)
    assert found.cautions == ()


@pytest.mark.long("whole runs of a flow")
def test_without_a_name_it_is_the_latest_result(desk: Desk) -> None:
    text = RUN.replace("observation.table.artifact: data", "observation: found")
    text = text.replace("MODEL", "offline")
    given = {"sql": TOTAL, "task": "Tell.", "question": QUESTION, "context": ""}
    assert finding(desk.run(text, inputs=given)).insights[0].text.startswith("South")


def test_a_result_that_is_not_there_is_an_error_with_what_there_is(desk: Desk) -> None:
    text = RUN.replace("observation.table.artifact: data", "sql: sql").replace("MODEL", "offline")
    text = text.replace("[sql, task, question, context]", "[sql, task, question, context, data]")
    given = {"sql": TOTAL, "task": "Tell.", "question": QUESTION, "context": "", "data": "resul"}
    result = desk.run(text, inputs=given)
    assert result.status == "failed"
    assert "there is no result 'resul'" in str(result.error)


@pytest.mark.long("whole runs of a flow")
def test_a_reference_that_names_no_cell_goes_back(desk: Desk) -> None:
    desk.server.script(
        say("South sells {{last[0].sum}}."), say("South sells {{last[0].total | .1f}}.")
    )
    found = finding(run(desk))
    assert [each.text for each in found.insights] == ["South sells 20.0."]
    assert found.cautions == ()
    assert "has no column 'sum'" in asked(desk.server)[-1][1]


def test_an_invented_number_goes_back_once(desk: Desk) -> None:
    desk.server.script(say("South sells 4711."), say("South sells {{last[0].total | .0f}}."))
    found = finding(run(desk))
    assert [each.text for each in found.insights] == ["South sells 20."]
    assert found.cautions == ()
    assert "no cell of a result holds 4711" in asked(desk.server)[-1][1]


def test_an_invented_number_that_stays_is_flagged(desk: Desk) -> None:
    desk.server.script(*[say("South sells 4711 of {{last[0].total}}.")] * 2)
    found = finding(run(desk))
    assert len(desk.server.requests) == 2
    [told] = found.insights
    assert [(each.text, each.origin) for each in told.citations] == [
        ("4711", "none"), ("20", "cell"),
    ]  # fmt: skip
    [caution] = found.cautions
    assert caution.code == "unsupported_number"
    assert "4711" in caution.text
    assert "4711" in found.observation().text.split("Warning: ")[1]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ('{"insights": []}', "at least one"),
        ('{"insights": "South sells most."}', "must be a list"),
        ('{"insights": ["South", 7]}', "7, which is no sentence"),
        ('{"insights": ["South', "not one whole JSON object"),
        ("South sells most.", "one JSON object"),
    ],
)
def test_a_reply_that_cannot_be_used_goes_back(desk: Desk, reply: str, told: str) -> None:
    desk.server.script(FakeAnswer(reply), say("- South sells most."))
    found = finding(run(desk))
    assert [each.text for each in found.insights] == ["South sells most."]
    assert told in asked(desk.server)[-1][1]


@pytest.mark.parametrize("between", [", ", " "])
def test_what_is_too_long_is_cut_and_not_refused(desk: Desk, between: str) -> None:
    names = between.join(f"{{{{last[0].region}}}} name{'n' * 30}" for _ in range(60))
    desk.server.script(say(f"South sells {{{{last[0].total}}}} more than {names}."))
    [told] = finding(run(desk)).insights
    assert len(desk.server.requests) == 1
    assert told.text.startswith("South sells 20 more than south name")
    assert re.search(r"(?:nnn|south) and others\.$", told.text)
    assert 1_000 < len(told.text) <= 1_215


def test_no_usable_reply_is_a_failed_task(desk: Desk) -> None:
    desk.server.script(*[FakeAnswer('{"insights": []}')] * 3)
    result = run(desk)
    assert result.status == "failed"
    assert "gave no usable reply" in str(result.error)
    assert len(desk.server.requests) == 3


def test_of_several_insights_those_that_hold_are_kept(desk: Desk) -> None:
    both = say("South sells {{last[0].total}}.", "East sells {{last[9].total}}.")
    desk.server.script(*[both] * 3)
    found = finding(run(desk))
    assert [each.text for each in found.insights] == ["South sells 20."]


def test_warnings_come_with_the_data(desk: Desk) -> None:
    desk.server.script(say("South sells most."))
    text = RUN.replace("MODEL", "openai").replace("context]", "context, cautions]")
    known = [{"code": "sample", "text": "A sample."}, {"code": "few_rows", "text": "Five rows."}]
    context = "Sales are in dollars [1].\nwarning (printed): a marker in a text."
    given = {"sql": TOTAL, "task": "Tell.", "question": QUESTION, "context": context}
    found = finding(desk.run(text, inputs={**given, "cautions": known}))
    assert [(each.code, each.text) for each in found.cautions] == [
        ("sample", "A sample."), ("few_rows", "Five rows."),
    ]  # fmt: skip
    prompt = asked(desk.server)[-1][1]
    assert "Warning: A sample." in prompt
    assert '0 ["south", 20.0]' in prompt


@pytest.mark.long("whole runs of a flow")
def test_a_result_that_was_cut_says_so(world: World) -> None:
    world.write("sales.csv", "region,amount\n" + "".join(f"r{n},{n}\n" for n in range(50)))
    found = finding(
        run(world, "Query.max_rows=20", model="offline", sql="SELECT region, amount FROM sales")
    )
    assert [each.code for each in found.cautions] == ["truncated"]
    assert not any("highest" in each.text for each in found.insights)


@pytest.mark.long("whole runs of a flow")
def test_cells_are_never_read_as_references_or_as_the_end_of_a_text(
    world: World, server: FakeModel
) -> None:
    hostile = '"a\n\n\u2029\n\nb {{last[0].total}}"'
    world.write("sales.csv", f"region,amount\n{hostile},20\nnorth,5\n")
    server.script(
        say("{{last[0].region}} sells {{last[0].total}}.", "North sells {{last[1].total}}.")
    )
    found = finding(run(world))
    assert len(found.insights) == 2
    assert found.insights[0].text.endswith("b {{last[0].total}} sells 20.")
    assert found.insights[1].text == "North sells 5."
    assert [each.value for each in found.insights[1].citations] == [5.0]
