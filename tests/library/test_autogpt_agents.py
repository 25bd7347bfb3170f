"""The agents of the team as commands of the AutoGPT loop, offline and with a language model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flows.build.builder import build
from flows.core.result import RunResult
from flows.library.autogpt.autogpt import AutoGPTFlow
from flows.models.fake.answer import FakeAnswer
from tests.library.desk import Desk
from tests.library.world import AUTO, SALES, asked, decision

HOMES = "sqm,rooms,city,price\n" + "".join(
    f"{40 + n},{n % 4 + 1},{'Rome' if n % 3 else 'Oslo'},{1000 * n + 500 * (n % 4) + n % 7}\n"
    for n in range(90)
)
RUN = f"{AUTO}data: {{homes: homes.csv}}\n"
OF_SEED = {
    "analyst.goal", "analyst.data_processor", "analyst.plotly", "analyst.insights",
    "analyst.python", "analyst.modelling", "analyst.rag", "analyst.manager", "analyst.summarizer",
}  # fmt: skip


def furnish(folder: Path) -> None:
    (folder / "homes.csv").write_text(HOMES)


def work(desk: Desk, goal: str, *overrides: str) -> RunResult:
    result = desk.run(RUN, *overrides, inputs={"goal": goal})
    assert result.status == "finished", result.reason
    return result


def given(desk: Desk) -> list[tuple[str, dict[str, Any]]]:
    """The commands that were given, with their arguments."""
    return [(each["command"], each["command_args"]) for each in desk.outputs("Controller")]


def targets(spec: Any) -> set[str]:
    """All targets of a composed config."""
    if not isinstance(spec, dict):
        return set()
    own = {spec["_target_"]} if isinstance(spec.get("_target_"), str) else set()
    return own.union(*(targets(each) for each in spec.values()))


def test_every_agent_can_be_commanded(desk: Desk) -> None:
    plan, _ = build(desk.write("all.yaml", RUN + "inputs: {goal: x}\n"))
    executor = plan.spec["subflows_config"]["Executor"]
    assert targets(executor) >= OF_SEED
    with_autogen, _ = build(desk.folder / "all.yaml", ["executor=autogen"])
    assert "autogen" in with_autogen.spec["subflows_config"]["Executor"]["subflows_config"]


def commands(desk: Desk, text: str) -> dict[str, tuple[str, ...]]:
    plan, _ = build(desk.write("all.yaml", text))
    assert isinstance(plan.flow, AutoGPTFlow)
    return {each.name: tuple(a.name for a in each.input_args) for each in plan.flow.commands}


def test_a_controller_is_told_of_task_and_data_alone(desk: Desk) -> None:
    told = commands(desk, RUN + "inputs: {goal: x}\n")
    for name in ("extract", "transform", "model", "chart", "insights", "analyse"):
        assert told[name] == ("task", "data")


def test_documents_are_a_command_of_runs_that_have_some(desk: Desk) -> None:
    (desk.folder / "docs").mkdir(exist_ok=True)
    (desk.folder / "docs" / "note.md").write_text("Homes are sold by the city of Oslo alone.")
    plain = RUN + "inputs: {goal: x}\n"
    assert "documents" not in commands(desk, plain)
    assert "documents" in commands(desk, plain + "documents: docs\n")


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_a_chart_is_drawn_by_the_agent_for_charts(desk: Desk) -> None:
    result = work(desk, "Plot the average price by city")
    assert given(desk)[0] == ("chart", {"task": "Plot the average price by city"})
    [figure] = [each for each in result.artifacts if each.what == "figure"]
    assert f"`{figure.name}`" in result.outputs["answer"]


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_a_model_is_told_with_the_cells_of_its_measures(desk: Desk) -> None:
    result = work(desk, "Build a model that predicts price")
    assert [name for name, _ in given(desk)] == ["model", "finish"]
    answer = result.outputs["answer"]
    assert "predicts price" in answer
    assert "on rows that it has not seen" in answer
    traced = result.outputs["traced"]
    assert traced.numbers == traced.traced > 2
    [model] = [each for each in result.artifacts if each.what == "model"]
    assert model.kind == "skops"


@pytest.mark.long("whole runs of a flow")
def test_insights_build_on_the_result_before(desk: Desk) -> None:
    result = work(desk, "Give me insights on the average price by city")
    (first, _), (second, arguments), _ = given(desk)
    assert (first, second) == ("sql", "insights")
    [table] = [each for each in result.artifacts if each.what == "table"]
    assert arguments["data"] == table.name
    traced = result.outputs["traced"]
    assert traced.numbers == traced.traced > 0


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_result_is_drawn_under_its_name(desk: Desk) -> None:
    result = work(desk, "Show the average price by city. Plot it.")
    (_, _), (second, arguments), _ = given(desk)
    assert second == "chart"
    table = next(each for each in result.artifacts if each.what == "table")
    assert arguments["data"] == table.name
    assert any(each.what == "figure" for each in result.artifacts)


@pytest.mark.long("a team of agents works on a question, in the sandbox")
def test_a_large_question_is_worked_on_by_a_team(desk: Desk) -> None:
    result = work(desk, "What drives the price?")
    assert [name for name, _ in given(desk)] == ["analyse", "finish"]
    assert all(desk.outputs(name) for name in ("ManagerAgent", "Team", "SummarizerAgent"))
    assert "sqm" in result.outputs["answer"]
    traced = result.outputs["traced"]
    assert traced.numbers == traced.traced > 0


@pytest.mark.long("whole runs of a flow")
def test_documents_are_asked_for_what_no_table_holds(desk: Desk) -> None:
    (desk.folder / "docs").mkdir(exist_ok=True)
    note = "Opening hours\n\nThe Oslo office is open from Tuesday to Friday.\n"
    (desk.folder / "docs" / "note.md").write_text(note)
    result = work(desk, "What do the documents say about the Oslo office?", "documents=docs")
    assert given(desk)[0][0] == "documents"
    assert "open from Tuesday to Friday" in result.outputs["answer"]


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_language_model_gets_the_result_and_its_warnings(desk: Desk) -> None:
    code = (
        "figure = px.bar(homes, x='city', y='price')\n"
        "warnings = pd.DataFrame({'code': ['added_up'], 'says': ['bars add up']})\n"
    )
    desk.server.script(
        decision("chart", task="Bars of price by city"),
        FakeAnswer(json.dumps({"code": f"import plotly.express as px\n{code}"})),
        decision("finish", answer="Drawn."),
    )
    result = work(desk, "Bars", "model=openai")
    told = asked(desk.server, 2)[-1][1]
    assert "A figure was drawn." in told
    assert "Warning: bars add up" in told
    assert [each.what for each in result.artifacts] == ["code", "table", "figure"]


@pytest.mark.parametrize("command", ["model", "chart", "insights", "transform"])
def test_a_name_that_is_no_result_is_an_observation(desk: Desk, command: str) -> None:
    desk.server.script(
        decision(command, task="Price by city", data="result-9"),
        decision("finish", answer="Nothing."),
    )
    result = desk.run(RUN, "model=openai", inputs={"goal": "Bars"})
    assert result.status == "degraded"  # its only command failed, and the run came to its end
    assert "there is no result" in asked(desk.server, 1)[-1][1]


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
def test_the_plain_commands_are_left_for_what_they_do(desk: Desk) -> None:
    desk.write("sales.csv", SALES)
    work(desk, "What is the average price by city? What is the correlation of sqm and price?")
    assert [name for name, _ in given(desk)] == ["sql", "python", "finish"]


@pytest.mark.long("a run of agents is done twice, with charts in the sandbox")
def test_the_loop_goes_on_where_it_stopped(desk: Desk) -> None:
    result = work(desk, "Build a model that predicts price")
    again = desk.resume(result.run_id)
    assert again.outputs["answer"] == result.outputs["answer"]


def test_the_demo_s_file_is_right(desk: Desk) -> None:
    demo = Path(__file__).parents[2] / "demo.yaml"
    build(demo)
