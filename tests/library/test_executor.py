"""Carrying commands out: what they give, and how they fail, is an observation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from flows.build.builder import build
from flows.core.flow import AtomicConfig, AtomicFlow, Parts, Ports
from flows.library.autogpt.executor import ExecutorFlow, arguments_of
from tests.library.world import World

LINE = """\
_target_: sequential
name: Line
input_interface: [branch, branch_input_data]
subflows_config:
  Executor:
    _target_: executor
    subflows_config:
      bad: {_target_: tests.library.commands.Raise, SETTINGS}
      give: {_target_: tests.library.commands.Give}
      nothing: {_target_: tests.library.commands.Nothing}
      say: {_target_: tests.library.commands.Say}
      finish: {_target_: finish}
topology: [{goal: Do it, flow: Executor}]
"""


def carry_out(world: World, branch: str, settings: str = "retry: {}", **data: Any) -> Any:
    text = LINE.replace("SETTINGS", settings)
    return world.run(text, inputs={"branch": branch, "branch_input_data": data})


@pytest.mark.parametrize("error", ["ToolError", "SourceError", "QueryRefused", "QueryFailed"])
def test_an_error_of_a_command_is_an_observation(world: World, error: str) -> None:
    result = carry_out(world, "bad", f"error: {error}")
    assert world.observations() == [("error", "bad failed: it did not work, for a reason")]
    assert (result.status, result.exit_code) == ("degraded", 0)
    assert "all 1 commands failed" in result.reason


def test_a_command_that_takes_too_long(world: World) -> None:
    carry_out(world, "bad", "seconds: 30, timeout: 0.05")
    assert world.observations() == [("error", "bad failed: bad took more than 0.05 s")]


def test_a_transient_error_is_tried_again_first(world: World) -> None:
    carry_out(world, "bad", "retry: {attempts: 3, wait: 0}")
    retries = [each for each in world.events if type(each).__name__ == "Retrying"]
    assert len(retries) == 2
    assert world.observations()[0][0] == "error"


@pytest.mark.parametrize(
    ("error", "code"), [("ModelUnreachable", 3), ("RecallError", 4), ("ValueError", 4)]
)
def test_what_is_no_fault_of_the_command_fails_the_run(world: World, error: str, code: int) -> None:
    result = carry_out(world, "bad", f"error: {error}")
    assert (result.status, result.exit_code) == ("failed", code)
    assert "Executor#1/bad#1" in result.reason
    assert world.observations() == []


@pytest.mark.parametrize(
    ("branch", "data", "said"),
    [
        ("gife", {}, "no branch 'gife', did you mean 'give'? (branches: bad, give"),
        ("", {}, "no branch ''"),
        ("give", {"wha": "x"}, "unknown input 'wha', did you mean 'what'?"),
        ("give", {"times": "often"}, "input 'times': Input should be a valid integer"),
        ("finish", {}, "missing input 'answer'"),
        ("finish", {"answer": ""}, "input 'answer'"),
    ],
)
def test_wrong_calls_are_observations(
    world: World, branch: str, data: dict[str, Any], said: str
) -> None:
    result = carry_out(world, branch, **data)
    [(kind, text)] = world.observations()
    assert kind == "error"
    assert said in text
    assert result.exit_code == 0


def test_a_problem_runs_no_command(world: World) -> None:
    text = LINE.replace("SETTINGS", "retry: {}").replace(
        "branch_input_data]", "branch_input_data, problem]"
    )
    inputs = {"branch": "give", "branch_input_data": {}, "problem": "no command was given"}
    world.run(text, inputs=inputs)
    assert world.observations() == [("error", "no command was given")]
    assert world.outputs("give") == []


def test_other_outputs_become_the_observation(world: World) -> None:
    result = carry_out(world, "give", what="ab", times=2)
    assert world.observations() == [("ok", '{"value": "abab", "other": {"flag": null}}')]
    assert result.outputs["value"] == "abab"
    assert result.status == "finished"


def test_a_long_output_is_cut(world: World) -> None:
    carry_out(world, "give", what="x" * 1000, times=1000)
    [(_, text)] = world.observations()
    assert len(text) < 21_000
    assert "[cut: the first 20,000 of" in text


def test_a_text_is_an_observation_too(world: World) -> None:
    result = carry_out(world, "say", what="hello")
    assert world.observations() == [("ok", "hello")]
    assert result.status == "finished"


@pytest.mark.parametrize(("branch", "data"), [("nothing", {}), ("say", {"what": ""})])
def test_nothing_is_an_observation_too(world: World, branch: str, data: dict[str, Any]) -> None:
    """Or the observation of the command before would stand there as if it was this one's."""
    carry_out(world, branch, **data)
    assert world.observations() == [("empty", "The command ended and gave nothing back.")]


