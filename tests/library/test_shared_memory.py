"""The shared memory of a team: outcomes are kept, and the list follows from what was found."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from flows.memory.chroma import ChromaMemory
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.semantics.findings import Task
from tests.library.world import World, asked

FLOW = """\
defaults: [/model: offline, /memory: chroma, _self_]
_target_: analyst.shared_memory
name: SharedMemory
data: {carriers: carriers.csv}
subflows_config:
  task_list_update: {_target_: action.task_list_update}
"""
CARRIERS = "carrier,on_road_time,efficiency\n" + "".join(
    f"c{n % 7},{20 + n % 13},{0.9 - (n % 13) / 40}\n" for n in range(60)
)
AGENTS = [
    {"name": "DataProcessorSQLAgent", "description": "Gets data by SQL.", "gives": "table",
     "actions": ["sql_generation"]},
    {"name": "PythonDataAgent", "description": "Works data out in Python.", "gives": "table",
     "actions": ["python_code_generation"]},
    {"name": "PlotlyVisualizerAgent", "description": "Draws charts.", "gives": "figure",
     "actions": ["chart_generation"]},
    {"name": "InsightsGeneratorAgent", "description": "Says what is in data.", "gives": "insights",
     "actions": ["insights_generation"]},
]  # fmt: skip
QUESTION = "How does the on-road time affect the efficiency of a carrier?"
EXTRACT = 'Extract the "on_road_time" and "efficiency" columns from the "carriers" table.'
CORRELATE = 'Calculate the correlation between "on_road_time" and "efficiency".'
SCATTER = (
    'Generate a scatter plot with "on_road_time" on the x-axis and "efficiency" on the y-axis to '
    "visualize the relationship between these two variables."
)
INSIGHTS = (
    'Generate insights on how "on_road_time" affects the "efficiency" of a carrier based on the '
    "correlation and the scatter plot."
)


def task(number: int, name: str, text: str, after: int | None) -> dict[str, Any]:
    return {"task_id": number, "name": name, "description": text, "data_dependency": after}


def table(*columns: str) -> dict[str, Any]:
    kinds = ["real"] * len(columns)
    row = [0.5] * len(columns)
    return {
        "columns": columns, "types": kinds, "rows": [row], "total_rows": 60, "artifact": "t-1",
    }  # fmt: skip


def result(of: dict[str, Any], status: str, **finding: Any) -> dict[str, Any]:
    agent = next(each for each in AGENTS if each["name"] == of["name"])
    found = {"output_type": agent["gives"], "response": "It worked.", **finding}
    told = {"task": of, "status": status, "agent_description": agent["description"]}
    return {**told, "finding": found}


def seed_inputs() -> dict[str, Any]:
    """The worked example: the scatter plot has failed on the correlation's result."""
    failed = "the data has no column 'on_road_time'"
    return {
        "question": QUESTION,
        "agents": AGENTS,
        "tasks": [task(3, "InsightsGeneratorAgent", INSIGHTS, 1)],
        "results": [
            result(task(0, "DataProcessorSQLAgent", EXTRACT, None), "done",
                   table=table("on_road_time", "efficiency")),
            result(task(1, "PythonDataAgent", CORRELATE, 0), "done",
                   table=table("correlation", "p_value")),
            result(task(2, "PlotlyVisualizerAgent", SCATTER, 1), "failed", response=failed),
        ],
        "new": [2],
    }  # fmt: skip


@pytest.fixture(autouse=True)
def _carriers(world: World) -> None:
    world.write("carriers.csv", CARRIERS)


@pytest.mark.long("whole runs of a flow")
def test_the_worked_example_of_the_seed(world: World) -> None:
    """The insights are moved from the correlation, on which the plot failed, to the extraction."""
    outputs = world.run(FLOW, inputs=seed_inputs()).outputs
    [left] = outputs["tasks"]
    assert (left.task_id, left.name) == (3, "InsightsGeneratorAgent")
    assert left.data_dependency == 0
    assert outputs["changes"]


@pytest.mark.long("whole runs of a flow")
def test_a_list_without_trouble_stays_as_it_is(world: World) -> None:
    given = seed_inputs()
    given["results"] = given["results"][:2]
    given["new"] = [1]
    outputs = world.run(FLOW, inputs=given).outputs
    assert list(outputs["tasks"]) == [Task.model_validate(each) for each in given["tasks"]]
    assert outputs["changes"] == ()


@pytest.mark.long("whole runs of a flow")
def test_outcomes_are_kept_with_the_fields_of_the_seed(world: World, tmp_path: Path) -> None:
    world.run(FLOW, inputs=seed_inputs())

    async def kept() -> list[str]:
        memory = ChromaMemory(ChromaMemory.Config(folder=tmp_path / ".flows/memory"))
        try:
            return [each.text for each in await memory.read("scatter plot", 9)]
        finally:
            await memory.aclose()

    [text] = asyncio.run(kept())  # only the new one
    assert "agent: PlotlyVisualizerAgent" in text
    assert "agent_description: Draws charts." in text
    assert "sub_task: Generate a scatter plot" in text
    assert "status: failed" in text
    assert "response: the data has no column 'on_road_time'" in text


WITH_MODEL = FLOW.replace("model: offline", "model: openai")


def reply(*tasks: dict[str, Any], changes: tuple[str, ...] = ()) -> FakeAnswer:
    return FakeAnswer(json.dumps({"tasks": tasks, "changes": changes}))


def test_a_model_that_repeats_the_failed_task_is_told(world: World, server: FakeModel) -> None:
    again = task(4, "PlotlyVisualizerAgent", SCATTER, 0)
    good = task(3, "InsightsGeneratorAgent", INSIGHTS, 0)
    server.script(reply(again, good), reply(good, changes=("insights from the extraction",)))
    outputs = world.run(WITH_MODEL, inputs=seed_inputs()).outputs
    assert [each.task_id for each in outputs["tasks"]] == [3]
    assert outputs["changes"] == ("insights from the extraction",)
    assert "task 2 again, which has failed" in asked(server)[-1][1]


def test_a_model_that_gives_nothing_usable_is_gone_without(world: World, server: FakeModel) -> None:
    given = seed_inputs()
    given["tasks"] = [task(3, "InsightsGeneratorAgent", INSIGHTS, 2)]
    server.script(*[FakeAnswer("I would rather not.")] * 3)
    outputs = world.run(WITH_MODEL, inputs=given).outputs
    # Away from the failed plot, to what that worked on.
    assert [each.data_dependency for each in outputs["tasks"]] == [1]
    assert any("only dependencies on failed tasks" in each for each in world.notices())
