"""analyst-flows: a `CircularFlow` of five atomic flows with typed ports, events and limits on.

Each subflow is an `AtomicFlow` whose `Inputs` and `Outputs` are validated by pydantic on every
call. A listener takes every event of the run, and limits on rounds, model calls, tokens and wall
time are set above what the run needs, so that all are checked. Without a journal, as the peers run
without a persister, a checkpointer or a tracker; `--mode journal` is the same with every step
recorded in the run's SQLite file. The ports are an integer and a list; with `--mode elements` the
list is one of integers, so that each of its 50 elements is checked, twice a step. With `--mode own`
the class of the subflows is read from a Python file of a user, as `_target_: ./own_count.py:Own`
would be.
"""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from driver import driver_arguments, measure_async
from workload import SUBFLOWS, State, advance, initial_state, last_counter

from flows.build.names import builtin_registry
from flows.core.circular import CircularConfig, CircularFlow
from flows.core.events import Event
from flows.core.flow import AtomicConfig, AtomicFlow, Parts, Ports
from flows.core.journal import Journal
from flows.core.limits import Limits
from flows.core.run import Run, begin
from flows.core.session import Session
from flows.core.topology import TopologyItem


class CountInputs(Ports):
    counter: int
    items: list[Any]


class CountOutputs(Ports):
    counter: int
    items: list[Any]


class ElementsInputs(Ports):
    counter: int
    items: list[int]


class ElementsOutputs(Ports):
    counter: int
    items: list[int]


class CountFlow(AtomicFlow):
    """One subflow of the ring."""

    kind = "benchmark.count"
    Inputs = CountInputs
    Outputs = CountOutputs

    async def run(self, inputs: CountInputs, run: Run) -> CountOutputs:
        del run
        counter, items = advance(inputs.counter, inputs.items)
        return CountOutputs(counter=counter, items=items)


class ElementsFlow(AtomicFlow):
    """One subflow of the ring whose list is checked element by element."""

    kind = "benchmark.elements"
    Inputs = ElementsInputs
    Outputs = ElementsOutputs

    async def run(self, inputs: ElementsInputs, run: Run) -> ElementsOutputs:
        del run
        counter, items = advance(inputs.counter, inputs.items)
        return ElementsOutputs(counter=counter, items=items)


OWN = """
from flows import AtomicFlow, Ports, Run
from workload import advance


class In(Ports):
    counter: int
    items: list


class Out(Ports):
    counter: int
    items: list


class Own(AtomicFlow):
    Inputs, Outputs = In, Out

    async def run(self, inputs: In, run: Run) -> Out:
        counter, items = advance(inputs.counter, inputs.items)
        return Out(counter=counter, items=items)
"""


def own_kind(folder: Path) -> type[AtomicFlow]:
    """The class of a file that lies in the folder, as a run file's target gives it."""
    (folder / "own_count.py").write_text(OWN)
    registry = builtin_registry(("./own_count.py",), folder)
    found = registry.resolve("flow", "./own_count.py:Own")
    assert isinstance(found, type)
    assert issubclass(found, AtomicFlow)
    return found


RING_PORTS = {
    "counter": "int",
    "items": "list",
    "goal": "str",
    "thought": "str",
    "command": "str",
    "command_args": "dict",
    "recalled": "list",
    "answer": "str",
}


def make_ring(rounds: int, kind: type[AtomicFlow], names: Sequence[str] = SUBFLOWS) -> CircularFlow:
    """A circular flow of that many rounds, with a subflow of the kind for each name."""
    subflows = {name: kind(AtomicConfig(), Parts(name)) for name in names}
    config = CircularConfig(
        max_rounds=rounds,
        early_exit_key=None,
        input_interface=RING_PORTS,
        topology=tuple(TopologyItem(goal="Count.", flow=name) for name in names),
    )
    ring = CircularFlow(config, Parts("ring", subflows))
    ring.place("")
    return ring


def build(rounds: int, *, mode: str, folder: Path) -> Callable[[], Awaitable[State]]:
    journal = mode == "journal"
    kinds: dict[str, type[AtomicFlow]] = {"elements": ElementsFlow}
    if mode == "own":
        kinds["own"] = own_kind(folder)
    ring = make_ring(rounds, kinds.get(mode, CountFlow))
    steps = last_counter(rounds)
    limits = Limits(rounds=rounds, model_calls=1, tokens=1000, wall_time=3600)
    last_heard: deque[Event] = deque(maxlen=1)
    run_folder = Path(tempfile.mkdtemp(dir=folder))
    session = Session(
        "benchmark",
        run_folder,
        journal=Journal.open(run_folder, create=True) if journal else None,
        limits=limits,
        listeners=(last_heard.append,),
    )

    async def run() -> State:
        outputs: dict[str, Any] = await begin(session, ring, initial_state())
        if session.journal is not None:
            session.journal.close()
        if last_heard[0].seq < 2 * steps:
            raise SystemExit(f"{last_heard[0].seq} events were heard of {steps} steps")
        return outputs

    return run


if __name__ == "__main__":
    arguments = driver_arguments(modes=("memory", "elements", "journal", "own"))
    with tempfile.TemporaryDirectory() as scratch:
        measure_async(
            lambda rounds: build(rounds, mode=arguments.mode, folder=Path(scratch)),
            arguments.rounds,
        )