def test_finish_is_returned_as_it_is(world: World) -> None:
    result = carry_out(world, "finish", answer="All of it.")
    assert result.outputs["answer"] == "All of it."
    assert result.outputs["EARLY_EXIT"] is True
    assert "observation" not in result.outputs
    assert result.status == "finished"


TWO = """\
_target_: sequential
name: Two
input_interface: [a, b]
subflows_config:
  Executor:
    _target_: executor
    subflows_config:
      bad: {_target_: tests.library.commands.Raise}
      say: {_target_: tests.library.commands.Say}
      nothing: {_target_: tests.library.commands.Nothing}
topology:
  - {goal: One, flow: Executor, input_interface: {keys_to_rename: {a: branch}}}
  - {goal: Two, flow: Executor, input_interface: {keys_to_rename: {b: branch}}}
"""


@pytest.mark.parametrize(
    ("a", "b", "status"),
    [
        ("bad", "bad", "degraded"),
        ("bad", "unknown", "degraded"),
        ("bad", "nothing", "finished"),
        ("nothing", "bad", "finished"),
        ("say", "nothing", "finished"),
    ],
)
def test_degraded_is_when_all_commands_failed(world: World, a: str, b: str, status: str) -> None:
    assert world.run(TWO, inputs={"a": a, "b": b}).status == status


def test_commands_are_the_subflows(world: World) -> None:
    text = LINE.replace("SETTINGS", "description: Always fails.")
    plan, _ = build(world.write("my.yaml", text), trust=("tests",))
    executor = plan.flow.children()["Executor"]
    assert isinstance(executor, ExecutorFlow)
    told = {each.name: each for each in executor.commands()}
    assert list(told) == ["bad", "give", "nothing", "say", "finish"]
    assert told["bad"].description == "Always fails."
    arguments = [(each.name, each.type, each.required) for each in told["give"].input_args]
    assert arguments == [
        ("what", "string", False),
        ("times", "integer", False),
        ("flag", "boolean", False),
    ]
    assert told["finish"].input_args[0].description.startswith("the whole answer; numbers as")


class Inner(Ports):
    x: int


class Many(Ports):
    a: str
    b: float | None = None
    c: Literal["x", "y"] = "x"
    d: tuple[str, ...] = ()
    e: list[int | str] | None = None
    f: dict[str, Any] | None = None
    g: Inner | None = None
    h: Any = None
    i: Annotated[int, Field(description="how many", ge=1)] = 1
    j: list[Any] | None = None
    k: frozenset[bool] = frozenset()


class Takes(AtomicFlow):
    Inputs = Many


def test_types_of_arguments_are_told_in_words(tmp_path: Path) -> None:
    flow = Takes(AtomicConfig(), Parts("takes"))
    assert {each.name: each.type for each in arguments_of(flow)} == {
        "a": "string",
        "b": "number",
        "c": 'one of "x", "y"',
        "d": "list of string",
        "e": "list of integer or string",
        "f": "object",
        "g": "object",
        "h": "any",
        "i": "integer",
        "j": "list of any",
        "k": "list of boolean",
    }
    assert next(each for each in arguments_of(flow) if each.name == "i").description == "how many"
