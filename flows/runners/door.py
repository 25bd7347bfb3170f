"""The synchronous door: a run file in, a result out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from flows.build.builder import build
from flows.build.plan import Plan
from flows.build.recorded import recorded_plan
from flows.core.events import Listener
from flows.core.result import RunResult
from flows.runners.local import run_folder, run_plan


def run(
    path: str | Path,
    overrides: Sequence[str] = (),
    *,
    listeners: Sequence[Listener] = (),
    trust: Sequence[str] = (),
) -> RunResult:
    """Build a run file and run it to its end.

    Raises `ConfigError` when the file is wrong; what goes wrong in the run is in the result.
    """
    plan, _ = build(Path(path), overrides, trust=trust)
    return asyncio.run(run_and_close(plan, listeners=listeners))


def resume(
    run_id: str,
    *,
    runs: str | Path = "runs",
    listeners: Sequence[Listener] = (),
    trust: Sequence[str] = (),
) -> RunResult:
    """Go on with a run after its last recorded step. Raises `JournalError` if it cannot be."""
    folder = run_folder(Path(runs), run_id)
    plan = recorded_plan(folder, trust=trust)
    return asyncio.run(run_and_close(plan, run_id=run_id, listeners=listeners))


async def run_and_close(
    plan: Plan, *, run_id: str | None = None, listeners: Sequence[Listener] = ()
) -> RunResult:
    """Run a plan, or go on with the run of that id, and give its services up."""
    try:
        plan.check_inputs()
        return await run_plan(plan, run_id=run_id, resume=run_id is not None, listeners=listeners)
    finally:
        await plan.aclose()
