"""Code that makes folders without end: it is ended, and neither the host nor other code waits."""

from __future__ import annotations

import asyncio
import time

import pytest

from flows.core.sandbox import Execution
from tests.sandbox.conftest import Bench

# Chains of folders, which are beside each other too, so that no path is too long.
CHAINS = """
import itertools, os
for n in itertools.count():
    os.mkdir(f"chain{n}")
    inner = os.open(f"chain{n}", os.O_RDONLY)
    for _ in range(50):
        os.mkdir("folder", dir_fd=inner)
        below = os.open("folder", os.O_RDONLY, dir_fd=inner)
        os.close(inner)
        inner = below
    os.close(inner)
"""
ONE_CHAIN = """
import os
while True:
    os.mkdir("folder")
    os.chdir("folder")
"""
LONGEST_GAP = 2.0  # seconds; it was the time that all the folders take


@pytest.mark.long("code with all its libraries, each time in a sandbox of its own")
@pytest.mark.parametrize("code", [CHAINS, ONE_CHAIN], ids=["chains", "one chain"])
def test_folders_without_end_stop_neither_the_loop_nor_another_session(
    bench: Bench, code: str
) -> None:
    async def beside() -> tuple[Execution, str, tuple[str, ...], float]:
        await bench.sandbox.execute("x = 5", session="beside")
        gaps = [0.0]
        beating = asyncio.create_task(beat(gaps))
        done = await bench.sandbox.execute(code, seconds=3)
        other = await bench.sandbox.execute("x", session="beside")
        await asyncio.sleep(0.5)  # what is cleared away meanwhile
        beating.cancel()
        return done, other.result, other.notes, max(gaps)

    done, result, notes, gap = bench.runner.run(beside())
    assert done.status in ("timeout", "died")
    assert (result, notes) == ("5", ())
    assert gap < LONGEST_GAP


@pytest.mark.long("code in sandboxes with heavy libraries")
def test_a_piece_that_leaves_many_folders_comes_back_with_its_files(bench: Bench) -> None:
    code = (
        "import os\nopen('kept.txt', 'w').write('kept')\n"
        "[os.makedirs(f'many/{n}/a/b') for n in range(4000)]\nNone"
    )
    done = bench.run(code)
    assert done.status == "ok"
    assert [each.name for each in done.files] == ["kept.txt"]


async def beat(gaps: list[float]) -> None:
    """Note how long the event loop did not come back to this task."""
    while True:
        before = time.perf_counter()
        await asyncio.sleep(0.02)
        gaps.append(time.perf_counter() - before)
