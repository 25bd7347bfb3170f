"""Runs attacks in one sandbox, and says which got through.

    python -m tests.sandbox.suite '[{"mode": "standard"}]'

A secret stands in the environment and on the standard input of this process, as in a real host.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from flows.core.sandbox import Execution, Mode, Sandbox, SandboxConfig
from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.python import PythonSandbox
from tests.sandbox.attack import PRELUDE, Attack, Outcome
from tests.sandbox.attacks import ATTACKS
from tests.sandbox.world import World

NEIGHBOUR = """
import os
secret = {secret!r}
open("note.txt", "w").write(secret)
print(os.getcwd())
"""
PATIENCE = 50
GRACE = 100.0  # seconds; on a busy machine a new start alone can take long


@dataclass(frozen=True)
class Order:
    """Which attacks are run in what sandbox: `layers` are the walls that stand, `only` a few
    attacks or categories, all without. With much `memory_mb` a process finds only the libraries
    that its code mentions, else all."""

    mode: Mode = "standard"
    layers: tuple[str, ...] = ALL_LAYERS
    only: tuple[str, ...] = ()
    memory_mb: int = 768


@dataclass(frozen=True)
class Result:
    """What became of an attack. `told` is how the code ended, to find out why."""

    name: str
    category: str
    through: bool
    seconds: float
    told: str


def config(mode: Mode, memory_mb: int) -> SandboxConfig:
    return SandboxConfig(
        mode=mode,
        seconds=4.0,
        memory_mb=memory_mb,
        output_chars=20_000,
        file_mb=8,
        files=10,
        table_rows=1_000_000,
        sessions=4,
    )


async def run_suite(order: Order) -> list[Result]:
    """Run the attacks of the order, one after the other."""
    only = set(order.only)
    wanted = [each for each in ATTACKS if not only or {each.name, each.category} & only]
    found: list[Result] = []
    with World(off=order.mode == "off") as world:
        async with opened(order, world) as sandbox:
            for attack in wanted:
                found.append(await run_attack(attack, sandbox, world))
                print(found[-1], file=sys.stderr, flush=True)
    return found


@asynccontextmanager
async def opened(order: Order, world: World) -> AsyncIterator[Sandbox]:
    """A sandbox with another one's session in it, whose variables and files are secret."""
    sandbox = PythonSandbox(config(order.mode, order.memory_mb), order.layers)
    try:
        await settle(sandbox, world)
        yield sandbox
    finally:
        await sandbox.aclose()


async def settle(sandbox: Sandbox, world: World) -> None:
    code = NEIGHBOUR.format(secret=world.secret)
    settled = await sandbox.execute(code, session="neighbour")
    world.neighbour = settled.stdout.strip()


async def run_attack(attack: Attack, sandbox: Sandbox, world: World) -> Result:
    world.arm()
    started = time.perf_counter()
    executions: list[Execution] = []
    error: BaseException | None = None
    try:
        async with asyncio.timeout(GRACE):
            await attempt(attack, sandbox, world, executions)
    except TimeoutError as late:
        error = late
    except Exception as raised:  # noqa: BLE001 - whatever it is, the host got it
        error = raised
    seconds = time.perf_counter() - started
    await asyncio.sleep(0.02)  # a signal that was sent may be on its way
    if attack.haunts:
        await calm(world)
    executions = executions or [Execution(status="died")]
    outcome = Outcome(tuple(executions), world, error)
    through = attack.won(outcome)
    if attack.haunts:
        world.lay_ghosts()
    told = f"{type(error).__name__}: {error}" if error else ending(outcome.last)
    return Result(attack.name, attack.category, through, round(seconds, 3), told)


async def calm(world: World) -> None:
    """Wait for processes that are being ended."""
    for _ in range(PATIENCE):
        if not world.ghosts():
            break
        await asyncio.sleep(0.02)


async def attempt(
    attack: Attack, sandbox: Sandbox, world: World, executions: list[Execution]
) -> None:
    code = PRELUDE.format(world=world.as_data()) + attack.code
    run = sandbox.execute(code, session=attack.session, seconds=attack.seconds)
    executions.append(await run)
    if attack.then is not None:
        executions.append(await sandbox.execute(attack.then))


def ending(execution: Execution) -> str:
    """How an execution ended, in a line."""
    fault = execution.fault
    why = f" {fault.type}: {fault.message[:160]}" if fault else ""
    notes = f" [{'; '.join(execution.notes)[:160]}]" if execution.notes else ""
    return f"{execution.status}{why}{notes}"


def main(text: str) -> None:
    orders = TypeAdapter(list[Order]).validate_json(text)
    results = [asyncio.run(run_suite(each)) for each in orders]
    print(TypeAdapter(list[list[Result]]).dump_json(results).decode())


if __name__ == "__main__":
    os.chdir(tempfile.gettempdir())
    sys.path.insert(0, str(Path(__file__).parents[2]))
    main(sys.argv[1])
