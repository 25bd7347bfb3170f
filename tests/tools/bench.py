"""A warm sandbox in which the tests of tools run, for tests that are not asynchronous."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from flows.core.sandbox import SandboxConfig
from flows.sandbox.python import PythonSandbox
from flows.tools.functions.parse import parse_tool
from flows.tools.functions.testing import ToolTests, run_tests


class ToolBench(Protocol):
    """Parses a tool's source, and runs its tests in the sandbox."""

    def __call__(self, source: str, seconds: float | None = None, name: str = "") -> ToolTests: ...


@contextmanager
def tool_bench() -> Iterator[ToolBench]:
    """The sandbox, until the tests are done."""
    with asyncio.Runner() as runner:
        sandbox = PythonSandbox(SandboxConfig(seconds=30, memory_mb=1024))

        def test(source: str, seconds: float | None = None, name: str = "") -> ToolTests:
            tool = parse_tool(source, name=name)
            return runner.run(run_tests(tool, sandbox.execute, seconds))

        yield test
        runner.run(sandbox.aclose())
