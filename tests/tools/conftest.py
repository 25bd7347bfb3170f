"""One warm sandbox for all tests of tools in a process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator

import pytest

from flows.core.sandbox import SandboxConfig
from flows.sandbox.python import PythonSandbox
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.testing import ToolTests, run_tests

Tested = Callable[..., ToolTests]


@pytest.fixture(scope="session")
def tested() -> Iterator[Tested]:
    """Parses a tool's source, and runs its tests in the sandbox."""
    with asyncio.Runner() as runner:
        sandbox = PythonSandbox(SandboxConfig(seconds=30, memory_mb=1024))

        def test(source: str, seconds: float | None = None, name: str = "") -> ToolTests:
            return runner.run(run_tests(parse_tool(source, name=name), sandbox.execute, seconds))

        yield test
        runner.run(sandbox.aclose())
