"""Sequential flows: steps in order, once."""

from pathlib import Path

import pytest

from flows.core.events import StepStarted
from tests.core.running import run_text

LINE = """
_target_: sequential
input_interface: [n]
subflows_config: {a: {_target_: T.Add}, s: {_target_: T.Stop, at: 2}, b: {_target_: T.Double}}
topology: [{goal: add, flow: a}, {goal: stop, flow: s}, {goal: double, flow: b}]
inputs: {n: 1}
"""


def test_in_order_once(tmp_path: Path) -> None:
    result, events = run_text(LINE, tmp_path)
    assert result.outputs == {"n": 4, "EARLY_EXIT": True}
    steps = [(e.address, e.goal, e.round) for e in events if isinstance(e, StepStarted)]
    assert steps[1:] == [("a#1", "add", 0), ("s#1", "stop", 0), ("b#1", "double", 0)]


def test_ends_early_only_when_it_has_a_key_for_it(tmp_path: Path) -> None:
    result, _ = run_text(LINE, tmp_path, "early_exit_key=EARLY_EXIT")
    assert (result.status, result.outputs["n"]) == ("finished", 2)


def test_ends_early_for_a_reason(tmp_path: Path) -> None:
    result, _ = run_text(LINE, tmp_path, "early_exit_key=EARLY_EXIT", "s.reason=enough")
    assert (result.status, result.reason, result.outputs["n"]) == ("unfinished", "enough", 2)


@pytest.mark.parametrize(("overrides", "n"), [((), 4), (("inputs.n=5",), 12)])
def test_inputs_are_the_first_state(tmp_path: Path, overrides: tuple[str, ...], n: int) -> None:
    result, _ = run_text(LINE, tmp_path, *overrides)
    assert result.outputs["n"] == n


def test_none_replaces_a_value(tmp_path: Path) -> None:
    """aiflows keeps the old value; ours says what the step said."""
    text = """
    _target_: sequential
    input_interface: [value]
    subflows_config: {e: {_target_: T.Echo}}
    topology:
      - {goal: clear, flow: e, input_interface: {keys_to_set: {value: null}}}
    inputs: {value: old}
    """
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"value": None}


def test_a_failing_step_ends_it(tmp_path: Path) -> None:
    text = LINE.replace("T.Stop, at: 2", "T.Fail, error: ToolError")
    result, events = run_text(text, tmp_path)
    assert (result.status, result.exit_code, result.outputs) == ("failed", 4, {})
    assert result.reason == "s#1: ToolError: the network is away"
    assert not [e for e in events if isinstance(e, StepStarted) and e.address == "b#1"]
