"""Circular flows: rounds, early exit, and what is returned when they run out."""

import asyncio
from pathlib import Path

import pytest

from flows.core.events import Notice, RoundStarted, RunEnded, StepStarted
from flows.runners.local import run_plan
from tests.core.running import run_text
from tests.shapes import plan_of

LOOP = """
_target_: circular
name: Loop
max_rounds: 5
input_interface: [n]
output_interface: [n]
subflows_config: {a: {_target_: T.Add}, s: {_target_: T.Stop, at: 3}}
topology: [{goal: add, flow: a}, {goal: stop, flow: s}, {goal: more, flow: a}]
inputs: {n: 0}
"""


def test_ends_in_the_middle_of_a_round(tmp_path: Path) -> None:
    result, events = run_text(LOOP, tmp_path)

    assert (result.status, result.outputs, result.rounds) == ("finished", {"n": 3}, 2)
    steps = [each.address for each in events if isinstance(each, StepStarted)]
    assert steps == ["", "a#1", "s#1", "a#2", "a#3", "s#2"]


def test_rounds_are_told(tmp_path: Path) -> None:
    _, events = run_text(LOOP, tmp_path)

    rounds = [(e.address, e.round, e.max_rounds) for e in events if isinstance(e, RoundStarted)]
    assert rounds == [("", 1, 5), ("", 2, 5)]
    by_step = {e.address: e.round for e in events if isinstance(e, StepStarted)}
    assert by_step == {"": 0, "a#1": 1, "s#1": 1, "a#2": 1, "a#3": 2, "s#2": 2}


def test_out_of_rounds_is_unfinished_with_the_outputs_there_are(tmp_path: Path) -> None:
    result, events = run_text(LOOP, tmp_path, "max_rounds=1")

    assert (result.status, result.exit_code) == ("unfinished", 0)
    assert result.reason == "Loop used up its 1 rounds"
    assert result.outputs == {"n": 2}
    assert [e.reason for e in events if isinstance(e, RunEnded)] == [result.reason]


def test_a_circle_below_says_that_it_ran_out_and_the_run_goes_on(tmp_path: Path) -> None:
    text = f"""
    _target_: sequential
    input_interface: [n]
    subflows_config: {{Loop: {{{LOOP.strip().partition("inputs")[0].replace(chr(10), ", ")}}}}}
    topology: [{{goal: loop, flow: Loop}}]
    inputs: {{n: 0}}
    """
    result, events = run_text(text, tmp_path, "Loop.max_rounds=1")
    assert (result.status, result.outputs) == ("finished", {"n": 2})
    said = [(e.address, e.text) for e in events if isinstance(e, Notice)]
    assert said == [("Loop#1", "Loop used up its 1 rounds")]


def test_a_text_ends_it_for_that_reason(tmp_path: Path) -> None:
    result, _ = run_text(LOOP, tmp_path, "s.reason='the person left'")
    assert (result.status, result.reason) == ("unfinished", "the person left")
    assert result.outputs == {"n": 3}


def test_a_false_value_does_not_end_it(tmp_path: Path) -> None:
    result, _ = run_text(LOOP, tmp_path, "s.at=100", "max_rounds=2")
    assert (result.status, result.rounds) == ("unfinished", 2)


def test_the_key_may_be_among_the_inputs(tmp_path: Path) -> None:
    text = LOOP.replace("input_interface: [n]", "input_interface: [n, EARLY_EXIT]", 1).replace(
        "{n: 0}", "{n: 0, EARLY_EXIT: true}"
    )
    result, _ = run_text(text, tmp_path)
    assert (result.status, result.outputs) == ("finished", {"n": 1})


def test_no_limit_of_rounds(tmp_path: Path) -> None:
    result, events = run_text(LOOP, tmp_path, "max_rounds=null", "s.at=99")
    assert (result.status, result.rounds) == ("finished", 50)
    assert {e.max_rounds for e in events if isinstance(e, RoundStarted)} == {0}


def test_a_run_that_never_waits_can_be_cancelled(tmp_path: Path) -> None:
    text = LOOP.replace("T.Add", "T.Spin").replace("T.Stop, at: 3", "T.Spin")
    plan = plan_of(text, tmp_path, "max_rounds=null", "limits.rounds=1000000000")

    async def run() -> None:
        async with asyncio.timeout(0.2):
            await run_plan(plan, journal=False)

    with pytest.raises(TimeoutError):
        asyncio.run(run())


def test_a_timeout_ends_a_circle_that_never_waits(tmp_path: Path) -> None:
    text = LOOP.replace("T.Add", "T.Spin").replace("T.Stop, at: 3", "T.Spin")
    result, _ = run_text(text, tmp_path, "max_rounds=null", "timeout=0.1")
    assert result.status == "failed"
    assert "Loop took more than 0.1 s" in result.reason
