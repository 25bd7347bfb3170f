"""The agents of the team as commands of the AutoGPT loop, offline and with a language model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.build.builder import build
from flows.core.result import RunResult
from flows.library.autogpt.autogpt import AutoGPTFlow
from flows.models.fake.answer import Answer
from flows.models.fake.server import FakeModel
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


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Desk, FakeModel]]:
    """One folder and one model server for all tests here, so that they share their sandboxes."""
    folder = tmp_path_factory.mktemp("agents")
    with pytest.MonkeyPatch.context() as patch, FakeModel() as running:
        patch.chdir(folder)
        patch.setenv("OPENAI_BASE_URL", running.base_url)
        patch.setenv("OPENAI_API_KEY", "unused")
        opened = Desk(folder)
        opened.write("homes.csv", HOMES)
        yield opened, running
        opened.close()


@pytest.fixture
def world(desk: tuple[Desk, FakeModel]) -> Desk:
    return desk[0]


@pytest.fixture
def server(desk: tuple[Desk, FakeModel]) -> FakeModel:
    desk[1].requests.clear()
    return desk[1]


def work(world: Desk, goal: str, *overrides: str) -> RunResult:
    result = world.run(RUN, *overrides, inputs={"goal": goal})
    assert result.status == "finished", result.reason
    return result


def given(world: Desk) -> list[tuple[str, dict[str, Any]]]:
    """The commands that were given, with their arguments."""
    return [(each["command"], each["command_args"]) for each in world.outputs("Controller")]


def targets(spec: Any) -> set[str]:
    """All targets of a composed config."""
    if not isinstance(spec, dict):
        return set()
    own = {spec["_target_"]} if isinstance(spec.get("_target_"), str) else set()
    return own.union(*(targets(each) for each in spec.values()))


def test_every_agent_can_be_commanded(world: Desk) -> None:
    plan, _ = build(world.write("all.yaml", RUN + "inputs: {goal: x}\n"))
    executor = plan.spec["subflows_config"]["Executor"]
    assert targets(executor) >= OF_SEED
    with_autogen, _ = build(world.folder / "all.yaml", ["executor=autogen"])
    assert "autogen" in with_autogen.spec["subflows_config"]["Executor"]["subflows_config"]


def commands(world: Desk, text: str) -> dict[str, tuple[str, ...]]:
    plan, _ = build(world.write("all.yaml", text))
    assert isinstance(plan.flow, AutoGPTFlow)
    return {each.name: tuple(a.name for a in each.input_args) for each in plan.flow.commands}


def test_a_controller_is_told_of_task_and_data_alone(world: Desk) -> None:
    told = commands(world, RUN + "inputs: {goal: x}\n")
    for name in ("extract", "transform", "model", "chart", "insights", "analyse"):
        assert told[name] == ("task", "data")


def test_documents_are_a_command_of_runs_that_have_some(world: Desk) -> None:
    (world.folder / "docs").mkdir(exist_ok=True)
    (world.folder / "docs" / "note.md").write_text("Homes are sold by the city of Oslo alone.")
    plain = RUN + "inputs: {goal: x}\n"
    assert "documents" not in commands(world, plain)
    assert "documents" in commands(world, plain + "documents: docs\n")


def test_a_chart_is_drawn_by_the_agent_for_charts(world: Desk) -> None:
    result = work(world, "Plot the average price by city")
    assert given(world)[0] == ("chart", {"task": "Plot the average price by city"})
    [figure] = [each for each in result.artifacts if each.what == "figure"]
    assert f"`{figure.name}`" in result.outputs["answer"]


def test_a_model_is_told_with_the_cells_of_its_measures(world: Desk) -> None:
    result = work(world, "Build a model that predicts price")
    assert [name for name, _ in given(world)] == ["model", "finish"]
    answer = result.outputs["answer"]
    assert "predicts price" in answer
    assert "on rows that it has not seen" in answer
    verified = result.outputs["verified"]
    assert verified.numbers == verified.verified > 2
    [model] = [each for each in result.artifacts if each.what == "model"]
    assert model.kind == "skops"


def test_insights_build_on_the_result_before(world: Desk) -> None:
    result = work(world, "Give me insights on the average price by city")
    (first, _), (second, arguments), _ = given(world)
    assert (first, second) == ("sql", "insights")
    [table] = [each for each in result.artifacts if each.what == "table"]
    assert arguments["data"] == table.name
    verified = result.outputs["verified"]
    assert verified.numbers == verified.verified > 0


def test_a_result_is_drawn_under_its_name(world: Desk) -> None:
    result = work(world, "Show the average price by city. Plot it.")
    (_, _), (second, arguments), _ = given(world)
    assert second == "chart"
    table = next(each for each in result.artifacts if each.what == "table")
    assert arguments["data"] == table.name
    assert any(each.what == "figure" for each in result.artifacts)


def test_a_large_question_is_worked_on_by_a_team(world: Desk) -> None:
    result = work(world, "What drives the price?")
    assert [name for name, _ in given(world)] == ["analyse", "finish"]
    assert all(world.outputs(name) for name in ("ManagerAgent", "Team", "SummarizerAgent"))
    assert "sqm" in result.outputs["answer"]
    verified = result.outputs["verified"]
    assert verified.numbers == verified.verified > 0


def test_documents_are_asked_for_what_no_table_holds(world: Desk) -> None:
    (world.folder / "docs").mkdir(exist_ok=True)
    note = "Opening hours\n\nThe Oslo office is open from Tuesday to Friday.\n"
    (world.folder / "docs" / "note.md").write_text(note)
    result = work(world, "What do the documents say about the Oslo office?", "documents=docs")
    assert given(world)[0][0] == "documents"
    assert "open from Tuesday to Friday" in result.outputs["answer"]


def test_a_language_model_gets_the_result_and_its_warnings(world: Desk, server: FakeModel) -> None:
    code = "figure = px.bar(homes, x='city', y='price')\nprint('warning (added_up): bars add up')\n"
    server.script(
        decision("chart", task="Bars of price by city"),
        Answer(json.dumps({"code": f"import plotly.express as px\n{code}"})),
        decision("finish", answer="Drawn."),
    )
    result = work(world, "Bars", "model=openai")
    told = asked(server, 2)[-1][1]
    assert "A figure was drawn." in told
    assert "Warning: bars add up" in told
    assert [each.what for each in result.artifacts] == ["code", "figure"]


@pytest.mark.parametrize("command", ["model", "chart", "insights", "transform"])
def test_a_name_that_is_no_result_is_an_observation(
    world: Desk, server: FakeModel, command: str
) -> None:
    server.script(
        decision(command, task="Price by city", data="result-9"),
        decision("finish", answer="Nothing."),
    )
    result = world.run(RUN, "model=openai", inputs={"goal": "Bars"})
    assert result.status == "degraded"  # its only command failed, and the run came to its end
    assert "there is no result" in asked(server, 1)[-1][1]


def test_the_plain_commands_are_left_for_what_they_do(world: Desk) -> None:
    world.write("sales.csv", SALES)
    work(world, "What is the average price by city? What is the correlation of sqm and price?")
    assert [name for name, _ in given(world)] == ["sql", "python", "finish"]


def test_the_loop_goes_on_where_it_stopped(world: Desk, server: FakeModel) -> None:
    result = work(world, "Build a model that predicts price")
    again = world.resume(result.run_id)
    assert again.outputs["answer"] == result.outputs["answer"]


def test_the_demo_s_file_is_right(world: Desk) -> None:
    demo = Path(__file__).parents[2] / "demo.yaml"
    build(demo)
