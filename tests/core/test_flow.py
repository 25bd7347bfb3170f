"""What a flow is: ports, places in the graph, services, what is below it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic import Field

from flows.core.flow import AtomicConfig, AtomicFlow, Flow, FlowConfig, Parts, Ports, walk
from flows.core.human import Human
from flows.core.run import begin
from flows.core.session import Session
from flows.errors import ConfigError, StepFailed
from flows.human.nobody import NeverHuman
from tests.flows_for_tests import Add, AddConfig
from tests.shapes import plan_of

DEEP = """
_target_: sequential
name: Top
input_interface: [n]
subflows_config:
  a: {_target_: T.Add}
  Fork:
    _target_: branching
    subflows_config:
      left: {_target_: T.Add}
      right:
        _target_: circular
        input_interface: [n]
        subflows_config: {a: {_target_: T.Double}}
        topology: [{goal: a, flow: a}]
topology: [{goal: a, flow: a}]
inputs: {n: 1}
"""


def test_paths_in_the_graph(tmp_path: Path) -> None:
    flow = plan_of(DEEP, tmp_path).flow
    assert [path for path, _ in walk(flow)] == [
        "Top",
        "a",
        "Fork",
        "Fork/left",
        "Fork/right",
        "Fork/right/a",
    ]
    assert flow.path == ""


def test_names_come_from_the_keys(tmp_path: Path) -> None:
    flow = plan_of(DEEP.replace("a: {_target_: T.Add}", "a: {_target_: T.Add, name: z}"), tmp_path)
    assert [each.name for _, each in walk(flow.flow)][:2] == ["Top", "a"]


def test_the_label_is_the_description() -> None:
    assert Add(AddConfig(description="Adds one."), Parts("a")).label == "Adds one."
    assert Add(AddConfig(), Parts("a")).label == "Add"


def test_ports_tell_which_are_needed() -> None:
    class Inputs(Ports):
        needed: int
        left_out: str = "x"

    class Two(Add):
        pass

    Two.Inputs = Inputs
    flow = Two(AddConfig(), Parts("two"))
    assert flow.input_ports == {"needed": True, "left_out": False}
    assert flow.read_inputs({"needed": 1}).left_out == "x"


def test_open_ports_keep_what_they_are_given_and_picking_does_not() -> None:
    class Open(Ports, extra="allow"):
        n: int

    class Wide(Add):
        Inputs = Open

    flow = Wide(AddConfig(), Parts("open"))
    assert flow.read_inputs({"n": 1, "m": 2}).model_dump() == {"n": 1, "m": 2}
    assert flow.pick({"n": 1, "m": 2}).model_dump() == {"n": 1}


def test_ports_and_configs_cannot_be_changed() -> None:
    flow = Add(AddConfig(), Parts("a"))
    with pytest.raises(ValueError, match="frozen"):
        flow.read_inputs({"n": 1}).n = 2
    with pytest.raises(ValueError, match="frozen"):
        flow.config.amount = 2


def test_services() -> None:
    human = NeverHuman(NeverHuman.Config())
    parts = Parts("ask", services={"human": human})
    assert parts.service("human", Human) is human  # type: ignore[type-abstract]
    with pytest.raises(ConfigError, match="ask needs a model, and the run has none"):
        parts.service("model", Human)  # type: ignore[type-abstract]
    with pytest.raises(ConfigError, match="ask: a str cannot be its human"):
        Parts("ask", services={"human": "me"}).service("human", Human)  # type: ignore[type-abstract]


def test_a_flow_without_run_says_so(tmp_path: Path) -> None:
    flow = AtomicFlow(AtomicConfig(), Parts("empty"))
    with pytest.raises(StepFailed, match="AtomicFlow does not define run"):
        asyncio.run(begin(Session("r", tmp_path), flow, {}))


def test_ports_with_settings_of_fields(tmp_path: Path) -> None:
    class Inputs(Ports):
        n: int = Field(ge=1, description="from one on")

    class Positive(Add):
        pass

    Positive.Inputs = Inputs
    flow = Positive(AddConfig(), Parts("p"))
    with pytest.raises(Exception, match="greater than or equal to 1"):
        flow.pick({"n": 0})


def test_the_defaults_of_a_flow() -> None:
    flow = Flow(FlowConfig(), Parts("f"))
    assert (flow.children(), flow.output_names(), flow.key_problems()) == ({}, frozenset(), [])
    assert Flow.wiring(FlowConfig(), {}) == []
