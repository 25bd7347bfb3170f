"""The tasks of a report as a tree, whatever they depend on."""

from __future__ import annotations

import pytest

from flows.report.evidence import Evidences, walk
from flows.report.report import Report
from flows.report.tasks import TaskView, agent_name, seconds_text, task_tree
from flows.semantics.findings import Finding, TaskResult, Told
from tests.report.sample import result_of


def task(number: int, after: int | None, *parts: TaskResult) -> TaskResult:
    finding = Finding(output_type="text", response="", parts=parts)
    return result_of(number, "PythonDataAgent", "Do it.", finding, after)


def tree(*results: TaskResult) -> list[str]:
    report = Report(run_id="r", question="?", summary=Told(text=""), results=results)
    return [shape(each) for each in task_tree(report, Evidences({}), ())]


def shape(view: TaskView) -> str:
    below = " ".join(map(shape, view.children))
    parts = " ".join(map(shape, view.parts))
    return f"{view.number}{f'({below})' if below else ''}{f'[{parts}]' if parts else ''}"


def test_each_task_stands_below_what_it_uses() -> None:
    assert tree(task(0, None), task(1, 0), task(2, 1), task(3, 0), task(4, None)) == [
        "0(1(2) 3)", "4",
    ]  # fmt: skip


def test_tasks_within_a_goal_have_numbers_of_their_own() -> None:
    goal = task(1, 0, task(0, None), task(1, 0))
    assert tree(task(0, None), goal) == ["0(1[1.0(1.1)])"]
    assert [number for number, _ in walk((goal,))] == ["1", "1.0", "1.1"]


def test_no_task_is_lost_in_a_list_that_is_wrong() -> None:
    assert tree(task(1, 1), task(2, 3), task(3, 2), task(4, 99)) == ["1", "4", "2(3)"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("DataProcessorSQLAgent", "Data Processor SQL"), ("RAGAgent", "RAG"), ("goal", "goal"),
     ("Agent", "Agent")],
)  # fmt: skip
def test_agents_by_their_names_in_words(name: str, words: str) -> None:
    assert agent_name(name) == words


def test_times_as_a_person_says_them() -> None:
    assert [seconds_text(each) for each in (0.0, 1.26, 89.0, 125.0)] == [
        "", "1.3 s", "89.0 s", "2 min 05 s",
    ]  # fmt: skip
