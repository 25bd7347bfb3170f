"""Task lists that models write: what is refused, in which words, how the rest is put right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.analysis.team.roles import ROLES, find_role
from flows.build.names import ACTIONS
from flows.library.analyst.actions import INPUTS, Agent
from flows.library.analyst.shared_memory import changes_of, refuse_failed, rewired
from flows.library.analyst.tasks import (
    after_the_last_data,
    entries_of,
    put_right,
    read_tasks,
    with_dependencies,
    with_forced_insights,
)
from flows.library.blocks.reading import ReplyProblem
from flows.semantics.findings import Finding, Task, TaskResult

INSIGHTS = "InsightsGeneratorAgent"
AGENTS = (
    Agent(name="DataProcessorSQLAgent", description="SQL", gives="table"),
    Agent(name="PythonDataAgent", description="Python", gives="table"),
    Agent(name="PythonModellingAgent", description="models", gives="model"),
    Agent(name="PlotlyVisualizerAgent", description="charts", gives="figure"),
    Agent(name=INSIGHTS, description="insights", gives="insights"),
)
SQL, PYTHON, MODEL, CHART = (each.name for each in AGENTS[:4])


def task(number: int, name: str, after: int | None = None, text: str = "") -> Task:
    return Task(
        task_id=number, name=name, description=text or f"do {number}", data_dependency=after
    )


def entry(number: Any, name: Any, after: Any = None, text: Any = "do it") -> dict[str, Any]:
    return {"task_id": number, "name": name, "description": text, "data_dependency": after}


def result(of: Task, status: Any) -> TaskResult:
    return TaskResult(task=of, status=status, finding=Finding(output_type="table", response="."))


def test_a_list_in_order_is_read_as_it_is() -> None:
    found = read_tasks([entry(0, SQL), entry(1, CHART, 0)], AGENTS, most=5)
    assert [(each.task_id, each.name, each.data_dependency) for each in found] == [
        (0, SQL, None),
        (1, CHART, 0),
    ]


def test_the_other_names_of_the_fields_are_read_too() -> None:
    one = {"task_id": 0, "agent_name": SQL, "task_description": "get it", "input_task_id": None}
    [found] = read_tasks([one], AGENTS, most=5)
    assert (found.name, found.description, found.data_dependency) == (SQL, "get it", None)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ([entry(0, "DataProcesorSQLAgent")], "did you mean 'DataProcessorSQLAgent'?"),
        ([entry(0, "Accountant")], "there is no agent 'Accountant'"),
        ([entry(0, SQL), entry(0, SQL)], "the task_id 0 is there twice"),
        ([entry(0, SQL, 4)], "its data_dependency 4 is no task"),
        ([entry(0, SQL, 1), entry(1, SQL, 0)], "in a circle"),
        ([entry(0, SQL, 0)], "in a circle"),
        ([entry(0, SQL, text="")], '"description"'),
        ([entry(None, SQL)], '"task_id"'),
        ([entry(-1, SQL)], '"task_id"'),
        ([entry(n, SQL) for n in range(4)], "there are 4 tasks, of at most 3"),
    ],
)
def test_what_is_wrong_is_said(entries: list[dict[str, Any]], said: str) -> None:
    with pytest.raises(ReplyProblem) as error:
        read_tasks(entries, AGENTS, most=3)
    assert said in str(error.value)


@pytest.mark.parametrize("reply", [{}, {"tasks": "none"}, {"tasks": [1]}, {"tasks": {"a": 1}}])
def test_a_reply_without_a_list_is_refused(reply: dict[str, Any]) -> None:
    with pytest.raises(ReplyProblem, match="list of objects"):
        entries_of(reply)


def test_a_malformed_list_is_put_right() -> None:
    found = put_right(
        [
            entry("a", "dataprocessorsqlagent"), entry("b", "Accountant"), entry(7, CHART, "a"),
            entry(8, CHART, 8), entry(9, PYTHON, "nowhere"), {"no": "task"},
        ],
        AGENTS, most=9,
    )  # fmt: skip
    assert [(each.task_id, each.name) for each in found.tasks] == [
        (0, SQL),
        (1, CHART),
        (2, CHART),
        (3, PYTHON),
    ]
    assert any("Accountant" in each for each in found.changes)
    assert all(
        each.data_dependency is None or each.data_dependency < each.task_id for each in found.tasks
    )


def test_a_dependency_follows_its_task_to_its_new_number() -> None:
    found = put_right([entry(5, SQL), entry(9, CHART, 5)], AGENTS, most=9)
    assert [(each.task_id, each.data_dependency) for each in found.tasks] == [(0, None), (1, 0)]


_ANY = st.one_of(st.none(), st.integers(-3, 9), st.text(max_size=5), st.booleans())
_ENTRIES = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "task_id": _ANY,
            "name": st.one_of(st.sampled_from([each.name for each in AGENTS]), _ANY),
            "description": _ANY,
            "data_dependency": _ANY,
        },
    ),
    max_size=8,
)


@pytest.mark.long("whole runs of a flow")
@given(entries=_ENTRIES)
def test_whatever_is_put_right_can_be_read(entries: list[dict[str, Any]]) -> None:
    found = put_right(entries, AGENTS, most=4)
    again = read_tasks([each.model_dump() for each in found.tasks], AGENTS, most=4)
    assert again == found.tasks


def test_a_raised_digit_is_no_number() -> None:
    entries = [{"name": AGENTS[0].name, "description": "Count them.", "data_dependency": "²"}]
    assert put_right(entries, AGENTS, most=4).tasks[0].data_dependency is None


def test_dependencies_are_assigned_to_tasks_by_their_numbers() -> None:
    tasks = (task(0, SQL), task(1, CHART))
    found = with_dependencies(
        tasks,
        [{"task_id": 1, "data_dependency": "0"}, {"task_id": 0, "data_dependency": None}],
        AGENTS,
    )
    assert [each.data_dependency for each in found] == [None, 0]
    with pytest.raises(ReplyProblem, match="no data_dependency is given for task 1"):
        with_dependencies(tasks, [{"task_id": 0, "data_dependency": None}], AGENTS)
    with pytest.raises(ReplyProblem, match="is no task_id"):
        with_dependencies(
            tasks,
            [{"task_id": 0, "data_dependency": None}, {"task_id": 1, "data_dependency": "x"}],
            AGENTS,
        )


def test_without_assigned_dependencies_all_work_on_the_first_data() -> None:
    found = after_the_last_data((task(0, SQL), task(1, PYTHON), task(2, CHART)), AGENTS)
    assert [each.data_dependency for each in found] == [None, 0, 0]


def test_data_that_only_charts_use_gets_insights() -> None:
    tasks = (task(0, SQL, text="Get the sales."), task(1, CHART, 0), task(2, PYTHON, 0))
    found = with_forced_insights(tasks, AGENTS, "How do we sell more?")
    forced = found[3:]
    # The SQL task is used by Python, the Python task by nothing.
    assert [(each.name, each.data_dependency) for each in forced] == [(INSIGHTS, 2)]
    only_chart = with_forced_insights(tasks[:2], AGENTS, "How do we sell more?")
    assert [(each.name, each.data_dependency) for each in only_chart[2:]] == [(INSIGHTS, 0)]
    assert "How do we sell more?" in only_chart[2].description
    assert with_forced_insights(only_chart, AGENTS, "?") == only_chart


def test_no_insights_are_forced_where_no_agent_makes_them() -> None:
    tasks = (task(0, SQL),)
    assert with_forced_insights(tasks, AGENTS[:4], "?") == tasks


def test_a_failed_task_is_not_repeated() -> None:
    failed = result(task(1, PYTHON, 0, "Correlate a and b."), "failed")
    refuse_failed((task(2, PYTHON, 0, "Correlate b and c."),), (failed,))
    with pytest.raises(ReplyProblem, match="task 1 again"):
        refuse_failed((task(2, PYTHON, 0, "correlate  A and b"),), (failed,))
    with pytest.raises(ReplyProblem, match="depends on task 1, which has failed"):
        refuse_failed((task(2, CHART, 1),), (failed,))


def test_dependencies_on_failed_tasks_move_to_what_those_worked_on() -> None:
    results = (result(task(0, SQL), "done"), result(task(1, PYTHON, 0), "failed"))
    tasks, changes = rewired((task(3, INSIGHTS, 1), task(4, CHART, 0)), results)
    assert [each.data_dependency for each in tasks] == [0, 0]
    assert changes == ("task 3 now depends on 0, not 1",)


def test_changes_are_told() -> None:
    before = (task(1, SQL), task(2, CHART, 1), task(3, PYTHON, 1))
    after = (task(1, SQL, text="another"), task(2, CHART), task(4, PYTHON))
    assert changes_of(before, after) == (
        "task 3 was dropped",
        "task 4 was added",
        "task 1 was worded anew",
        "task 2 now depends on None",
    )


def test_every_action_has_a_name_inputs_and_a_role_by_rules() -> None:
    assert set(ACTIONS) == set(INPUTS) == set(ROLES)
    assert all(callable(find_role(each)) for each in ROLES)
