"""Ending with references: rendered from cells, or told what is wrong with them."""

from __future__ import annotations

import json

import pytest

from flows.data.answers.citations import Traced
from flows.models.fake.server import FakeModel
from tests.library.world import World, asked, decision, sql

TOTAL = "SELECT SUM(amount) AS total FROM sales WHERE region = 'north'"


@pytest.mark.long("whole runs of a flow")
def test_the_answer_is_rendered_from_the_cells_it_refers_to(
    world: World, server: FakeModel
) -> None:
    server.script(
        decision("sql", question="total of the north"),
        sql(TOTAL),
        decision("finish", answer="The north sold {{last[0].total | .2f}}, and 99 are missing."),
    )
    result = world.auto("model=openai")
    assert result.outputs["answer"] == "The north sold 14.50, and 99 are missing."
    total, missing = result.outputs["citations"]
    assert (total.text, total.origin, total.column, total.value) == ("14.50", "cell", "total", 14.5)
    assert total.reference == "last[0].total"
    assert (missing.text, missing.origin, missing.reference) == ("99", "none", None)
    assert result.outputs["traced"] == Traced(numbers=2, traced=1, share=0.5)
    assert json.loads(json.dumps(result.as_json()))["outputs"]["traced"]["share"] == 0.5
    (_, system), *_, (_, shown) = asked(server)
    assert "{{RESULT[ROW].COLUMN}}" in system
    assert f"(kept as the result {total.result}; its rows count from 0)" in shown


@pytest.mark.long("whole runs of a flow")
def test_a_reference_to_no_cell_goes_back_to_the_model(world: World, server: FakeModel) -> None:
    server.script(
        decision("sql", question="total of the north"),
        sql(TOTAL),
        decision("finish", answer="It is {{last[0].sum}} of {{last[1].total}}."),
        decision("finish", answer="It is {{last[0].total}}."),
    )
    result = world.auto("model=openai")
    assert (result.status, result.outputs["answer"]) == ("finished", "It is 14.5.")
    told = asked(server)[-1][1]
    assert "{{last[0].sum}}: result-" in told
    assert "has no column 'sum' (columns: total)" in told
    assert "has no row 1; its only row is 0" in told


@pytest.mark.long("whole runs of a flow")
def test_at_a_limit_a_wrong_reference_is_left_as_it_is(world: World, server: FakeModel) -> None:
    server.script(
        decision("sql", question="total of the north"),
        sql(TOTAL),
        decision("finish", answer="It is {{last[0].total}} or {{last[0].other}}."),
    )
    result = world.auto("model=openai", "limits.rounds=1", "limits.on_limit=finalize")
    assert result.status == "unfinished"
    assert result.outputs["answer"] == "It is 14.5 or {{last[0].other}}."


@pytest.mark.long("whole runs of a flow")
def test_what_a_query_gave_is_kept_with_its_origin(world: World, server: FakeModel) -> None:
    server.script(decision("sql", question="total of the north"), sql(TOTAL))
    result = world.auto("model=openai", "limits.rounds=1")
    (table,) = result.artifacts
    assert [each.kind for each in table.files][:3] == ["json", "parquet", "csv"]
    assert all(each.state(result.folder) == "whole" for each in table.files)
    assert table.origin is not None
    assert table.origin.query is not None
    assert "SUM" in table.origin.query
    assert list(table.origin.inputs) == ["sales"]
