"""analyst-flows: many runs of one plan at once, in one process and in one journal file.

A plan holds nothing of a run, so it is built once, outside the measured time; each session is a
`run_plan` of it under an id of its own. Their journals share a `JournalFile` that is `grouped`: the
rows that come together in one turn of the event loop are one commit, and each step goes on when
its row is in. The steps are `idempotent`, so with durability `full` each commit is synced. `--mode
memory` is the same without a journal. As in `ours_steps.py` all limits are set, and a listener
takes every event.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from driver import ask, driver_arguments, measure_async
from ours_steps import make_ring
from ours_talk import ThinkFlow, ThinkInputs, ThinkOutputs
from workload import WAIT_SECONDS, State, all_sessions, initial_state

from flows.build.plan import RunPlan
from flows.core.events import Event
from flows.core.limits import Limits
from flows.core.run import Run
from flows.core.store import Durability, JournalFile
from flows.runners.local import run_plan

facts: dict[str, Any] = {}


class SlowThinkFlow(ThinkFlow):
    """The ring's subflow, after a wait as for a model."""

    kind = "benchmark.slow_think"

    async def run(self, inputs: ThinkInputs, run: Run) -> ThinkOutputs:
        await asyncio.sleep(WAIT_SECONDS)
        return await super().run(inputs, run)


def build(sessions: int, *, plan: RunPlan, recorded: bool) -> Callable[[], Awaitable[State]]:
    folder = Path(tempfile.mkdtemp(dir=plan.runs_folder))
    file = (
        JournalFile(folder, new=True, durability=plan.durability, grouped=True)
        if recorded
        else None
    )
    heard = [0]

    def listen(event: Event) -> None:
        del event
        heard[0] += 1

    async def session(number: int) -> State:
        result = await run_plan(
            plan, run_id=f"session-{number}", journal=recorded, file=file, listeners=(listen,)
        )
        if result.status != "finished":
            raise SystemExit(f"{result.status}: {result.reason}")
        return dict(result.outputs)

    async def run() -> State:
        final = all_sessions(await asyncio.gather(*(session(n) for n in range(sessions))))
        if heard[0] < 2 * final["counter"]:
            raise SystemExit(f"{heard[0]} events were heard of {final['counter']} steps")
        if file is not None:
            file.settle()
            facts.update(ask(file.connection, "journal"))
            file.close()
        return final

    return run


def plan_of(rounds: int, folder: Path, durability: Durability) -> RunPlan:
    limits = Limits(rounds=rounds, model_calls=1, tokens=1000, wall_time=3600)
    ring = make_ring(rounds, SlowThinkFlow, ("think",))
    return RunPlan(ring, initial_state(), limits=limits, runs_folder=folder, durability=durability)


if __name__ == "__main__":
    arguments = driver_arguments(modes=("journal", "memory"), durable=True, sessions=True)
    with tempfile.TemporaryDirectory() as scratch:
        plan = plan_of(arguments.rounds, Path(scratch), arguments.durability)
        recorded = arguments.mode == "journal"
        measure_async(
            lambda sessions: build(sessions, plan=plan, recorded=recorded),
            arguments.sessions,
            lambda: facts,
        )
