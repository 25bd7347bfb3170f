"""analyst-flows: a map over a list, or a parallel flow of as many subflows, without a journal.

A listener takes every event of the run, and limits are set, as in `ours_steps.py`. Of a map each
child returns a number in typed ports; those of `--mode parallel`, of which no two may write the
same key, leave theirs in a list.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path

from driver import driver_arguments, measure_async
from workload import State, fan_state

from flows.core.events import Event
from flows.core.flow import AtomicConfig, AtomicFlow, Flow, Parts, Ports
from flows.core.limits import Limits
from flows.core.map import MapConfig, MapFlow
from flows.core.parallel import ParallelConfig, ParallelFlow, ParallelItem
from flows.core.run import Run, begin
from flows.core.session import Session


class Number(Ports):
    number: int


class Nothing(Ports):
    pass


class NextFlow(AtomicFlow):
    """Returns the number after its own."""

    kind = "benchmark.next"
    Inputs = Number
    Outputs = Number

    async def run(self, inputs: Number, run: Run) -> Number:
        del run
        return Number(number=inputs.number + 1)


class NoteFlow(AtomicFlow):
    """Notes the number after the one that its name ends with."""

    kind = "benchmark.note"
    Outputs = Nothing
    noted: list[int]

    async def run(self, inputs: Ports, run: Run) -> Nothing:
        del inputs, run
        self.noted.append(int(self.name[1:]) + 1)
        return Nothing()


def make_map() -> MapFlow:
    config = MapConfig.model_validate({"over": "numbers", "as": "number", "collect": "number"})
    return MapFlow(config, Parts("map", {"next": NextFlow(AtomicConfig(), Parts("next"))}))


def make_parallel(width: int, noted: list[int]) -> ParallelFlow:
    subflows: dict[str, Flow] = {}
    for number in range(width):
        child = NoteFlow(AtomicConfig(), Parts(f"n{number}"))
        child.noted = noted
        subflows[child.name] = child
    topology = tuple(ParallelItem(goal="Count.", flow=name) for name in subflows)
    return ParallelFlow(ParallelConfig(topology=topology), Parts("parallel", subflows))


def build(width: int, *, mode: str, folder: Path) -> Callable[[], Awaitable[State]]:
    noted: list[int] = []
    flow: Flow = make_map() if mode == "map" else make_parallel(width, noted)
    flow.place("")
    given = {"numbers": list(range(width))} if mode == "map" else {}
    last_heard: deque[Event] = deque(maxlen=1)
    session = Session(
        "benchmark",
        Path(tempfile.mkdtemp(dir=folder)),
        limits=Limits(rounds=1, model_calls=1, tokens=1000, wall_time=3600),
        listeners=(last_heard.append,),
    )

    async def run() -> State:
        outputs = await begin(session, flow, given)
        if last_heard[0].seq < 2 * width:
            raise SystemExit(f"{last_heard[0].seq} events were heard of {width} children")
        return fan_state(outputs["results"] if mode == "map" else noted)

    return run


if __name__ == "__main__":
    arguments = driver_arguments(modes=("map", "parallel"), size="width")
    with tempfile.TemporaryDirectory() as scratch:
        measure_async(
            lambda width: build(width, mode=arguments.mode, folder=Path(scratch)), arguments.width
        )
