"""One warm sandbox for all tests of tools in a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tools.bench import ToolBench, tool_bench


@pytest.fixture(scope="session")
def tested() -> Iterator[ToolBench]:
    with tool_bench() as test:
        yield test
