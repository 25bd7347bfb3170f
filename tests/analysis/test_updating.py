"""What the shared memory makes of the open tasks after what was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from flows.analysis.team import task_updates
from flows.semantics.inference.model import infer_model
from tests.analysis.business import AGENTS, Business, agents, open_business

SQL, PYTHON, MODEL, PLOT, INSIGHTS = AGENTS

EXTRACT = (
    SQL, 'Extract the "on_road_time" and "efficiency" columns from the "carrier_metrics" table in '
    "the database.", None,
)  # fmt: skip
CORRELATE = (PYTHON, 'Calculate the correlation between "on_road_time" and "efficiency".', 0)
SCATTER = (
    PLOT, 'Generate a scatter plot with "on_road_time" on the x-axis and "efficiency" on the '
    "y-axis to visualize the relationship between these two variables.", 1,
)  # fmt: skip
TELL = (
    INSIGHTS, 'Generate insights on how "on_road_time" affects the "efficiency" of a carrier based '
    "on the correlation and the scatter plot.", 1,
)  # fmt: skip
ROWS = ("on_road_time", "efficiency")
COEFFICIENTS = ("first", "second", "correlation", "p_value", "rows")
Entry = tuple[str, str, int | None]


@pytest.fixture(scope="module")
def business(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Business]:
    with open_business(tmp_path_factory.mktemp("business")) as opened:
        yield opened


def task(number: int, entry: Entry) -> dict[str, Any]:
    name, text, on = entry
    return {"task_id": number, "name": name, "description": text, "data_dependency": on}


def outcome(
    number: int, entry: Entry, columns: Sequence[str] = (), status: str = "done"
) -> dict[str, Any]:
    name, text, on = entry
    return {
        "task_id": number, "name": name, "agent_description": "", "sub_task": text,
        "data_dependency": on, "status": status, "response": "", "columns": tuple(columns),
        "table": f"result_{number}" if columns else "",
    }  # fmt: skip


def updated(
    business: Business, tasks: list[dict[str, Any]], conversation: list[dict[str, Any]],
    which: str = "logistics",
) -> dict[str, Any]:  # fmt: skip
    tables = business.tables(which)
    given = {
        "question": "",
        "agents": agents(),
        "tasks": tasks,
        "conversation": conversation,
        "semantic_model": infer_model(tables),
    }
    reply = task_updates.update(given, tables)
    for each in reply["tasks"]:  # what the words were read as
        each.pop("request", None)
    return reply


@pytest.mark.long("whole analyses over their data")
def test_the_worked_example_insights_move_to_the_data_after_a_chart_failed(
    business: Business,
) -> None:
    said = [
        outcome(0, EXTRACT, ROWS),
        outcome(1, CORRELATE, COEFFICIENTS),
        outcome(2, SCATTER, status="failed"),
    ]
    reply = updated(business, [task(3, TELL)], said)
    assert reply["tasks"] == [{**task(3, TELL), "data_dependency": 0}]
    assert len(reply["changes"]) == 1
    assert "task 2 failed" in reply["changes"][0]


def test_a_list_without_problems_stays_as_it_is(business: Business) -> None:
    said = [outcome(0, EXTRACT, ROWS)]
    tasks = [task(1, CORRELATE), task(2, (PLOT, SCATTER[1], 0)), task(3, TELL)]
    assert updated(business, tasks, said) == {"tasks": tasks, "changes": []}


def test_a_dependency_that_was_assigned_wrongly_is_moved_before_it_fails(
    business: Business,
) -> None:
    said = [outcome(0, EXTRACT, ROWS), outcome(1, CORRELATE, COEFFICIENTS)]
    reply = updated(business, [task(2, SCATTER), task(3, TELL)], said)
    assert [each["data_dependency"] for each in reply["tasks"]] == [0, 1]


def test_what_waits_for_a_failed_task_goes_to_the_nearest_that_is_done(business: Business) -> None:
    said = [outcome(0, EXTRACT, ROWS), outcome(1, CORRELATE, status="failed")]
    reply = updated(business, [task(3, TELL)], said)
    assert [each["data_dependency"] for each in reply["tasks"]] == [0]


def test_insights_of_a_chart_are_had_of_its_data(business: Business) -> None:
    said = [outcome(0, EXTRACT, ROWS), outcome(2, (PLOT, SCATTER[1], 0))]
    reply = updated(business, [task(3, (INSIGHTS, TELL[1], 2))], said)
    assert [each["data_dependency"] for each in reply["tasks"]] == [0]


def test_a_failed_extraction_that_others_need_is_replaced_by_a_simpler_one(
    business: Business,
) -> None:
    said = [outcome(0, EXTRACT, status="failed")]
    reply = updated(business, [task(1, CORRELATE), task(3, TELL)], said)
    new, correlate, tell = reply["tasks"]
    assert new["name"] == SQL
    assert new["task_id"] not in (0, 1, 3)
    assert new["description"] == "Get all rows of carrier metrics."
    assert correlate["data_dependency"] == new["task_id"]
    assert tell["data_dependency"] == 1


def test_a_replacement_that_failed_too_is_not_tried_again(business: Business) -> None:
    plain: Entry = (SQL, 'Extract all the data from the "carrier_metrics" table.', None)
    said = [outcome(0, EXTRACT, status="failed"), outcome(4, plain, status="failed")]
    reply = updated(business, [task(1, (PYTHON, CORRELATE[1], 4))], said)
    assert not any(each["name"] == SQL for each in reply["tasks"])
    assert all(each["data_dependency"] is None for each in reply["tasks"])


def test_a_task_that_failed_is_not_given_again(business: Business) -> None:
    said = [outcome(0, EXTRACT, ROWS), outcome(2, SCATTER, status="failed")]
    again = (PLOT, SCATTER[1].upper().rstrip("."), 0)
    reply = updated(business, [task(5, again)], said)
    assert reply["tasks"] == []
    assert "failed" in reply["changes"][0]


def test_a_task_that_cannot_be_read_is_left_to_its_agent(business: Business) -> None:
    said = [outcome(0, EXTRACT, ROWS)]
    odd: Entry = (PYTHON, 'Calculate the correlation between "moon_phase" and "efficiency".', 0)
    reply = updated(business, [task(1, odd), task(3, TELL)], said)
    assert [each["task_id"] for each in reply["tasks"]] == [1, 3]


def test_tasks_that_are_done_are_not_in_the_reply(business: Business) -> None:
    said = [outcome(0, EXTRACT, ROWS)]
    reply = updated(business, [task(0, EXTRACT), task(1, CORRELATE)], said)
    assert [each["task_id"] for each in reply["tasks"]] == [1]
