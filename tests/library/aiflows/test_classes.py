"""Python classes that were written for aiflows 0.1.7, beside a run file."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from flows.core.journal import load
from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.runners.door import resume, run
from tests.library.world import World

pytest.importorskip("aiflows", reason="aiflows is not installed (requirements/aiflows.lock)")

MODULE = '''
from typing import Any, Dict

from aiflows.base_flows import AtomicFlow, CircularFlow, CompositeFlow, SequentialFlow
from aiflows.data_transformations.abstract import DataTransformation
from aiflows.interfaces import KeyInterface


class ReverseFlow(AtomicFlow):
    """Reverses the digits of a number."""

    def run(self, input_data: Dict[str, Any]) -> Dict[str, Any]:
        times = self.flow_state.get("times", 0) + 1
        self.flow_state["times"] = times
        return {"output_number": int(str(input_data["number"])[::-1]), "times": times}


class FailingFlow(AtomicFlow):
    def run(self, input_data):
        raise ValueError("no digits")


class TwiceFlow(SequentialFlow):
    """Its default config lies beside it."""


class LoopFlow(CircularFlow):
    @CircularFlow.input_msg_payload_builder
    def build(self, flow_state, dst_flow):
        return {"number": self.flow_state["number"] + 1}

    @CircularFlow.output_msg_payload_processor
    def read(self, output_payload, src_flow):
        number = output_payload["output_number"]
        return {"number": number, "EARLY_EXIT": self.is_enough(number)}

    def is_enough(self, number):
        return number > 100


class Negate(DataTransformation):
    def __init__(self, key, output_key=None):
        super().__init__(output_key)
        self.key = key

    def __call__(self, goal, data_dict, src_flow, dst_flow):
        data_dict[self.key] = -data_dict[self.key]
        return data_dict


class NoRun(AtomicFlow):
    pass


class Bare(CompositeFlow):
    pass


class UntilSmall(CompositeFlow):
    """Reverses until the number is smaller than `most`; what a step raises is taken."""

    def run(self, input_data):
        number = input_data["number"]
        seen = []
        self.flow_state["calls"] = self.flow_state.get("calls", 0) + 1
        while number >= self.flow_config["most"]:
            message = self._package_input_message(
                payload={"number": number}, dst_flow=self.subflows["reverse"]
            )
            try:
                answer = self.subflows["reverse"](message)
            except Exception:
                return {"number": -1, "seen": seen}
            self._log_message(answer)
            number = answer.data["output_data"]["output_number"] - 1
            seen.append(number)
        if "ask" in self.subflows:
            try:
                seen.append(self.subflows["ask"].run({})["human_input"])
            except Exception:
                return {"number": -1, "seen": seen}
        return {"number": number, "seen": seen, "calls": self.flow_state["calls"]}
'''
TWICE = """
name: ReverseTwice
description: Reverses a number twice.
input_interface: [number]
output_interface: [output_number, times]
subflows_config:
  first: {_target_: numbers_again.ReverseFlow.instantiate_from_default_config,
          name: First, description: Reverses.}
  second: {_target_: numbers_again.ReverseFlow.instantiate_from_default_config,
           name: Second, description: Reverses.}
topology:
  - goal: reverse the number
    input_interface: {_target_: aiflows.interfaces.KeyInterface, keys_to_select: [number]}
    flow: first
    output_interface:
      _target_: aiflows.interfaces.KeyInterface
      keys_to_rename: {output_number: first_output}
      keys_to_select: [first_output]
    reset: false
  - goal: reverse it again
    input_interface:
      _target_: aiflows.interfaces.KeyInterface
      keys_to_rename: {first_output: number}
      keys_to_select: [number]
    flow: second
    reset: false
