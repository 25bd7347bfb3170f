"""Asking the person about the tasks that are left: what they may say, and what is made of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from flows.core.result import RunResult
from flows.runners.door import resume
from flows.semantics.findings import Task
from tests.library.world import World

SQL, PYTHON, INSIGHTS = "DataProcessorSQLAgent", "PythonDataAgent", "InsightsGeneratorAgent"
TASKS = [
    {"task_id": 2, "name": PYTHON, "description": "Average the milk", "data_dependency": 1},
    {"task_id": 3, "name": PYTHON, "description": "Count the herds", "data_dependency": 2},
    {"task_id": 4, "name": INSIGHTS, "description": "Tell them apart", "data_dependency": 3},
]
DONE = [
    {"task": {"task_id": number, "name": SQL, "description": "Get it"}, "status": status,
     "finding": {"output_type": "table", "response": f"It is {status}."}}
    for number, status in ((0, "failed"), (1, "done"))
]  # fmt: skip
ASK = "defaults: [{human: scripted}, _self_]\n_target_: analyst.feedback\nhuman: {path: said.txt}\n"


def asked(world: World, *answers: str) -> RunResult:
    world.write("said.txt", "".join(f"{each}\n" for each in answers))
    agents = [{"name": name, "description": f"Does {name}"} for name in (SQL, PYTHON, INSIGHTS)]
    given = {"question": "Why?", "agents": agents, "tasks": TASKS, "results": DONE}
    return world.run(f"{ASK}inputs: {json.dumps(given)}\n")


def wired(result: RunResult) -> dict[int, int | None]:
    return {each.task_id: each.data_dependency for each in result.outputs["tasks"]}


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("", {2: 1, 3: 2, 4: 3}),
        ("drop 4", {2: 1, 3: 2}),
        ("DROP 3", {2: 1, 4: 2}),
        ("drop 2, 3", {4: 1}),
        ("drop 2 3 and 4;", {}),
        ("drop 3; drop 4", {2: 1}),
        ("edit 3 after 1", {2: 1, 3: 1, 4: 3}),
        ("edit 2 after none", {2: None, 3: 2, 4: 3}),
        ("add SQL: Count the cows", {2: 1, 3: 2, 4: 3, 5: None}),
        ("add insightsgeneratoragent: Say it after 3", {2: 1, 3: 2, 4: 3, 5: 3}),
        ("add insights after 3: Say it", {2: 1, 3: 2, 4: 3, 5: 3}),
        ("add sql: Count; add insights: Tell after 5; drop 4", {2: 1, 3: 2, 5: None, 6: 5}),
    ],
)
def test_what_is_said_is_done(world: World, answer: str, left: dict[int, int | None]) -> None:
    result = asked(world, answer)
    assert result.status == "finished"
    assert wired(result) == left
    assert bool(result.outputs["changes"]) == bool(answer)


@pytest.mark.parametrize(
    ("answer", "number", "name", "text"),
    [
        ("edit 3: Count the cows; not the calves", 3, PYTHON, "Count the cows; not the calves"),
        ("edit 3 after 1: Count  cows", 3, PYTHON, "Count cows"),
        ("add sql: Take the years after 2007.", 5, SQL, "Take the years after 2007."),
        ("add sql: Take the cows after 1", 5, SQL, "Take the cows"),
    ],
)
def test_a_task_has_the_text_that_was_said(
    world: World, answer: str, number: int, name: str, text: str
) -> None:
    tasks: tuple[Task, ...] = asked(world, answer).outputs["tasks"]
    [found] = [each for each in tasks if each.task_id == number]
    assert (found.name, found.description) == (name, text)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("drop 9", "there is no task 9; open are 2, 3, 4"),
        ("drop 1", "task 1 is done and cannot be changed"),
        ("drop it", "drop takes the numbers of tasks, as: drop 3"),
        ("edit 3", "edit takes a number and a new text"),
        ("edit 3:  ", "a task needs a text"),
        ("edit 2 after 4", "tasks 2 and 4 would wait for each other"),
        ("edit 2 after 2", "tasks 2 and 2 would wait for each other"),
        ("edit 3 after 0", "task 0 is failed: there is no result of it"),
        ("add Chef: Cook it", "there is no agent 'Chef'"),
        ("add PythnDataAgent: Count", "did you mean PythonDataAgent?"),
        ("add agent: Count", "there is no agent 'agent'"),
        ("add sql: Take those after 2007", "Words that only look like it end with a full stop"),
        ("make it shorter", "'make it shorter' is not understood"),
        ("drop 4; cook", "drop takes the numbers of tasks"),
        ("drop 2; drop 2", "there is no task 2"),
    ],
)
def test_what_cannot_be_done_is_said_and_nothing_is_changed(
    world: World, answer: str, why: str
) -> None:
    result = asked(world, answer)
    assert result.status == "waiting"
    [question] = result.questions
    assert "Nothing was changed: " in question.question.text
    assert why in question.question.text
    again = resume(result.run_id, answer="drop 4")
    assert wired(again) == {2: 1, 3: 2}
    assert again.outputs["changes"] == ("The person dropped task 4.",)


def test_the_person_reads_what_was_done_what_is_left_and_what_may_be_said(world: World) -> None:
    text = asked(world).questions[0].question.text
    assert f"0  failed  {SQL}: It is failed." in text
    assert f"3  to do after 2  {PYTHON}: Count the herds" in text
    assert "Enter goes on, q ends" in text


def test_agents_are_listed_and_the_question_comes_again(world: World) -> None:
    result = asked(world, "agents")
    assert f"{SQL}: Does {SQL}" in result.questions[0].question.text


def test_q_ends_the_work_and_leaves_the_tasks(world: World) -> None:
    outputs: dict[str, Any] = dict(asked(world, "drop 99", "q").outputs)
    assert outputs["stop"] is True
    assert [each.task_id for each in outputs["tasks"]] == [2, 3, 4]
