"""Files of aiflows as run files: the wrapper, the launcher's interfaces, what it fills in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flows.build.default_files import default_files
from flows.core.circular import InRounds
from flows.core.events import StepFinished
from tests.cli.inside import inside
from tests.core.running import problems_of, run_text
from tests.shapes import MODULE, plan_of

FLOW = """
_target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config
name: AddOne
description: Adds one.
private_keys: []
enable_cache: false
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


def test_a_file_of_one_class_is_told_to_name_it(tmp_path: Path) -> None:
    (problem,) = problems_of(f"name: Alone\ndescription: It is.{SIDES}", tmp_path)
    assert problem[1:3] == (1, 1)
    assert "_target_=MODULE.CLASS" in problem[3]


def test_a_fault_has_the_place_in_the_file(tmp_path: Path) -> None:
    wrong = f"{SIDES}flow:{INSIDE}".replace("max_rounds: 1", "max_rounds: 2")
    (problem,) = problems_of(wrong, tmp_path)
    assert problem[0] == "subflows_config.flow.max_rounds"
    assert problem[1] is not None
    assert wrong.splitlines()[problem[1] - 1].strip() == "max_rounds: 2"


def test_a_key_that_is_unknown_is_told_and_taken_as_in_aiflows(tmp_path: Path) -> None:
    text = f"{FLOW}max_roundz: 3\ninputs: {{n: 1}}\n".replace("reset: false", "resett: false")
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"n": 2}
    (tmp_path / "my.yaml").write_text(text.replace("T.", f"{MODULE}."))
    shown = inside("check", "my.yaml", "--trust", "tests", cwd=tmp_path).out
    line = text.splitlines().index("max_roundz: 3") + 1
    said = "aiflows takes it, and nothing reads it; did you mean"
    assert f"my.yaml:{line}:13: max_roundz: unknown key 'max_roundz': {said} 'max_rounds'?" in shown
    assert f"topology.0.resett: unknown key 'resett': {said} 'reset'?" in shown
    told = inside("check", "my.yaml", "--compat", "--trust", "tests", cwd=tmp_path).out
    assert re.search(rf"no effect +my.yaml:{line}:\d+ max_roundz: nothing reads it", told)


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
    assert find("tools.executor").parts == ()
    (tmp_path / "planner.yaml").write_text("unknown_key: 1\n")
    assert find("csv_chat.planner").parts == ()


TWICE = """
{compat}
_target_: aiflows.base_flows.CircularFlow
max_rounds: 2
early_exit_key: null
input_interface: [n]
output_interface: [n, seen]
subflows_config:
  inner:
    _target_: aiflows.base_flows.SequentialFlow
    input_interface: [n]
    early_exit_key: DONE
    subflows_config:
      add: {{_target_: T.Add, name: another name}}
      more: {{_target_: T.Add, amount: 10}}
    topology:
      - {{goal: add, flow: add, output_interface: {{keys_to_copy: {{n: first}}}}}}
      - {{goal: add more, flow: more, output_interface: {{keys_to_set: {{DONE: {done}}}}}}}
topology:
  - goal: add
    flow: inner
    input_interface: {{keys_to_select: [n]}}
    output_interface: {{keys_to_copy: {{first: seen}}}}
    reset: {reset}
inputs: {{n: 1}}
"""


@pytest.mark.parametrize(
    ("compat", "reset", "done", "n", "calls"),
    [
        ("", "false", "stop", 23, ["add#1", "more#1", "add#1", "more#1"]),
        ("compat: aiflows-0.1", "false", "stop", 13, ["add#1", "more#1", "add#1"]),
        ("compat: aiflows-0.1", "true", "stop", 23, ["add#1", "more#1", "add#1", "more#1"]),
        ("compat: aiflows-0.1", "false", "''", 23, ["add#1", "more#1", "add#1", "more#1"]),
    ],
)
def test_whether_an_early_exit_of_the_last_call_ends_the_next(
    compat: str, reset: str, done: str, n: int, calls: list[str], tmp_path: Path
) -> None:
    text = TWICE.format(compat=compat, reset=reset, done=done)
    result, events = run_text(text, tmp_path)
    assert (result.status, result.outputs["n"]) == ("finished", n)
    done_ = [each.address for each in events if isinstance(each, StepFinished)]
    assert [each.rpartition("/")[2] for each in done_ if each.count("/") == 1] == calls


