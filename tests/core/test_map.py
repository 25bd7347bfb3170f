"""Maps: one subflow for each element, in order, apart from each other, and taken up again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.cli.mermaid import flowchart
from flows.core.events import Notice, StepStarted
from flows.core.map import ElementFailure
from flows.runners.local import run_plan
from tests.core.running import problems_of, run_text
from tests.flows_for_tests import EXECUTED
from tests.shapes import plan_of

MAP = """
_target_: map
over: numbers
as: n
collect: n
subflows_config: {{each: {each}}}
inputs: {{numbers: {numbers}}}
{more}
"""


def of(each: str, numbers: object = "[1, 2, 3]", more: str = "") -> str:
    return MAP.format(each=each, numbers=numbers, more=more)


def reason_of(text: str, folder: Path) -> str:
    """Why a run of the text failed."""
    result, _ = run_text(text, folder)
    assert result.status == "failed"
    return result.reason


def test_results_stand_in_the_order_of_the_elements(tmp_path: Path) -> None:
    numbers = list(range(200))
    result, events = run_text(of("{_target_: T.Double}", numbers), tmp_path)
    assert result.outputs["results"] == tuple(2 * n for n in numbers)
    begun = [each for each in events if isinstance(each, StepStarted) and each.address]
    assert {each.address: each.inputs["n"] for each in begun} == {
        f"each#{n + 1}": n for n in numbers
    }


def test_as_many_at_once_as_allowed(tmp_path: Path) -> None:
    text = of("{_target_: T.Sleep, seconds: 0.05}", [1] * 8, "max_concurrency: 4")
    _, events = run_text(text, tmp_path)
    inside = most = 0
    for event in events:
        if getattr(event, "address", ""):
            inside += 1 if isinstance(event, StepStarted) else -1
            most = max(most, inside)
    assert most == 4


def test_a_failure_ends_the_map(tmp_path: Path) -> None:
    EXECUTED.clear()
    text = of("{_target_: T.Fail}", [1] * 50, "max_concurrency: 2")
    assert "each#1: ValueError: no good" in reason_of(text, tmp_path)
    assert len(EXECUTED) <= 2


def test_failures_are_kept_in_their_places(tmp_path: Path) -> None:
    text = of("{_target_: T.Fail, times: 0}", "[1]", "on_failure: keep")
    result, _ = run_text(text, tmp_path)
    assert result.outputs["results"] == (2,)

    text = of("{_target_: T.Double}", "[1, two, 3]", "on_failure: keep")
    result, events = run_text(text, tmp_path)
    assert result.outputs["results"] == (2, None, 6)
    (failure,) = result.outputs["failures"]
    assert isinstance(failure, ElementFailure)
    assert failure.index == 1
    assert "input 'n'" in failure.error
    (told,) = [each.text for each in events if isinstance(each, Notice)]
    assert "1 of 3 elements failed; the first is number 2" in told


def test_the_others_go_on_when_one_waits_for_a_person(tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    text = of(
        f"""{{_target_: branching, subflows_config: {{
             ask: {{_target_: T.Ask, answer: {answer}}}, add: {{_target_: T.Add}}}}}}""",
        """[{branch: add, branch_input_data: {n: 1}}, {branch: ask, branch_input_data: {n: 1}},
            {branch: add, branch_input_data: {n: 3}}]""",
    ).replace("as: n\ncollect: n", "max_concurrency: 1")
    plan = plan_of(text, tmp_path)
    EXECUTED.clear()
    waiting = asyncio.run(run_plan(plan, run_id="r"))
    assert waiting.status == "waiting"
    assert EXECUTED == ["each#1/add#1", "each#2/ask#1", "each#3/add#1"]
    answer.write_text("5")
    EXECUTED.clear()
    done = asyncio.run(run_plan(plan, run_id="r", resume=True))
    assert [each["branch_output_data"]["n"] for each in done.outputs["results"]] == [2, 6, 4]
    assert EXECUTED == ["each#2/ask#1"]


def test_it_goes_over_the_rows_of_a_table_that_the_run_keeps(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,n\nnorth,3\nsouth,4\n")
    text = """
    _target_: sequential
    input_interface: [sql]
    output_interface: [results]
    data: {sales: sales.csv}
    inputs: {sql: "SELECT region, n FROM sales ORDER BY n DESC"}
    subflows_config:
      rows: {_target_: query}
      each:
        _target_: map
        over: observation
        as: value
        collect: value
        subflows_config: {row: {_target_: T.Echo}}
    topology: [{goal: read, flow: rows}, {goal: each, flow: each}]
    """
    result, _ = run_text(text, tmp_path)
    assert result.outputs["results"] == (
        {"region": "south", "n": 4},
        {"region": "north", "n": 3},
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("5", "the input 'numbers' is no list and no table, but a int"),
        ("nowhere", "this run has no artifact 'nowhere'"),
    ],
)
def test_what_is_no_list_is_refused(given: str, message: str, tmp_path: Path) -> None:
    assert message in reason_of(of("{_target_: T.Add}", given), tmp_path)


def test_without_a_name_an_element_is_its_inputs(tmp_path: Path) -> None:
    text = of("{_target_: T.Add}", "[{n: 1}, {n: 2, other: 3}]").replace("as: n\n", "")
    result, _ = run_text(text, tmp_path)
    assert result.outputs["results"] == (2, 3)
    bare = of("{_target_: T.Add}", "[1]").replace("as: n\n", "")
    assert "element 1 is a int" in reason_of(bare, tmp_path)


def test_a_longer_list_than_allowed_is_refused_before_it_begins(tmp_path: Path) -> None:
    EXECUTED.clear()
    text = of("{_target_: T.Add}", more="max_elements: 2")
    assert "has 3 elements (at most 2)" in reason_of(text, tmp_path)
    assert EXECUTED == []


def test_what_is_wrong_is_found_before_it_runs(tmp_path: Path) -> None:
    wrong = """
    _target_: map
    input_interface: [numbers]
    over: nombers
    as: m
    subflows_config: {a: {_target_: T.Add}, b: {_target_: T.Add}}
    """
    problems = {path: text for path, _, _, text in problems_of(wrong, tmp_path)}
    assert problems["over"] == "the map has no input 'nombers' to go over"
    assert problems["subflows_config"] == "a map has one subflow, and there are 2"
    wrong = """
    _target_: map
    over: numbers
    as: m
    collect: k
    subflows_config: {a: {_target_: T.Add}}
    """
    texts = [text for _, _, _, text in problems_of(wrong, tmp_path)]
    assert texts == ["a has no input 'm'", "a has no output 'k'"]


def test_the_worst_case_is_bounded_by_the_elements(tmp_path: Path) -> None:
    text = """
    _target_: map
    over: questions
    as: question
    model: {_target_: model.offline}
    subflows_config: {c: {_target_: chat}}
    inputs: {questions: []}
    """
    assert plan_of(text, tmp_path).worst_case.calls == float("inf")
    assert plan_of(text, tmp_path, "+max_elements=7").worst_case.calls == 7


def test_it_is_drawn(tmp_path: Path) -> None:
    drawn = flowchart(plan_of(of("{_target_: T.Add}"), tmp_path).flow)
    assert '==>|"each of numbers"|' in drawn
