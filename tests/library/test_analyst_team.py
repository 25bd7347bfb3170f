"""The whole team, offline and with a language model in single roles, whose mistakes are corrected
or flagged: a bad task list, a wrong dependency, failing code, an invented number."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from flows.analysis.analyst.proposal import Analyst
from flows.core.journal import load
from flows.core.result import RunResult
from flows.errors import JournalError
from flows.models.fake.answer import FakeAnswer
from flows.semantics.findings import TaskResult
from flows.semantics.request import Unparsed
from tests.analysis.calls import counted
from tests.cli.command import environment
from tests.library.desk import Desk
from tests.library.world import World, asked

ANALYST = """\
defaults: [analyst, override human: never, _self_]
data: {shops: shops.csv}
"""
QUESTION = "What drives revenue?"
SHOPS = "shop,visits,staff,rain,revenue\n" + "".join(
    f"s{n % 9},{100 + 7 * (n % 37)},{3 + n % 5},{n * 7919 % 101},"
    f"{12 * (100 + 7 * (n % 37)) + 40 * (3 + n % 5) + n * 7907 % 499}\n"
    for n in range(240)
)
OWN = "Goal.{}.model._target_=model.openai"
SQL, PYTHON = "DataProcessorSQLAgent", "PythonDataAgent"
INSIGHTS, CHART = "InsightsGeneratorAgent", "PlotlyVisualizerAgent"
EXTRACT = 'Extract all the data from the "shops" table.'
CORRELATE = 'Calculate the correlation between "visits" and "revenue".'


def furnish(folder: Path) -> None:
    (folder / "shops.csv").write_text(SHOPS)


def analyse(desk: Desk, *overrides: str, question: str = QUESTION) -> RunResult:
    return desk.run(ANALYST, *overrides, inputs={"question": question})


@pytest.fixture(scope="module")
def analysed(open_desk: Desk) -> RunResult:
    """The whole analysis offline, once."""
    return analyse(open_desk)


def own(*actions: str) -> list[str]:
    """These actions with a language model, all others with the rules."""
    return [f"+Goal.{each}.model={{_target_: model.openai, model: fake}}" for each in actions]


def say(**reply: Any) -> FakeAnswer:
    return FakeAnswer(json.dumps(reply))


def entry(number: int, name: str, text: str, after: int | None = None) -> dict[str, Any]:
    return {"task_id": number, "name": name, "description": text, "data_dependency": after}


# Actions of a language model that several tests have, so that they share a plan and its sandbox.
LIST_AND_CODE = (
    "ManagerAgent.task_list_generation",
    "ManagerAgent.assign_input_dependency",
    f"Team.{PYTHON}.python_code_generation",
    f"Team.{PYTHON}.python_code_correction",
)
DEPENDS = say(tasks=[{"task_id": 0, "data_dependency": None}, {"task_id": 1, "data_dependency": 0}])


def by_agent(result: RunResult) -> dict[str, list[TaskResult]]:
    found: dict[str, list[TaskResult]] = {}
    for each in result.outputs["results"]:
        found.setdefault(each.task.name, []).append(each)
    return found


@pytest.mark.long("a whole team of agents, with a model and charts in the sandbox")
def test_offline_the_driver_is_found_and_every_number_has_its_cell(analysed: RunResult) -> None:
    result = analysed
    outputs = result.outputs
    assert result.status == "finished", result.error
    assert outputs["status"] == "answered"
    assert "visits" in outputs["answer"]
    assert outputs["traced"].share == 1.0
    assert all(each.status == "done" for each in outputs["results"]), outputs["results"]
    agents = by_agent(result)
    assert {SQL, PYTHON, "PythonModellingAgent", CHART, INSIGHTS} <= set(agents)
    model = agents["PythonModellingAgent"][0].finding.model
    assert model is not None
    assert model.importances[0].feature == "visits"
    assert model.artifact
    assert set(outputs["files"]) == {"html", "md", "ipynb", "json"}


@pytest.mark.long("whole runs of a flow")
def test_a_bad_task_list_is_corrected_by_its_model(desk: Desk) -> None:
    good = [entry(0, SQL, EXTRACT), entry(1, INSIGHTS, "Say what drives revenue.", 0)]
    desk.server.script(
        FakeAnswer("First, get the data."),
        say(tasks=[entry(0, "DataWizard", EXTRACT)]),
        say(tasks=good, understood="The drivers of revenue."),
    )
    outputs = analyse(desk, *own("ManagerAgent.task_list_generation")).outputs
    assert "one JSON object" in asked(desk.server, 1)[-1][1]
    told = asked(desk.server, 2)[-1][1]
    assert "there is no agent 'DataWizard'" in told
    assert SQL in told
    assert [each.status for each in outputs["results"]] == ["done"] * len(outputs["results"])
    assert "The drivers of revenue." in outputs["understood"]


@pytest.mark.long("whole runs of a flow")
def test_a_sentence_of_a_model_that_cannot_be_read_is_not_tried_by_each_role(desk: Desk) -> None:
    """Once over the run's tables, and once over the result that its agent is given."""
    tasks = [entry(0, SQL, EXTRACT), entry(1, PYTHON, "Muse upon the loom."),
             entry(2, INSIGHTS, "Say what drives revenue.", 0)]  # fmt: skip
    desk.server.script(say(tasks=tasks, understood="The drivers of revenue."))
    with counted(Analyst.propose, "question") as readings:
        outputs = analyse(desk, *own("ManagerAgent.task_list_generation")).outputs
    found = {each.task.task_id: each for each in outputs["results"]}
    assert found[1].status == "failed"
    assert isinstance(found[1].task.request, Unparsed)
    assert sum(count for text, count in readings.items() if "loom" in text) == 2
    assert sum(count for text, count in readings.items() if "loom" not in text) == 1