@pytest.mark.parametrize(("reset", "kept"), [("false", {"kept": "so"}), ("true", {})])
def test_a_composite_keeps_its_state_until_it_is_reset(
    reset: str, kept: dict[str, str], tmp_path: Path
) -> None:
    text = f"""
    _target_: aiflows.base_flows.SequentialFlow
    input_interface: [n, word]
    output_interface: [n, kept]
    subflows_config:
      inner:
        _target_: aiflows.base_flows.SequentialFlow
        subflows_config: {{add: {{_target_: T.Add}}}}
        topology: [{{goal: add, flow: add}}]
    topology:
      - {{goal: add, flow: inner, input_interface: {{keys_to_select: [n, word]}}, reset: {reset}}}
      - goal: add
        flow: inner
        input_interface: {{keys_to_select: [n]}}
        output_interface: {{keys_to_rename: {{word: kept}}}}
    inputs: {{n: 1, word: so}}
    """
    result, _ = run_text(text, tmp_path, journal=True)
    assert result.outputs == {"n": 3, **kept}


def test_the_step_of_a_launcher_is_counted(tmp_path: Path) -> None:
    text = f"{SIDES}flow:{INSIDE}\ninputs: {{number: 5}}".replace("T.", f"{MODULE}.")
    (tmp_path / "my.yaml").write_text(text)
    shown = inside("check", "my.yaml", "--trust", "tests", cwd=tmp_path).out
    assert re.search(r"steps +2:", shown), shown
    assert re.search(r"model calls +none", shown)


def test_a_list_takes_the_place_of_the_default(tmp_path: Path) -> None:
    text = """
    _target_: flow_modules.aiflows.ControllerExecutorFlowModule.ControllerExecutorFlow
    output_interface: [answer]
    topology:
      - goal: choose
        flow: Controller
        output_interface: {_target_: ControllerExecutorFlow.detect_finish_or_continue}
    subflows_config:
      Controller: {commands: {finish: {description: ends it}}}
      Executor: {subflows_config: {say: {_target_: T.Echo}}}
    """
    plan = plan_of(text, tmp_path)
    assert isinstance(plan.flow, InRounds)
    assert [step.goal for step in plan.flow.rounds.steps] == ["choose"]
    assert plan.flow.output_names() == {"answer"}


def test_an_early_exit_key_of_the_defaults_needs_no_step_that_gives_it(tmp_path: Path) -> None:
    text = """
    _target_: flow_modules.aiflows.ControllerExecutorFlowModule.ControllerExecutorFlow
    output_interface: [command]
    topology:
      - {goal: choose, flow: Controller}
    subflows_config:
      Controller: {commands: {finish: {description: ends it}}}
      Executor: {subflows_config: {say: {_target_: T.Echo}}}
    """
    plan_of(text, tmp_path)
    asked = text.replace("topology:", "early_exit_key: EARLY_EXIT\n    topology:")
    [(path, *_, problem)] = problems_of(asked, tmp_path)
    assert path == "early_exit_key"
    assert problem.startswith("no step gives the key 'EARLY_EXIT'")


@pytest.mark.parametrize("compat", ["", "compat: aiflows-0.1\n"])
def test_a_prompt_is_interpolated_once(compat: str, tmp_path: Path) -> None:
    text = (
        f"{compat}_target_: flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow\n"
        "inputs: {}\nfixed_reply: it costs "
    )
    result, _ = run_text(rf"{text}\${{5}}", tmp_path)
    assert result.outputs == {"fixed_reply": "it costs ${5}"}
    (problem,) = problems_of(f"{text}${{5}}", tmp_path)
    assert problem[:3] == ("fixed_reply", text.count("\n") + 1, 14)
