"""Names and references in files of aiflows: of older releases, by submodule, into the wrapper."""

from __future__ import annotations

import pytest

from flows.build.builder import build
from tests.cli.inside import inside
from tests.library.world import World

OLD = """
_target_: flows.base_flows.CircularFlow.instantiate_from_default_config
name: Old
description: As it was written for an early release.
max_round: 2
early_exit_key: null
input_keys: [n]
output_keys: [text]
keys_to_ignore_for_hash: [name]
subflows_config:
  say:
    _target_: flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow
    fixed_reply: "[1, 2]"
topology:
  - goal: say it
    flow: say
    output_data_transformations:
      - _target_: flows.data_transformations.json.Json2Obj
        input_key: fixed_reply
        output_key: text
"""
WRAPPED = """
{sides}
flow:
  _target_: aiflows.base_flows.SequentialFlow.instantiate_from_default_config
  name: Outer
  description: Says it two times.
  greeting: hello
  input_interface: [q]
  output_interface: [fixed_reply]
  subflows_config:
    one:
      _target_: flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow
      fixed_reply: "${{flow.greeting}} world"
    two:
      _target_: flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow
      fixed_reply: "${{flow.subflows_config.one.fixed_reply}}!"
  topology:
    - {{goal: one, flow: one}}
    - {{goal: two, flow: two}}
inputs: {{q: 1}}
"""


def test_names_of_older_releases_are_read_and_told(world: World) -> None:
    result = world.run(OLD, inputs={"n": 1})
    assert (result.outputs, result.rounds) == ({"text": [1, 2]}, 2), result.reason
    shown = inside("check", "my.yaml", cwd=world.folder).out
    told = "a name of an older aiflows, read as"
    for line, name, now in (
        (2, "flows.base_flows.CircularFlow.instantiate_from_default_config",
         "aiflows.base_flows.CircularFlow.instantiate_from_default_config"),
        (5, "max_round", "max_rounds"),
        (7, "input_keys", "input_interface"),
        (8, "output_keys", "output_interface"),
        (9, "keys_to_ignore_for_hash", "keys_to_ignore_for_hash_flow_config"),
        (17, "output_data_transformations", "output_interface"),
        (18, "flows.data_transformations.json.Json2Obj",
         "aiflows.data_transformations.json.Json2Obj"),
    ):  # fmt: skip
        assert f"{name}: {told} {now}\n" in shown
        assert f"my.yaml:{line}:" in shown
    assert inside("check", "my.yaml", "--compat", cwd=world.folder).code == 0


@pytest.mark.parametrize(
    "sides", ["", "output_interface: {_target_: aiflows.interfaces.KeyInterface}"]
)
def test_a_reference_into_the_wrapper_means_what_stands_there(world: World, sides: str) -> None:
    result = world.run(WRAPPED.format(sides=sides))
    assert result.outputs == {"fixed_reply": "hello world!"}, result.reason


@pytest.mark.parametrize("prefix", ["", "/"])
@pytest.mark.parametrize("package", ["subflows_config.X", "flow.subflows_config.X"])
def test_an_agent_of_the_groups_is_put_below_the_flow(
    world: World, prefix: str, package: str
) -> None:
    file = world.write("my.yaml", WRAPPED.format(sides=""))
    plan, _ = build(file, [f"+{prefix}agent@{package}=insights"])
    assert set(plan.flow.children()) == {"one", "two", "X"}
    shown = inside("check", "my.yaml", f"+{prefix}agent@{package}=insights", cwd=world.folder)
    assert shown.code == 0, shown.err


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("base_flows.sequential", "SequentialFlow"),
        ("base_flows.circular", "CircularFlow"),
        ("base_flows.branching", "BranchingFlow"),
    ],
)
def test_a_composite_may_be_named_by_its_submodule(world: World, module: str, name: str) -> None:
    world.check(
        f"""
    _target_: aiflows.{module}.{name}.instantiate_from_default_config
    name: Mine
    description: Says it.
    subflows_config:
      say: {{_target_: flow_modules.aiflows.FixedReplyFlowModule.FixedReplyFlow, fixed_reply: x}}
    {"" if name == "BranchingFlow" else "topology: [{goal: say, flow: say}]"}
    """.replace("\n    ", "\n")
    )


def test_a_misspelt_name_of_aiflows_is_told_with_the_one_that_is_meant(world: World) -> None:
    file = "flow:\n  _target_: aiflows.base_flows.SequentailFlow.instantiate_from_default_config\n"
    world.write("my.yaml", file)
    told = inside("check", "my.yaml", cwd=world.folder).err
    assert "my.yaml:2:13: _target_: there is no flow named" in told
    assert "did you mean: aiflows.base_flows.SequentialFlow" in told


def test_a_class_of_ones_own_in_the_wrapper_is_launched(world: World) -> None:
    """Its target need not end as those of aiflows do."""
    world.write("my.yaml", "flow:\n  _target_: steps_of_mine.Step\n")
    world.write(
        "steps_of_mine.py",
        """
        from aiflows.base_flows import AtomicFlow


        class Step(AtomicFlow):
            def run(self, input_data):
                return {"n": 1}
        """,
    )
    done = inside("run", "my.yaml", "--trust", "steps_of_mine", "--json", cwd=world.folder)
    assert '"outputs":{"n":1}' in done.out.replace(" ", ""), done.err
