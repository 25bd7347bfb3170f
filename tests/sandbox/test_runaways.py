"""Code that does not end is ended at its limit, and no process of it is left."""

from __future__ import annotations

import asyncio
import os

import pytest

from flows.core.sandbox import Execution, SandboxConfig
from flows.sandbox import processes
from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.python import PythonSandbox
from tests.processes import command_of
from tests.sandbox.runaways import RUNAWAYS

# No other test gives a sandbox so much: its processes are known by it.
MEMORY_MB = 509
WITHOUT_BUBBLEWRAP = tuple(each for each in ALL_LAYERS if each != "bubblewrap")


async def run_all(layers: tuple[str, ...]) -> dict[str, tuple[Execution, set[str]]]:
    """What each runaway came to, with the processes that it left."""
    config = SandboxConfig(seconds=0.4, memory_mb=MEMORY_MB)
    first = PythonSandbox(config, layers)
    await first.execute("print(1)")
    await first.aclose()
    found = {}
    others = living()  # a zygote that rests for the next sandbox, and those that other tests share
    sandbox = PythonSandbox(config, layers)
    try:
        await sandbox.execute("print(1)")
        for name, code in RUNAWAYS.items():
            before = living()
            execution = await sandbox.execute(code)
            await sandbox.execute("print(1)")
            found[name] = (execution, await left(before))
    finally:
        await sandbox.aclose()
    assert not await left(others, kept=0)
    return found


async def left(before: set[int], kept: int = 1) -> set[str]:
    """Processes that were not there before, over those `kept` ready for the next code."""
    for _ in range(1000):  # ten seconds: on a busy machine the end of a process takes its time
        more = living() - before
        if len(more) <= kept:
            return set()
        await asyncio.sleep(0.01)
    return {f"{pid} {command_of(pid)}" for pid in more}


def living() -> set[int]:
    """All processes below this one, but for those that sandboxes of other tests keep ready: one of
    these may be replaced by another at any time."""
    return {pid for pid in processes.tree(os.getpid()) if not is_of_another(command_of(pid))}


def is_of_another(command: str) -> bool:
    return "sandbox/boot.py" in command and str(MEMORY_MB * 2**20) not in command


@pytest.mark.long("code that takes all that it may take")
@pytest.mark.parametrize("layers", [ALL_LAYERS, WITHOUT_BUBBLEWRAP], ids=["all", "no bubblewrap"])
def test_a_runaway_is_ended_and_nothing_is_left(layers: tuple[str, ...]) -> None:
    found = asyncio.run(run_all(layers))
    assert {name: execution.status for name, (execution, _) in found.items()} == dict.fromkeys(
        RUNAWAYS, "timeout"
    )
    assert {name: more for name, (_, more) in found.items() if more} == {}
