"""Parallel flows: what runs at once, what waits, and what is refused before it runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from flows.core.events import Event, StepFinished, StepStarted
from flows.core.flow import AtomicConfig, AtomicFlow, Parts, Ports
from flows.core.parallel import ParallelConfig, ParallelFlow, ParallelItem
from flows.core.run import Run, begin
from flows.core.session import Session
from flows.errors import StepFailed
from tests.core.running import problems_of, run_text


class Nothing(Ports):
    pass


class Meet(AtomicFlow):
    """Returns only when all of its kind are inside at once, and counts how many ever were."""

    Outputs = Nothing
    barrier: asyncio.Barrier
    inside = 0
    most = 0

    async def run(self, inputs: Ports, run: Run) -> Nothing:
        Meet.inside += 1
        Meet.most = max(Meet.most, Meet.inside)
        try:
            async with asyncio.timeout(2):
                await Meet.barrier.wait()
        finally:
            Meet.inside -= 1
        return Nothing()


class Look(Meet):
    """Stays inside for a moment."""

    async def run(self, inputs: Ports, run: Run) -> Nothing:
        Meet.inside += 1
        Meet.most = max(Meet.most, Meet.inside)
        await asyncio.sleep(0.01)
        Meet.inside -= 1
        return Nothing()


class Never(AtomicFlow):
    """Waits for ever, and says when it was cancelled."""

    Outputs = Nothing
    cancelled = 0

    async def run(self, inputs: Ports, run: Run) -> Nothing:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            Never.cancelled += 1
            raise
        return Nothing()


class Break(AtomicFlow):
    Outputs = Nothing

    async def run(self, inputs: Ports, run: Run) -> Nothing:
        await asyncio.sleep(0.01)
        raise ValueError("broken")


def parallel(kinds: dict[str, type[AtomicFlow]], **config: Any) -> ParallelFlow:
    subflows = {name: kind(AtomicConfig(), Parts(name)) for name, kind in kinds.items()}
    topology = tuple(ParallelItem(goal=name, flow=name) for name in kinds)
    flow = ParallelFlow(ParallelConfig(topology=topology, **config), Parts("p", subflows))
    flow.place("")
    return flow


async def call(flow: ParallelFlow, folder: Path) -> dict[str, Any]:
    Meet.inside = Meet.most = Never.cancelled = 0
    Meet.barrier = asyncio.Barrier(3)
    return await begin(Session("r", folder), flow, {})


def test_all_are_inside_at_once(tmp_path: Path) -> None:
    asyncio.run(call(parallel({"a": Meet, "b": Meet, "c": Meet}), tmp_path))
    assert Meet.most == 3


def test_as_many_at_once_as_allowed(tmp_path: Path) -> None:
    flow = parallel(dict.fromkeys("abcdef", Look), max_concurrency=2)
    asyncio.run(call(flow, tmp_path))
    assert Meet.most == 2


def test_a_failure_cancels_the_others(tmp_path: Path) -> None:
    flow = parallel({"a": Never, "b": Break, "c": Never})
    with pytest.raises(StepFailed, match="b#1: ValueError: broken"):
        asyncio.run(call(flow, tmp_path))
    assert Never.cancelled == 2


def test_cancelling_the_flow_cancels_the_steps(tmp_path: Path) -> None:
    flow = parallel({"a": Never, "b": Never})

    async def cancelled() -> None:
        async with asyncio.timeout(0.05):
            await call(flow, tmp_path)

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    assert Never.cancelled == 2


GRAPH = """
_target_: parallel
input_interface: [n]
subflows_config: {a: {_target_: T.Double}, b: {_target_: T.Double}, c: {_target_: T.Accumulate}}
topology:
  - {goal: c, flow: c, after: [b]}
  - {goal: b, flow: b, after: [a]}
  - {goal: a, flow: a}
inputs: {n: 1}
"""


def position(events: list[Event], kind: type, address: str) -> int:
    return next(i for i, e in enumerate(events) if isinstance(e, kind) and e.address == address)


def test_after_is_near_and_far(tmp_path: Path) -> None:
    result, events = run_text(GRAPH, tmp_path)

    assert result.outputs == {"n": 4, "total": 4, "calls": (4,)}
    assert position(events, StepFinished, "a#1") < position(events, StepStarted, "b#1")
    assert position(events, StepFinished, "b#1") < position(events, StepStarted, "c#1")


def test_a_step_sees_only_what_it_comes_after(tmp_path: Path) -> None:
    text = GRAPH.replace("after: [b]", "after: []").replace(
        "{goal: b", "{output_interface: {keys_to_rename: {n: m}}, goal: b"
    )
    result, _ = run_text(text, tmp_path)
    assert result.outputs == {"n": 2, "m": 4, "total": 1, "calls": (1,)}


def test_two_that_write_the_same_key(tmp_path: Path) -> None:
    text = GRAPH.replace("after: [a]", "after: []")
    [(path, line, column, problem)] = problems_of(text, tmp_path)

    assert (path, line, column) == ("topology.2", 8, 5)
    assert "b and a both write 'n' and neither comes after the other" in problem


def test_a_circle(tmp_path: Path) -> None:
    text = GRAPH.replace("goal: a, flow: a", "goal: a, flow: a, after: [c]")
    [(path, line, _, problem)] = problems_of(text, tmp_path)
    assert (path, line, problem) == (
        "topology",
        6,
        "the steps c, b, a wait for each other in a circle",
    )


def test_keys_that_cannot_be_known_are_looked_at_when_it_runs(tmp_path: Path) -> None:
    text = """
    _target_: parallel
    input_interface: [value]
    output_interface: [x]
    subflows_config: {a: {_target_: T.Echo}, b: {_target_: T.Echo}}
    topology:
      - &echo
        goal: a
        flow: a
        output_interface:
          additional_transformations: [{_target_: UnNesting, input_key: value}]
      - goal: b
        flow: b
        output_interface:
          additional_transformations: [{_target_: UnNesting, input_key: value}]
    inputs: {value: {x: 1}}
    """
    result, _ = run_text(text, tmp_path)
    assert result.status == "failed"
    assert "a and b both wrote 'x'" in result.reason


def test_a_limit_in_one_leaves_what_the_others_gave(tmp_path: Path) -> None:
    text = """
    _target_: parallel
    input_interface: [n]
    output_interface: [x, y]
    subflows_config:
      a: {_target_: T.Double}
      loop:
        _target_: circular
        max_rounds: 50
        input_interface: [n]
        subflows_config: {d: {_target_: T.Double}}
        topology: [{goal: d, flow: d}]
    topology:
      - {goal: a, flow: a, output_interface: {keys_to_rename: {n: x}}}
      - {goal: l, flow: loop, output_interface: {keys_to_rename: {n: y}}}
    limits: {rounds: 3}
    inputs: {n: 1}
    """
    result, _ = run_text(text, tmp_path)
    assert (result.status, result.outputs) == ("unfinished", {"x": 2, "y": 8})
