"""The sandbox of a plan: made once, off only when that was typed, a stand-in for a replay."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.core.sandbox import Sandbox
from flows.errors import ConfigError
from tests.sandbox.flow_for_tests import RunCode

FLOW = """\
_target_: sequential
input_interface: [code]
output_interface: [text]
inputs: {code: "print(6 * 7)"}
subflows_config:
  one: {_target_: tests.sandbox.flow_for_tests.RunCode}
  two: {_target_: tests.sandbox.flow_for_tests.RunCode}
topology: [{goal: a, flow: one}, {goal: b, flow: two}]
"""


def plan_of(tmp_path: Path, text: str = "", *overrides: str) -> RunPlan:
    (tmp_path / "run.yaml").write_text(FLOW + text)
    return build(tmp_path / "run.yaml", overrides, trust=("tests",))[0]


def box(plan: RunPlan, name: str) -> Sandbox:
    flow = plan.flow.children()[name]
    assert isinstance(flow, RunCode)
    return flow.sandbox


def test_all_flows_of_a_plan_have_one_sandbox(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    assert box(plan, "one") is box(plan, "two")
    assert box(plan, "one") in plan.services
    asyncio.run(plan.aclose())


def test_what_a_limit_of_the_sandbox_must_be_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="second") as caught:
        plan_of(tmp_path, "sandbox:\n  second: 3\n")
    assert "run.yaml:10:3" in str(caught.value)
    assert caught.value.meant == "seconds"


@pytest.mark.parametrize("word", ["off", "'off'", "false", "${inputs.word}"])
def test_no_file_turns_the_sandbox_off(tmp_path: Path, word: str) -> None:
    with pytest.raises(ConfigError, match="off has to be typed") as caught:
        plan_of(tmp_path, f"sandbox:\n  mode: {word}\n", "+inputs.word='off'")
    error = caught.value
    assert error.place
    assert (error.place.line, error.place.column) == (10, 9)
    assert error.place.origin.endswith("run.yaml")
    assert error.path == "sandbox.mode"
    assert error.allowed == ("standard", "strict")


def test_no_config_group_turns_the_sandbox_off(tmp_path: Path) -> None:
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "sandbox" / "free.yaml").write_text("seconds: 5\nmode: 'off'\n")
    with pytest.raises(ConfigError, match="off has to be typed") as caught:
        plan_of(tmp_path, "", "sandbox=free")
    assert caught.value.place
    assert caught.value.place.origin.endswith("free.yaml")
    assert (caught.value.place.line, caught.value.place.column) == (2, 7)
    with pytest.raises(ConfigError, match="off has to be typed"):
        plan_of(tmp_path, "defaults: [{sandbox: free}, _self_]\n")


@pytest.mark.parametrize("typed", ["sandbox.mode=off", "sandbox={mode: off}", "sandbox.mode='off'"])
def test_off_can_be_typed(tmp_path: Path, typed: str) -> None:
    plan = plan_of(tmp_path, "sandbox:\n  mode: strict\n", typed)
    assert plan.spec["sandbox"]["mode"] == "off"
    assert plan.strict is None
    asyncio.run(plan.aclose())


def test_a_strict_run_looks_at_its_walls_before_it_begins(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "", "sandbox.mode=strict")
    assert plan.strict is box(plan, "one")
    asyncio.run(plan.aclose())