def test_a_list_that_stays_malformed_is_put_right(desk: Desk) -> None:
    bad = [entry(0, SQL.lower(), EXTRACT), entry(0, "DataWizard", "Divine the future.")]
    desk.server.script(*[say(tasks=bad)] * 3)
    result = analyse(desk, *own("ManagerAgent.task_list_generation"))
    names = [each.task.name for each in result.outputs["results"]]
    assert names[0] == SQL
    assert "DataWizard" not in names
    assert any("DataWizard" in each for each in result.outputs["changes"])
    assert result.status == "finished"


@pytest.mark.long("whole runs of a flow")
def test_a_wrong_dependency_is_refused(desk: Desk) -> None:
    tasks = [entry(0, SQL, EXTRACT), entry(1, PYTHON, CORRELATE)]
    desk.server.script(
        say(tasks=tasks),
        say(tasks=[{"task_id": 0, "data_dependency": 1}, {"task_id": 1, "data_dependency": 0}]),
        DEPENDS,
        say(code="result = data[['visits', 'revenue']].corr().reset_index()"),
    )
    outputs = analyse(desk, *own(*LIST_AND_CODE)).outputs
    assert "in a circle" in asked(desk.server, 2)[-1][1]
    found = {each.task.task_id: each for each in outputs["results"]}
    assert found[1].task.data_dependency == 0
    assert found[1].status == "done"


@pytest.mark.long("whole runs of a flow")
def test_failing_code_is_corrected_with_its_error(desk: Desk) -> None:
    tasks = [entry(0, SQL, EXTRACT), entry(1, PYTHON, CORRELATE, 0)]
    broken = "result = data[['visits', 'revenues']].corr().reset_index()"
    desk.server.script(
        say(tasks=tasks),
        DEPENDS,
        say(code=broken),
        say(code=broken.replace("revenues", "revenue")),
    )
    result = analyse(desk, *own(*LIST_AND_CODE))
    [python] = by_agent(result)[PYTHON]
    assert python.status == "done", python.finding.response
    assert python.finding.code == broken.replace("revenues", "revenue")
    told = asked(desk.server, 3)[-1][1]
    assert "revenues" in told
    assert "KeyError" in told


@pytest.mark.long("whole runs of a flow")
def test_code_that_keeps_failing_is_a_failed_task_and_the_rest_goes_on(
    desk: Desk,
) -> None:
    tasks = [entry(0, SQL, EXTRACT), entry(1, PYTHON, CORRELATE, 0)]
    desk.server.script(say(tasks=tasks), DEPENDS, *[say(code="1 / 0")] * 3)
    result = analyse(desk, *own(*LIST_AND_CODE))
    [python] = by_agent(result)[PYTHON]
    assert python.status == "failed"
    assert "ZeroDivisionError" in python.finding.response
    assert by_agent(result)[SQL][0].status == "done"
    assert result.status == "finished"
    assert result.outputs["status"] != "answered"