"""


@pytest.fixture
def numbers(world: World) -> World:
    world.write("numbers_again.py", MODULE)
    return world


def start(world: World, text: str, *overrides: str) -> RunResult:
    file = world.write("my.yaml", dedent(text))
    return run(file, overrides, trust=("numbers_again",))


def test_an_atomic_flow_is_a_step_each_time_it_is_called(numbers: World) -> None:
    result = start(numbers, TWICE, "inputs.number=120")
    assert result.outputs == {"output_number": 12, "times": 1}
    rows = [each.address for each in load(Path(result.folder)) if each.kind == "outcome"]
    assert rows == ["first#1/call#1", "second#1/call#1"]


def test_the_state_of_a_flow_is_folded(numbers: World) -> None:
    text = """
    _target_: aiflows.base_flows.CircularFlow
    name: Again
    description: Reverses over and over.
    max_rounds: 3
    early_exit_key: null
    input_interface: [number]
    output_interface: [number, times]
    subflows_config: {reverse: {_target_: numbers_again.ReverseFlow, description: Reverses.}}
    topology:
      - goal: reverse
        flow: reverse
        output_interface: {keys_to_rename: {output_number: number}}
    """
    result = start(numbers, text, "inputs.number=12")
    assert result.outputs == {"number": 21, "times": 3}


def test_interfaces_that_a_single_flow_has_of_its_own(numbers: World) -> None:
    text = """
    _target_: numbers_again.ReverseFlow.instantiate_from_default_config
    name: ReverseNumber
    description: Reverses a number.
    input_interface: {_target_: aiflows.interfaces.KeyInterface, keys_to_select: [number]}
    output_interface:
      _target_: aiflows.interfaces.KeyInterface
      keys_to_rename: {output_number: reversed_number}
      additional_transformations:
        - {_target_: aiflows.data_transformations.KeyCopy, old_key2new_key: {reversed_number: n}}
        - {_target_: numbers_again.Negate, key: n}
      keys_to_delete: [times]
    """
    outputs = {"reversed_number": 4321, "n": -4321}
    assert start(numbers, text, "+inputs.number=1234").outputs == outputs
    wrong = text.replace("KeyCopy", "KeyCoppy")
    with pytest.raises(ConfigError, match=r"my\.yaml:10:18: output_interface\.additional_transf"):
        start(numbers, wrong, "+inputs.number=1234")


def test_a_composite_takes_the_config_beside_its_class(numbers: World) -> None:
    numbers.write("TwiceFlow.yaml", TWICE)
    text = "_target_: numbers_again.TwiceFlow.instantiate_from_default_config\nname: Mine\n"
    assert start(numbers, text, "inputs.number=120").outputs["output_number"] == 12


def test_decorated_methods_are_interfaces(numbers: World) -> None:
    text = """
    _target_: numbers_again.LoopFlow
    name: Loop
    description: Goes round.
    max_rounds: 9
    input_interface: [number]
    output_interface: [number]
    subflows_config: {reverse: {_target_: numbers_again.ReverseFlow, description: Reverses.}}
    topology:
      - goal: reverse
        flow: reverse
        input_interface: {_target_: LoopFlow.build}
        output_interface: {_target_: LoopFlow.read}
    """
    result = start(numbers, f"{dedent(text)}inputs: {{number: 12}}")  # 13 31 32 23 24 42 43 34
    assert result.status == "unfinished"
    result = start(numbers, f"{dedent(text)}inputs: {{number: 120}}")  # 121 121
    assert (result.status, result.outputs) == ("finished", {"number": 121})


def test_a_class_gets_what_an_interface_makes_and_a_composite_has_keys_of_its_own(
    numbers: World,
) -> None:
    text = """
    _target_: numbers_again.LoopFlow.instantiate_with_overrides
    overrides:
      name: Loop
      description: Goes round.
      max_rounds: 1
      input_interface: [number]
      output_interface: [number]
      colour: blue
      subflows_config:
        reverse: {_target_: numbers_again.ReverseFlow, input_interface: [], description: Reverses.}
      topology:
        - goal: reverse
          flow: reverse
          input_interface: {_target_: aiflows.interfaces.key_interface.KeyInterface}
          output_interface: {_target_: LoopFlow.read}
    inputs: {number: 120}
    """
    assert start(numbers, text).outputs == {"number": 21}


def test_a_data_transformation_of_ones_own(numbers: World) -> None:
    negated = "additional_transformations: [{_target_: numbers_again.Negate, key: number}]}"
    reversed_ = TWICE.replace("keys_to_select: [number]}", negated)
    result = start(numbers, f"{reversed_}inputs: {{number: -12}}")
    assert result.outputs["output_number"] == 12


UNTIL = """
_target_: numbers_again.UntilSmall.instantiate_from_default_config
name: Until
description: Reverses until it is small.
most: 100
input_interface: [number]
subflows_config:
  reverse: {_target_: numbers_again.ReverseFlow.instantiate_from_default_config,
            name: Reverse, description: Reverses.}
inputs: {number: 201}
"""
ASK = """
  ask: {_target_: flow_modules.aiflows.HumanStandardInputFlowModule.HumanStandardInputFlow,
        request_multi_line_input_flag: false, input_interface: [],
        query_message_prompt_template: {template: "Enough?", input_variables: []}}
