"""Files of aiflows as run files: the wrapper, the launcher's interfaces, what it fills in."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.build.default_files import default_files
from tests.core.running import problems_of, run_text

FLOW = """
_target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config
name: AddOne
description: Adds one.
private_keys: []
enable_cache: true
max_rounds: 1
input_interface: [n]
output_interface: [n]
subflows_config:
  first: {_target_: T.Add}
topology:
  - goal: add
    flow: first
    input_interface:
      _target_: aiflows.interfaces.KeyInterface
      additional_transformations: [{_target_: aiflows.data_transformations.KeyMatchInput}]
    reset: false
"""
INSIDE = FLOW.replace("\n", "\n  ")
SIDES = """
input_interface:
  _target_: aiflows.interfaces.KeyInterface
  keys_to_rename: {number: n}
output_interface:
  _target_: aiflows.interfaces.KeyInterface
  keys_to_rename: {n: answer}
"""


def test_a_bare_flow_runs(tmp_path: Path) -> None:
    result, _ = run_text(f"{FLOW}inputs: {{n: 1}}", tmp_path)
    assert result.outputs == {"n": 2}


def test_a_flow_in_the_wrapper_runs(tmp_path: Path) -> None:
    result, _ = run_text(f"flow:{INSIDE}\ninputs: {{n: 1}}", tmp_path)
    assert result.outputs == {"n": 2}


def test_the_interfaces_of_the_launcher_are_applied(tmp_path: Path) -> None:
    result, _ = run_text(f"{SIDES}flow:{INSIDE}\ninputs: {{number: 5, id: 0}}", tmp_path)
    assert result.outputs == {"answer": 6}


def test_a_file_without_a_class_takes_that_of_its_topology(tmp_path: Path) -> None:
    bare = "\n".join(FLOW.splitlines()[2:])
    result, _ = run_text(f"{bare}\ninputs: {{n: 1}}", tmp_path)
    assert result.outputs == {"n": 2}


def test_a_fault_has_the_place_in_the_file(tmp_path: Path) -> None:
    wrong = f"{SIDES}flow:{INSIDE}".replace("max_rounds: 1", "max_roundz: 1")
    (problem,) = problems_of(wrong, tmp_path)
    assert problem[0] == "subflows_config.flow.max_roundz"
    assert problem[1] is not None
    assert wrong.splitlines()[problem[1] - 1].strip() == "max_roundz: 1"


@pytest.mark.parametrize(("compat", "value"), [("", None), ("compat: aiflows-0.1\n", 7)])
def test_whether_none_overwrites_a_key(compat: str, value: int | None, tmp_path: Path) -> None:
    text = f"""
    {compat}
    _target_: aiflows.base_flows.SequentialFlow
    input_interface: [value, nothing]
    output_interface: [value]
    subflows_config: {{echo: {{_target_: T.Echo}}}}
    topology:
      - goal: echo
        flow: echo
        input_interface: {{keys_to_rename: {{nothing: value}}}}
    inputs: {{value: 7, nothing: null}}
    """
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"value": value}


ROUNDS = """
{compat}
_target_: aiflows.base_flows.CircularFlow
max_rounds: 1
input_interface: [n]
output_interface: [n, answer]
subflows_config: {{first: {{_target_: T.Add}}}}
topology:
  - {{goal: add, flow: first, output_interface: {{{sink}}}}}
inputs: {{n: 1}}
"""


def test_an_output_that_no_step_has_set(tmp_path: Path) -> None:
    text = ROUNDS.replace("[n, answer]", "[n, made.answer]")
    sink = "keys_to_set: {made: {}}"
    result, _ = run_text(text.format(compat="", sink=sink), tmp_path)
    assert (result.status, result.outputs) == ("unfinished", {"n": 2})
    result, _ = run_text(text.format(compat="compat: aiflows-0.1", sink=sink), tmp_path)
    assert result.status == "failed"
    assert "no step has set the output made.answer" in result.reason


def test_a_step_that_returns_nothing(tmp_path: Path) -> None:
    text = ROUNDS.replace("[n, answer]", "[n]")
    sink = "keys_to_delete: [n]"
    result, _ = run_text(text.format(compat="", sink=sink), tmp_path)
    assert result.outputs == {"n": 1}
    result, _ = run_text(text.format(compat="compat: aiflows-0.1", sink=sink), tmp_path)
    assert result.status == "failed"
    assert "the step returned nothing" in result.reason


def test_a_file_beside_the_run_file_is_no_default_config_of_ours(tmp_path: Path) -> None:
    (tmp_path / "executor.yaml").write_text("unknown_key: 1\n")
    find = default_files(tmp_path)
    assert find("tools.executor") is None
    (tmp_path / "planner.yaml").write_text("unknown_key: 1\n")
    assert find("csv_chat.planner") is None
