"""Parts of runs that take their time when they are stopped, or much room."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from flows.core.flow import AtomicFlow, Effect, Ports
from flows.core.memory import MemoryScope, Recalled
from flows.core.run import Run
from tests.flows_for_tests import Number, note


def log(word: str) -> None:
    with Path(os.environ["STOPPING_LOG"]).open("a") as file:
        file.write(f"{word}\n")


class SlowMemory:
    """A memory that holds nothing, and takes STOPPING_SECONDS to be closed."""

    async def read(
        self, query: str, n_results: int, scope: MemoryScope | None = None
    ) -> list[Recalled]:
        return []

    async def write(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        metadata: Mapping[str, str | int | float | bool],
    ) -> None:
        """Keep nothing."""

    async def aclose(self) -> None:
        log("closing")
        await asyncio.sleep(float(os.environ["STOPPING_SECONDS"]))
        log("closed")


class Busy(AtomicFlow):
    """Works in a thread that nothing ends."""

    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Number

    async def run(self, inputs: Number, run: Run) -> Number:
        note(run)
        await asyncio.to_thread(time.sleep, float(os.environ["FLOWS_TEST_SECONDS"]))
        return Number(n=inputs.n + 1)


class Saved(Ports):
    name: str


class Large(AtomicFlow):
    """Writes a file of 300 kB to the run's folder."""

    effect: Effect = "idempotent"
    Inputs: ClassVar[type[Ports]] = Number
    Outputs: ClassVar[type[Ports]] = Saved

    async def run(self, inputs: Number, run: Run) -> Saved:
        note(run)
        return Saved(name=run.save("large", "txt", b"large\n" * 50_000, "a large file").name)
