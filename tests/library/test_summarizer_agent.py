"""The summarizer in real runs: offline, and with a language model that makes mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.core.observation import Caution
from flows.core.result import RunResult
from flows.library.analyst.collate import collate
from flows.models.fake.answer import FakeAnswer
from flows.semantics.findings import Finding, Task, TaskResult, Told
from tests.library.desk import Desk
from tests.library.test_insights_agent import QUESTION, TOTAL
from tests.library.world import SALES, World, asked

RUN = """\
defaults: [{model: offline}, {human: never}, _self_]
name: Mine
_target_: sequential
data: {sales: sales.csv}
input_interface: [sql, task, question, context, failed]
output_interface: [summary, answered, limits]
subflows_config:
  Query: {_target_: query}
  Insights:
    _target_: analyst.insights
    subflows_config:
      insights_generation: {_target_: action.insights_generation}
  Gather: {_target_: tests.library.gathered.Gather, description: Hands on.}
  Summarizer:
    _target_: analyst.summarizer
    subflows_config:
      summary_generation: {_target_: action.summary_generation}
topology:
  - goal: Query
    flow: Query
    output_interface:
      keys_to_copy: {observation.table.artifact: data}
      keys_to_rename: {observation: found}
  - {goal: Tell, flow: Insights}
  - {goal: Gather, flow: Gather}
  - {goal: Sum up, flow: Summarizer}
"""
MODEL = "+Summarizer.summary_generation.model={_target_: model.openai, model: fake}"


def furnish(folder: Path) -> None:
    (folder / "sales.csv").write_text(SALES)


def run(world: World, *overrides: str, text: str = RUN, **given: Any) -> RunResult:
    inputs = {"sql": TOTAL, "task": "Total for each region.", "question": QUESTION,
              "context": "", "failed": ""}  # fmt: skip
    return world.run(text, *overrides, inputs={**inputs, **given})


def outputs(result: RunResult) -> tuple[Told, str, tuple[str, ...]]:
    assert result.status == "finished", result.error
    told = result.outputs
    return told["summary"], told["answered"], told["limits"]


def say(summary: str, answered: str = "answered", *limits: str) -> FakeAnswer:
    return FakeAnswer(json.dumps({"summary": summary, "answered": answered, "limits": limits}))


def test_offline_the_question_is_answered_from_cells(desk: Desk) -> None:
    summary, answered, limits = outputs(run(desk, failed="no figure (line 7)"))
    assert summary.text.startswith("South has the highest total: 20")
    assert answered == "answered"
    assert limits == ("Not done: Total for each region (no figure (line 7)).",)
    assert summary.traced is not None
    assert summary.traced.share == 1.0
    assert {each.origin for each in summary.citations} == {"cell", "derived"}


@pytest.mark.long("whole runs of a flow")
def test_an_invented_number_goes_back_once_and_then_is_a_limit(
    desk: Desk,
) -> None:
    desk.server.script(say("South sells 4711."), say("South sells {{last[0].total | .0f}}."))
    summary, _, limits = outputs(run(desk, MODEL))
    assert (summary.text, limits) == ("South sells 20.", ())
    assert "no cell of a result holds 4711" in asked(desk.server)[-1][1]
    desk.server.script(*[say("South sells 4711.")] * 2)
    summary, _, limits = outputs(run(desk, MODEL))
    assert [each.origin for each in summary.citations] == ["none"]
    assert limits == ("Nothing that was found holds the number 4711.",)


def test_a_bad_reference_goes_back(desk: Desk) -> None:
    desk.server.script(
        say("It is {{last[0].sum}}."), say("It is {{last[0].total}}.", "partly", "Few.")
    )
    summary, answered, limits = outputs(run(desk, MODEL))
    assert (summary.text, answered, limits) == ("It is 20.", "partly", ("Few.",))
    assert "has no column 'sum'" in asked(desk.server)[-1][1]


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ('{"summary": "", "answered": "answered"}', '"summary" must be a text'),
        ('{"summary": "So.", "answered": "maybe"}', "answered, partly, unanswered"),
        ('{"summary": "So.", "answered": "partly", "limits": "none"}', "a list of sentences"),
        ('{"summary": "So.", "answ', "not one whole JSON object"),
    ],
)
def test_a_reply_that_cannot_be_used_goes_back(desk: Desk, reply: str, told: str) -> None:
    desk.server.script(FakeAnswer(reply), say("South sells most."))
    summary, answered, _ = outputs(run(desk, MODEL))
    assert (summary.text, answered) == ("South sells most.", "answered")
    assert told in asked(desk.server)[-1][1]


def test_a_model_that_gives_no_summary_is_replaced_by_the_rules(
    desk: Desk,
) -> None:
    desk.server.script(*[FakeAnswer("So it is.")] * 3)
    summary, answered, limits = outputs(run(desk, MODEL))
    assert summary.text.startswith("South has the highest total: 20")
    assert answered == "answered"
    assert limits[-1].startswith("The model gave no summary that could be used")


def test_what_documents_say_is_given_and_not_invented(desk: Desk) -> None:
    desk.server.script(say("South sells {{last[0].total}}, more than the target of 17.5 [1]."))
    summary, _, limits = outputs(run(desk, MODEL, context="The target is 17.5 [1]."))
    assert [each.origin for each in summary.citations] == ["cell", "question", "question"]
    assert limits == ()


@pytest.mark.long("whole runs of a flow")
def test_if_all_failed_no_model_may_call_it_answered(desk: Desk) -> None:
    text = RUN.replace("  - {goal: Tell, flow: Insights}\n  - {goal: Gather, flow: Gather}\n", "")
    text = text.replace(
        "[sql, task, question, context, failed]", "[sql, question, context, results]"
    )
    failed = TaskResult(
        task=Task(task_id=0, name="PythonDataAgent", description="Correlate."), status="failed",
        finding=Finding(output_type="table", response="KeyError: 'x'"),
    ).model_dump(mode="json")  # fmt: skip
    given = {"sql": TOTAL, "question": QUESTION, "context": "", "results": [failed]}
    desk.server.script(say("South, I think."))
    assert outputs(desk.run(text, MODEL, inputs=given))[1] == "unanswered"
    summary, answered, limits = outputs(desk.run(text, inputs=given))
    assert answered == "unanswered"
    assert summary.text.startswith("The question could not be answered: the task failed.")
    assert limits == ("Not done: Correlate (KeyError: 'x').",)


def test_each_agent_is_collated_with_the_keys_of_its_kind() -> None:
    told = Told(text="20", source="{{a[0].b}}")
    caution = Caution(code="few", text="Few rows.")

    def result(kind: Any, status: Any = "done") -> TaskResult:
        finding = Finding(
            output_type=kind, response="so", insights=(told,), cautions=(caution,),
            data_used=("a",),
        )  # fmt: skip
        task = Task(task_id=1, name="X", description="Do.", data_dependency=0)
        return TaskResult(task=task, status=status, agent_description="An agent.", finding=finding)

    table, figure, failed = collate(
        [result("table"), result("figure"), result("model", status="failed")]
    )
    for each in (table, figure, failed):
        assert (each.sub_task, each.agent_description, each.data_used) == (
            "Do.", "An agent.", ("a",),
        )  # fmt: skip
        assert each.cautions == (caution,)
    assert table.insights == ("{{a[0].b}}",)
    assert figure.insights == ()
    assert (failed.status, failed.response, failed.insights) == ("failed", "so", ())
