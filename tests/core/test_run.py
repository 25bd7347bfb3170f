"""The one door: addresses, effect keys, typed ports, timeouts, retries, signals."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from flows.build.plan import RunPlan
from flows.core.events import Notice, Retrying, StepErred, StepFinished, StepStarted, TextArrived
from flows.core.flow import AtomicConfig, CompositeFlow, FlowConfig, Parts, Ports
from flows.core.journal import load
from flows.core.run import Run, begin
from flows.core.session import Session
from flows.errors import PortError, StepFailed, StepTimeout
from flows.runners.local import run_plan
from tests.core.running import run_text
from tests.flows_for_tests import EXECUTED, Add, AddConfig, Number, WrongOutputs
from tests.shapes import plan_of


def step(config: str) -> str:
    return f"{{_target_: T.{config}, inputs: {{n: 1}}}}"


def nested(config: str) -> str:
    return f"""
    _target_: sequential
    input_interface: [n]
    subflows_config: {{x: {{_target_: T.{config}}}, after: {{_target_: T.Add}}}}
    topology: [{{goal: it, flow: x}}, {{goal: after, flow: after}}]
    inputs: {{n: 1}}
    """


class Numbers(Ports):
    n: int = 0


class Twice(CompositeFlow):
    """Calls its subflow as often as it has numbers."""

    async def run(self, inputs: Any, run: Run) -> Mapping[str, Any]:
        one = await run.call(self.subflows["a"], {"n": 1}, "first")
        two = await run.call(self.subflows["a"], {"n": one["n"], "more": 1}, pick=True)
        return {"addresses": run.address, **two}


def twice() -> Twice:
    add = Add(AddConfig(description="Adds."), Parts("a"))
    flow = Twice(FlowConfig(), Parts("twice", {"a": add}))
    flow.place("")
    return flow


def test_addresses_count_the_calls(tmp_path: Path) -> None:
    events: list[Any] = []
    session = Session("r", tmp_path, listeners=(events.append,))
    flow = twice()

    outputs = asyncio.run(begin(session, flow, {}))

    assert outputs == {"addresses": "", "n": 3}
    started = [(e.address, e.goal, e.inputs) for e in events if isinstance(e, StepStarted)]
    assert started == [
        ("", "Twice", {}),
        ("a#1", "first", {"n": 1}),
        ("a#2", "Adds.", {"n": 2}),
    ]


def test_inputs_that_do_not_fit_never_reach_the_flow(tmp_path: Path) -> None:
    EXECUTED.clear()
    result, _ = run_text(step("Add").replace("n: 1", "n: one"), tmp_path)
    assert result.status == "failed"
    assert isinstance(result.error, StepFailed)
    assert isinstance(result.error.root, PortError)
    assert "input 'n': Input should be a valid integer" in result.reason
    assert EXECUTED == []


@pytest.mark.parametrize("journal", [False, True])
def test_wrong_outputs_are_an_error_of_the_flow(tmp_path: Path, journal: bool) -> None:
    result, _ = run_text(nested("WrongOutputs"), tmp_path, journal=journal)
    assert result.status == "failed"
    assert "x: run must return its Outputs, not a Counted" in result.reason


@pytest.mark.parametrize("returned", [None, {"n": 1}, 3])
def test_plain_values_are_no_outputs(tmp_path: Path, returned: object) -> None:
    class Plain(WrongOutputs):
        async def run(self, inputs: Number, run: Run) -> Any:
            return returned

    flow = Plain(AtomicConfig(), Parts("plain"))
    with pytest.raises(StepFailed, match="must return its Outputs") as caught:
        asyncio.run(begin(Session("r", tmp_path), flow, {"n": 1}))
    assert isinstance(caught.value.root, PortError)


def test_effect_keys_are_the_same_for_a_step_and_differ_between_steps(tmp_path: Path) -> None:
    flow = twice()

    def key(run_id: str, address: str) -> str:
        return Run(Session(run_id, tmp_path), flow, address, 0).effect_key

    assert key("r", "a#1") == key("r", "a#1")
    assert len({key("r", "a#1"), key("r", "a#2"), key("s", "a#1"), key("r", "")}) == 4
    assert len(key("r", "a#1")) == 32


@pytest.mark.parametrize("text", [step("Sleep, timeout: 0.05"), nested("Sleep, timeout: 0.05")])
def test_timeout_of_a_step(tmp_path: Path, text: str) -> None:
    result, events = run_text(text, tmp_path)
    assert isinstance(result.error, StepFailed)
    assert isinstance(result.error.root, StepTimeout)
    assert "took more than 0.05 s" in result.reason
    assert next(e.error for e in events if isinstance(e, StepErred)) == "StepTimeout"


def test_timeout_of_a_composite(tmp_path: Path) -> None:
    result, _ = run_text(nested("Sleep"), tmp_path, "timeout=0.05")
    assert isinstance(result.error, StepFailed)
    assert isinstance(result.error.root, StepTimeout)
    assert result.error.path == "flow"


def test_a_timeout_error_of_the_flows_own_is_not_ours(tmp_path: Path) -> None:
    class Own(Add):
        async def run(self, inputs: Number, run: Run) -> Number:
            raise TimeoutError("its own")

    flow = Own(AddConfig(timeout=5), Parts("own"))
    with pytest.raises(StepFailed, match="TimeoutError: its own"):
        asyncio.run(begin(Session("r", tmp_path), flow, {"n": 1}))


@pytest.mark.parametrize("error", ["ToolError", "ModelUnreachable", "Own"])
@pytest.mark.parametrize("journal", [False, True])
def test_errors_that_may_pass_are_tried_again(tmp_path: Path, error: str, journal: bool) -> None:
    EXECUTED.clear()
    text = nested(f"Fail, error: {error}, times: 2, retry: {{attempts: 3, wait: 0.01}}")
    result, events = run_text(text, tmp_path, journal=journal)

    assert (result.status, result.outputs) == ("finished", {"n": 3})
    assert EXECUTED == ["x#1", "x#1", "x#1", "after#1"]
    retries = [e for e in events if isinstance(e, Retrying)]
    assert [(e.address, e.attempt, round(e.wait_s, 3)) for e in retries] == [
        ("x#1", 1, 0.01),
        ("x#1", 2, 0.02),
    ]


@pytest.mark.parametrize("error", ["ValueError", "QueryFailed"])
def test_other_errors_are_not(tmp_path: Path, error: str) -> None:
    EXECUTED.clear()
    result, events = run_text(step(f"Fail, error: {error}, retry: {{attempts: 3}}"), tmp_path)
    assert result.status == "failed"
    assert len(EXECUTED) == 1
    assert not [e for e in events if isinstance(e, Retrying)]


def test_the_last_error_counts_when_all_tries_fail(tmp_path: Path) -> None:
    text = step("Fail, error: ToolError, retry: {attempts: 2, wait: 0}")
    result, events = run_text(text, tmp_path, journal=True)
    assert result.reason == "flow: ToolError: the network is away"
    assert len([e for e in events if isinstance(e, Retrying)]) == 1
    kinds = [row.kind for row in load(result.folder)]
    assert kinds == ["start", "failure", "end"]


def test_a_provider_may_say_how_long_to_wait(tmp_path: Path) -> None:
    text = step("Fail, error: ModelOverloaded, times: 1, retry: {attempts: 2, wait: 0.01}")
    EXECUTED.clear()
    result, events = run_text(text, tmp_path)
    assert result.status == "finished"
    assert [e.wait_s for e in events if isinstance(e, Retrying)] == [0.2]

    EXECUTED.clear()
    _, events = run_text(text.replace("wait: 0.01", "wait: 0.01, wait_max: 0.05"), tmp_path)
    assert [e.wait_s for e in events if isinstance(e, Retrying)] == [0.05]


def test_no_more_tries_after_the_deadline(tmp_path: Path) -> None:
    text = step("Fail, error: ToolError, retry: {attempts: 9, wait: 0.2, wait_max: 0.2}")
    EXECUTED.clear()
    result, _ = run_text(text, tmp_path, "limits.wall_time=0.3")
    assert result.status == "unfinished"
    assert len(EXECUTED) == 2


def test_a_flow_may_show_text_and_say_something(tmp_path: Path) -> None:
    class Speak(Add):
        async def run(self, inputs: Number, run: Run) -> Number:
            run.stream("he")
            run.stream("llo")
            run.notice("spoken")
            return Number(n=1)

    events: list[Any] = []
    flow = Speak(AddConfig(), Parts("speak"))
    session = Session("r", tmp_path, listeners=(events.append,))
    asyncio.run(begin(session, flow, {"n": 1}))
    assert [e.text for e in events if isinstance(e, TextArrived)] == ["he", "llo"]
    assert [e.text for e in events if isinstance(e, Notice)] == ["spoken"]


def test_only_recorded_steps_are_reused(tmp_path: Path) -> None:
    plan = plan_of(nested("Write"), tmp_path)
    asyncio.run(run_plan(plan, run_id="r"))
    events: list[Any] = []
    asyncio.run(run_plan(plan, run_id="r", resume=True, listeners=(events.append,)))
    reused = {e.address: e.reused for e in events if isinstance(e, StepFinished)}
    assert reused == {"": False, "x#1": True, "after#1": True}


def test_other_inputs_than_recorded_are_noticed(tmp_path: Path) -> None:
    asyncio.run(run_plan(plan_of(nested("Write"), tmp_path), run_id="r"))
    changed = plan_of(nested("Write").replace("n: 1", "n: 2"), tmp_path)

    result = asyncio.run(run_plan(changed, run_id="r", resume=True))

    assert result.status == "failed"
    assert "x#1 was recorded with other inputs" in result.reason


def test_all_commands_failed_is_degraded(tmp_path: Path) -> None:
    class Command(Twice):
        kinds: tuple[str, ...] = ()

        async def run(self, inputs: Any, run: Run) -> Mapping[str, Any]:
            for kind in self.kinds:
                run.count_command(kind)
            return {}

    for kinds, status in (
        ((), "finished"),
        (("error", "error"), "degraded"),
        (("error", "empty"), "finished"),
        (("ok", "error"), "finished"),
    ):
        flow = Command(FlowConfig(), Parts("c"))
        flow.kinds = kinds
        result = asyncio.run(run_plan(RunPlan(flow, runs_folder=tmp_path), journal=False))
        assert result.status == status, kinds
