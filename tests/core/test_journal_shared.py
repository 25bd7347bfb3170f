"""Runs that share a file and its commits: none waits in vain, and none goes on too early."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from flows.core.flow import AtomicFlow, Effect, Ports
from flows.core.journal import Journal, load
from flows.core.run import Run
from flows.core.store import JournalFile
from flows.runners.local import run_plan
from tests.flows_for_tests import Number
from tests.shapes import plan_of

SEEN: list[list[str]] = []
SHARED = "shared"


class Look(AtomicFlow):
    """Changes the world, and notes what is on record when it begins."""

    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Number:
        rows = load(run.session.folder.parents[1] / SHARED, run.session.run_id)
        SEEN.append([row.address for row in rows if row.kind == "outcome"])
        return Number(n=inputs.n)


LINE = """
_target_: sequential
input_interface: [n]
subflows_config:
  a: {_target_: T.Add}
  look: {_target_: tests.core.test_journal_shared.Look}
topology: [{goal: a, flow: a}, {goal: a, flow: a}, {goal: look, flow: look}]
inputs: {n: 1}
"""


def test_an_effect_begins_when_what_it_comes_from_is_recorded(tmp_path: Path) -> None:
    """Else a step without effects could come to something else after a kill, and the effect of
    what it came to before would stay."""
    SEEN.clear()
    (tmp_path / SHARED).mkdir()
    plan = plan_of(LINE, tmp_path)

    async def run_both() -> None:
        file = JournalFile(tmp_path / SHARED, new=True, grouped=True)
        try:
            await asyncio.gather(*(run_plan(plan, run_id=name, file=file) for name in "xy"))
        finally:
            file.close()

    asyncio.run(run_both())

    assert SEEN == [["a#1", "a#2"], ["a#1", "a#2"]]


def test_a_run_that_is_cancelled_cancels_no_other(tmp_path: Path) -> None:
    async def write_both() -> list[BaseException | None]:
        file = JournalFile(tmp_path, new=True, grouped=True)
        tasks = [
            asyncio.create_task(Journal(file, name).write("start", "", "", "{}"))
            for name in ("cancelled", "other")
        ]
        await asyncio.sleep(0)
        tasks[0].cancel()
        try:
            return await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            file.close()

    first, second = asyncio.run(write_both())

    assert isinstance(first, asyncio.CancelledError)
    assert second is None
    assert [row.kind for row in load(tmp_path, "other")] == ["start"]
