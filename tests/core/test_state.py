"""Folded state: it lives in the run, by the path of the flow, and changes only in `apply`."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.core.flow import AtomicConfig, Parts
from flows.core.run import Run, begin
from flows.core.session import Session
from flows.errors import StepFailed
from flows.runners.local import run_plan
from tests.core.running import run_text
from tests.flows_for_tests import Accumulate, Counted, Number
from tests.shapes import plan_of

LOOP = """
_target_: circular
early_exit_key: null
max_rounds: 3
input_interface: [n]
output_interface: [calls]
subflows_config: {a: {_target_: T.Add}, k: {_target_: T.Accumulate}}
topology: [{goal: add, flow: a}, {goal: keep, flow: k}]
inputs: {n: 0}
"""


def test_state_is_of_the_run_and_not_of_the_graph(tmp_path: Path) -> None:
    plan = plan_of(LOOP, tmp_path)
    for _ in range(2):
        result = asyncio.run(run_plan(plan, journal=False))
        assert result.outputs == {"calls": (1, 2, 3)}


def test_many_runs_of_one_graph_at_once(tmp_path: Path) -> None:
    """Each step gives way to the others in the middle, so that the runs really interleave."""

    seen: list[str] = []

    class Slow(Accumulate):
        async def run(self, inputs: Number, run: Run) -> Counted:
            before = run.state
            seen.append(run.session.run_id)
            await asyncio.sleep(0)
            assert run.state == before
            return Counted(total=0, calls=(*before, inputs.n))

    plan = plan_of(LOOP, tmp_path)
    keep = plan.flow.children()["k"]
    slow = Slow(keep.config, Parts("k"))
    slow.place("k")
    subflows = plan.flow.subflows  # type: ignore[attr-defined]
    subflows["k"] = slow
    for step in plan.flow.rounds.steps:  # type: ignore[attr-defined]
        step.flow = subflows[step.flow.name]

    async def many() -> list[object]:
        sessions = [Session(str(n), tmp_path) for n in range(20)]
        calls = (begin(session, plan.flow, {"n": n * 100}) for n, session in enumerate(sessions))
        return list(await asyncio.gather(*calls))

    assert asyncio.run(many()) == [
        {"calls": (n * 100 + 1, n * 100 + 2, n * 100 + 3)} for n in range(20)
    ]
    assert seen[:3] == ["0", "1", "2"]


def test_two_flows_of_one_kind_have_their_own(tmp_path: Path) -> None:
    text = """
    _target_: sequential
    input_interface: [n]
    output_interface: [x, y]
    subflows_config: {j: {_target_: T.Accumulate}, k: {_target_: T.Accumulate}}
    topology:
      - {goal: j, flow: j, output_interface: {keys_to_rename: {calls: x}}}
      - {goal: j, flow: j, output_interface: {keys_to_rename: {calls: x}}}
      - {goal: k, flow: k, output_interface: {keys_to_rename: {calls: y}}}
    inputs: {n: 4}
    """
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"x": (4, 4), "y": (4,)}


def test_reset_of_one_leaves_the_other(tmp_path: Path) -> None:
    text = LOOP.replace("flow: k}", "flow: k}, {goal: reset a, flow: a, reset: true}")
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"calls": (1, 3, 5)}


def test_a_failed_call_leaves_the_state_as_it_was(tmp_path: Path) -> None:
    class Fails(Accumulate):
        async def run(self, inputs: Number, run: Run) -> Counted:
            if inputs.n < 0:
                raise ValueError("negative")
            return await super().run(inputs, run)

    flow = Fails(AtomicConfig(), Parts("k"))
    flow.place("k")
    session = Session("r", tmp_path)

    async def calls() -> object:
        run = Run(session, flow, "", 0)
        await run.call(flow, {"n": 1})
        with pytest.raises(StepFailed):
            await run.call(flow, {"n": -1})
        return await run.call(flow, {"n": 2})

    assert asyncio.run(calls()) == {"total": 3, "calls": (1, 2)}


def test_the_transcript_is_what_chats_fold(tmp_path: Path) -> None:
    class Chat(tuple[str, ...]):
        def transcript(self) -> tuple[str, ...]:
            return tuple(self)

    session = Session("r", tmp_path)
    session.states = {"a": Chat(("hello", "hi")), "k": (1, 2), "b": Chat(("bye",))}
    assert Run(session, None, "", 0).transcript() == ("hello", "hi", "bye")
