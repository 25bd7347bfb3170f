"""Branching flows: one of several subflows."""

from pathlib import Path

from flows.core.events import StepStarted
from tests.core.running import run_text
from tests.flows_for_tests import EXECUTED

FORK = """
_target_: branching
name: Fork
subflows_config: {left: {_target_: T.Add}, right: {_target_: T.Double}}
inputs: {branch: left, branch_input_data: {n: 4}}
"""


def test_only_the_branch_is_called(tmp_path: Path) -> None:
    result, events = run_text(FORK, tmp_path, "inputs.branch=right")
    assert result.outputs == {"branch_output_data": {"n": 8}}
    assert [e.address for e in events if isinstance(e, StepStarted)] == ["", "right#1"]


def test_an_unknown_branch_runs_nothing_and_names_the_nearest(tmp_path: Path) -> None:
    EXECUTED.clear()
    result, _ = run_text(FORK, tmp_path, "inputs.branch=rihgt")
    assert result.status == "failed"
    assert "Fork has no branch 'rihgt', did you mean 'right'? (branches: left, right)" in (
        result.reason
    )
    assert EXECUTED == []


def test_what_a_branch_does_not_take_is_an_error(tmp_path: Path) -> None:
    result, _ = run_text(FORK, tmp_path, "inputs.branch_input_data={n: 1, m: 2}")
    assert result.status == "failed"
    assert "unknown input 'm'" in result.reason
    assert "left#1" in result.reason


def test_branches_keep_their_own_state(tmp_path: Path) -> None:
    text = """
    _target_: sequential
    input_interface: [one, two]
    output_interface: [x, y]
    subflows_config:
      Fork: {_target_: branching, subflows_config: {a: &k {_target_: T.Accumulate}, b: *k}}
    topology:
      - &call
        goal: call
        flow: Fork
        input_interface:
          keys_to_rename: {one: branch_input_data.n}
          keys_to_set: {branch: a}
          keys_to_select: [branch, branch_input_data]
        output_interface: {keys_to_rename: {branch_output_data.calls: x}}
      - goal: call
        flow: Fork
        input_interface:
          keys_to_rename: {two: branch_input_data.n}
          keys_to_set: {branch: b}
          keys_to_select: [branch, branch_input_data]
        output_interface: {keys_to_rename: {branch_output_data.calls: y}}
    inputs: {one: 1, two: 2}
    """
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"x": (1,), "y": (2,)}


def test_a_limit_leaves_what_the_branch_had(tmp_path: Path) -> None:
    text = """
    _target_: branching
    subflows_config:
      loop:
        _target_: circular
        input_interface: [n]
        subflows_config: {a: {_target_: T.Add}}
        topology: [{goal: add, flow: a}]
    limits: {rounds: 2}
    inputs: {branch: loop, branch_input_data: {n: 0}}
    """
    result, _ = run_text(text, tmp_path)
    assert result.status == "unfinished"
    assert result.outputs == {"branch_output_data": {"n": 2}}