@pytest.mark.long("whole runs of a flow")
def test_an_invented_number_is_told_back_and_then_flagged(desk: Desk) -> None:
    tasks = [entry(0, SQL, EXTRACT), entry(1, INSIGHTS, "Say what drives revenue.", 0)]
    desk.server.script(say(tasks=tasks), *[say(insights=["Visits bring 87,654.25 a day."])] * 4)
    actions = (
        "ManagerAgent.task_list_generation", f"Team.{INSIGHTS}.insights_generation",
    )  # fmt: skip
    result = analyse(desk, *own(*actions))
    insights = by_agent(result)[INSIGHTS][0]
    assert "87,654.25" in asked(desk.server, 2)[-1][1]
    origins = [each.origin for told in insights.finding.insights for each in told.citations]
    assert origins == ["none"]
    assert "unsupported_number" in [each.code for each in insights.finding.cautions]


@pytest.mark.long("whole runs of a flow")
def test_an_action_can_be_swapped_for_any_flow(desk: Desk) -> None:
    """A chat flow of one's own, with a prompt of one's own, takes the place of reflection."""
    desk.write("prompts/mine.j2", "{#- variables: tasks -#}\nLess, please: {{ tasks }}")
    swap = (
        "Goal.ManagerAgent.reflection={_target_: chat, human_prompt: mine.j2, json_reply: true, "
        "model: {_target_: model.openai, model: fake}, "
        "input_interface: [question, agents, tasks]}"
    )
    desk.server.script(say(tasks=[entry(0, SQL, EXTRACT)], changes=["one task is enough"]))
    result = analyse(desk, swap)
    assert "Less, please" in asked(desk.server)[-1][1]
    assert "one task is enough" in result.outputs["changes"]
    names = [each.task.name for each in result.outputs["results"]]
    assert names == [SQL, INSIGHTS]  # insights are forced


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_a_goal_inside_of_a_goal_has_a_team_and_a_summary_of_its_own(
    desk: Desk,
) -> None:
    desk.server.script(say(tasks=[entry(0, "GoalAgent", QUESTION)]))
    result = analyse(desk, *own("ManagerAgent.task_list_generation"))
    [goal] = by_agent(result)["GoalAgent"]
    assert goal.status == "done"
    assert goal.finding.parts
    assert "visits" in goal.finding.insights[0].text
    assert "visits" in result.outputs["answer"]
    assert result.outputs["traced"].share == 1.0


def outcomes(folder: Path) -> list[str]:
    """The addresses of the steps that are recorded as done."""
    try:
        return [row.address for row in load(folder) if row.kind == "outcome"]
    except JournalError:  # it is being made
        return []


def kill_after(steps: int, world: World, *command: str) -> None:
    """Run a command of ours until so many steps are recorded, and kill it there."""
    program = [sys.executable, "-m", "flows", *command]
    quiet = subprocess.DEVNULL
    child = subprocess.Popen(
        program, cwd=world.folder, env=environment(), stdin=quiet, stdout=quiet, stderr=quiet
    )
    runs = world.folder / "runs"
    while not (runs.is_dir() and any(len(outcomes(each)) >= steps for each in runs.iterdir())):
        assert child.poll() is None, "it ended before it could be killed"
        time.sleep(0.01)
    child.kill()
    child.wait()


@pytest.mark.long("whole processes are killed and go on")
def test_a_team_that_is_killed_twice_comes_to_the_same_answer(
    world: World, analysed: RunResult
) -> None:
    """Also where tasks were at work at the same time: no recorded step is done again."""
    world.write("shops.csv", SHOPS)
    given = json.dumps({"question": QUESTION})
    file = world.write("killed.yaml", f"{ANALYST}inputs: {given}\n")
    kill_after(8, world, "run", str(file))
    [folder] = (world.folder / "runs").iterdir()
    kill_after(35, world, "resume", folder.name)
    before = outcomes(folder)
    ended = world.resume(folder.name)
    assert ended.status == "finished", ended.reason
    after = outcomes(folder)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)
    assert ended.outputs["answer"] == analysed.outputs["answer"]