inputs:"""


def test_each_subflow_that_a_run_of_ones_own_calls_is_a_step(numbers: World) -> None:
    result = start(numbers, UNTIL)  # 201 -> 101, 100 -> 0
    assert result.outputs == {"number": 0, "seen": [101, 100, 0], "calls": 1}, result.reason
    rows = [each.address for each in load(Path(result.folder)) if each.kind == "outcome"]
    assert rows == ["reverse#1/call#1", "reverse#2/call#1", "reverse#3/call#1"]


def test_a_run_of_ones_own_goes_on_after_a_question_with_what_is_recorded(numbers: World) -> None:
    waiting = start(numbers, UNTIL.replace("\ninputs:", ASK), "human=detached")
    assert waiting.status == "waiting", waiting.reason
    done = resume(waiting.run_id, answer="yes", trust=("numbers_again",))
    assert done.outputs == {"number": 0, "seen": [101, 100, 0, "yes"], "calls": 1}, done.reason
    rows = [each.address for each in load(Path(done.folder)) if each.kind == "outcome"]
    assert rows.count("reverse#1/call#1") == 1


def test_an_error_of_the_class_is_that_of_its_step(numbers: World) -> None:
    text = "_target_: numbers_again.FailingFlow\nname: F\ndescription: fails\n"
    result = start(numbers, text)
    assert result.status == "failed"
    assert "call#1: ValueError: no digits" in result.reason


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("NoRun", "NoRun has no run(self, input_data)"),
        ("Bare", "Bare has no run(self, input_data)"),
    ],
)
def test_a_class_that_cannot_be_a_step_is_refused_with_its_line(
    numbers: World, name: str, problem: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        start(numbers, f"_target_: numbers_again.{name}\nname: X\ndescription: x\n")
    assert problem in str(caught.value)
    assert "numbers_again.py:" in str(caught.value)


def test_a_relative_target_is_of_the_package_of_the_class(world: World) -> None:
    """In the default config beside the class, and in the subflows of the file."""
    world.write("adding_pkg/__init__.py", "")
    world.write(
        "adding_pkg/steps.py",
        """
        from aiflows.base_flows import AtomicFlow, SequentialFlow


        class Add(AtomicFlow):
            def run(self, input_data):
                return {"n": input_data["n"] + 1}


        class Both(SequentialFlow):
            pass
        """,
    )
    add = "{_target_: .steps.Add.instantiate_from_default_config, input_interface: [n]}"
    world.write(
        "adding_pkg/Both.yaml",
        f"input_interface: [n]\noutput_interface: [n]\nsubflows_config:\n  a: {add}\n",
    )
    file = world.write(
        "my.yaml",
        "_target_: adding_pkg.steps.Both.instantiate_from_default_config\n"
        f"subflows_config:\n  b: {add}\n"
        "topology: [{goal: a, flow: a}, {goal: b, flow: b}]\ninputs: {n: 1}\n",
    )
    assert run(file, (), trust=("adding_pkg",)).outputs == {"n": 3}


def test_a_default_config_that_only_running_the_code_tells_is_an_error(world: World) -> None:
    world.write(
        "counting.py",
        """
        from aiflows.base_flows import CircularFlow


        class Counting(CircularFlow):
            __default_flow_config = {"max_rounds": len("abc")}
        """,
    )
    with pytest.raises(ConfigError, match=r"counting\.py:6:44: .* write it in Counting\.yaml"):
        start(world, "_target_: counting.Counting.instantiate_from_default_config\n")


def test_a_class_of_a_class_of_another_module_is_one_of_aiflows(world: World) -> None:
    """Also before it may run: its `run(self, input_data)` is what it has to be."""
    world.write(
        "near.py",
        """
        from aiflows.base_flows import AtomicFlow


        class Near(AtomicFlow):
            def run(self, input_data):
                return {"n": 1}
        """,
    )
    world.write(
        "far.py",
        """
        import near


        class Far(near.Near):
            def run(self, input_data):
                return {"n": 2}
        """,
    )
    file = world.write("my.yaml", "_target_: far.Far.instantiate_from_default_config\nname: F\n")
    with pytest.raises(ConfigError, match=r"--trust \./far\.py"):
        run(file, ())
    assert run(file, (), trust=("./far.py",)).outputs == {"n": 2}


def test_nothing_runs_without_trust(numbers: World) -> None:
    file = numbers.write("my.yaml", TWICE)
    with pytest.raises(ConfigError, match=r"--trust \./numbers_again\.py"):
        run(file, ("inputs.number=1",))


def test_importing_it_leaves_no_handler_and_no_cache(numbers: World) -> None:
    start(numbers, TWICE, "inputs.number=1")
    assert logging.getLogger("aiflows").handlers == []
    assert not (numbers.folder / ".flow_cache").exists()


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_it_is_said_what_to_type_where_aiflows_is_missing(world: World) -> None:
    world.write("old_flow.py", "import sys\nsys.modules['aiflows'] = None\nimport aiflows\n")
    world.write("my.yaml", "_target_: old_flow.Flow\n")
    command = [sys.executable, "-m", "flows", "check", "my.yaml", "--trust", "old_flow"]
    ended = subprocess.run(command, cwd=world.folder, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "pip install --no-deps aiflows==0.1.7" in ended.stderr
