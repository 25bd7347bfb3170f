"""One warm sandbox for all tests of a process, and a table to put into it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from flows.core.sandbox import Execution, ProbeFinding, SandboxConfig
from flows.sandbox.python import PythonSandbox

CONFIG = SandboxConfig(seconds=30, memory_mb=1024, file_mb=4, files=6, table_rows=5000, sessions=2)


class Bench:
    """A sandbox with its event loop, driven from tests that are not asynchronous."""

    def __init__(self, runner: asyncio.Runner, sandbox: PythonSandbox) -> None:
        self.runner = runner
        self.sandbox = sandbox

    def run(self, code: str, **options: Any) -> Execution:
        return self.runner.run(self.sandbox.execute(code, **options))

    def finding(self) -> ProbeFinding:
        return self.runner.run(self.sandbox.finding())


@pytest.fixture(scope="session")
def bench() -> Iterator[Bench]:
    with asyncio.Runner() as runner:
        sandbox = PythonSandbox(CONFIG)
        yield Bench(runner, sandbox)
        runner.run(sandbox.aclose())


@pytest.fixture(scope="session")
def sales(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sales of two towns, as Parquet."""
    import pandas as pd

    path = tmp_path_factory.mktemp("tables") / "sales.parquet"
    pd.DataFrame({"town": ["Ulm", "Bonn", "Ulm"], "sold": [2, 3, 5]}).to_parquet(path)
    return path
