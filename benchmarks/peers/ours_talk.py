"""analyst-flows with its journal: each step's outputs are one row, committed before the next step.

In the ring the five subflows are `idempotent`, as one is that asks a model: with durability `full`
its row is on the disk before the run goes on, with `normal` it is committed. `--mode pure` is the
same with steps without effect, whose rows are committed and, with `full`, synced with the next row
of an effect. `--mode chat` is one subflow that answers with a message; its history is state that
is folded from the outputs (`apply`), as that of the library's `ChatFlow`. The run goes through
`run_plan`, the runner's own door; its file is opened before the clocks start. The chat's final
state is read back from the file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from driver import ask, bytes_below, driver_arguments, measure_async
from ours_steps import make_ring
from workload import SUBFLOWS, State, chat_state, initial_state, message, think

from flows.build.plan import RunPlan
from flows.core.flow import AtomicFlow, Ports
from flows.core.journal import load
from flows.core.limits import Limits
from flows.core.run import Run
from flows.core.store import JournalFile
from flows.runners.local import run_plan

RUN_ID = "benchmark"
facts: dict[str, Any] = {}


class ThinkInputs(Ports):
    counter: int
    thought: str


class ThinkOutputs(Ports):
    counter: int
    thought: str


class ThinkFlow(AtomicFlow):
    """One subflow of the ring."""

    kind = "benchmark.think"
    effect = "idempotent"
    Inputs = ThinkInputs
    Outputs = ThinkOutputs

    async def run(self, inputs: ThinkInputs, run: Run) -> ThinkOutputs:
        del run
        counter, thought = think(inputs.counter)
        return ThinkOutputs(counter=counter, thought=thought)


class PureThinkFlow(ThinkFlow):
    kind = "benchmark.pure_think"
    effect = "pure"


class SayInputs(Ports):
    counter: int


class SayOutputs(Ports):
    counter: int
    who: str
    text: str


class SayFlow(AtomicFlow):
    """The chat: says one message, and remembers all."""

    kind = "benchmark.say"
    effect = "idempotent"
    Inputs = SayInputs
    Outputs = SayOutputs

    def initial_state(self) -> tuple[dict[str, str], ...]:
        return ()

    def apply(self, state: Any, inputs: SayInputs, outputs: SayOutputs) -> Any:
        del inputs
        return (*state, {"who": outputs.who, "text": outputs.text})

    async def run(self, inputs: SayInputs, run: Run) -> SayOutputs:
        counter = len(run.state)
        if counter != inputs.counter:
            raise ValueError(f"{counter} messages are remembered, {inputs.counter} were said")
        return SayOutputs(counter=counter + 1, **message(counter))


KINDS = {"ring": ThinkFlow, "pure": PureThinkFlow, "chat": SayFlow}


def build(
    rounds: int, *, mode: str, durability: str, folder: Path
) -> Callable[[], Awaitable[State]]:
    runs = Path(tempfile.mkdtemp(dir=folder))
    names = ("chat",) if mode == "chat" else SUBFLOWS
    limits = Limits(rounds=rounds, model_calls=1, tokens=1000, wall_time=3600)
    ring = make_ring(rounds, KINDS[mode], names)
    plan = RunPlan(ring, initial_state(), limits=limits, runs_folder=runs)
    file = JournalFile(runs, new=True, durability=durability)

    async def run() -> State:
        result = await run_plan(plan, run_id=RUN_ID, file=file)
        if result.status != "finished":
            raise SystemExit(f"{result.status}: {result.reason}")
        file.settle()
        facts.update(ask(file.connection, "journal"))
        file.close()
        facts.update(bytes_below(runs))
        return read_chat(runs) if mode == "chat" else dict(result.outputs)

    return run


def read_chat(folder: Path) -> State:
    outputs = [row.data()["outputs"] for row in load(folder, RUN_ID) if row.kind == "outcome"]
    return chat_state([{"who": each["who"], "text": each["text"]} for each in outputs])


if __name__ == "__main__":
    arguments = driver_arguments(modes=tuple(KINDS), durable=True)
    with tempfile.TemporaryDirectory() as scratch:
        measure_async(
            lambda rounds: build(
                rounds,
                mode=arguments.mode,
                durability=arguments.durability,
                folder=Path(scratch),
            ),
            arguments.rounds,
            lambda: facts,
        )
