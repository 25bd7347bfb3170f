"""How long after its limit a runaway is dead, and whether a process of it is left.

    python benchmarks/sandbox_runaway.py [--limit 0.5] [--repeats 5]

Each kind of runaway is run behind all walls, and again without bubblewrap. What is measured is the
time from the limit until the host has the execution back, by when the process is dead.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from flows.core.sandbox import SandboxConfig
from flows.sandbox import processes
from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.python import PythonSandbox
from tests.sandbox.runaways import RUNAWAYS

ALLOWED_MS = 250.0


async def measure(layers: tuple[str, ...], limit: float, repeats: int) -> dict[str, list[float]]:
    """Milliseconds past the limit, by kind."""
    sandbox = PythonSandbox(SandboxConfig(seconds=limit, memory_mb=512), layers)
    found: dict[str, list[float]] = {name: [] for name in RUNAWAYS}
    try:
        await sandbox.execute("1")
        for _ in range(repeats):
            for name, code in RUNAWAYS.items():
                await sandbox.execute("1")
                started = time.perf_counter()
                await sandbox.execute(code)
                found[name].append((time.perf_counter() - started - limit) * 1000.0)
    finally:
        await sandbox.aclose()
    return found


def show(name: str, found: dict[str, list[float]]) -> float:
    """Print a table, and return the worst of it."""
    print(f"\n{name}\n{'runaway':34}{'median':>8}{'worst':>8}   ms after its limit")
    for kind, each in found.items():
        print(f"{kind:34}{sorted(each)[len(each) // 2]:8.1f}{max(each):8.1f}")
    return max(max(each) for each in found.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--limit", type=float, default=0.5, help="seconds that the code is given")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    plain = tuple(each for each in ALL_LAYERS if each != "bubblewrap")
    worst = 0.0
    for name, layers in (("all walls", ALL_LAYERS), ("without bubblewrap", plain)):
        found = asyncio.run(measure(layers, given.limit, given.repeats))
        worst = max(worst, show(name, found))
    left = processes.tree(os.getpid())
    load = os.getloadavg()[0]
    print(f"\nworst: {worst:.1f} ms of {ALLOWED_MS:g} allowed; processes left: {len(left)}")
    print(f"load of the machine: {load:.1f} on {os.cpu_count()} processors")
    return 0 if worst <= ALLOWED_MS and not left else 1


if __name__ == "__main__":
    sys.exit(main())
