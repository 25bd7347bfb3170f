"""What every tool does. A tool's test inherits `ToolContract` and opens a tool that can answer."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import pytest

from flows.core.observation import Observation
from flows.errors import ToolError
from flows.tools.tool import Tool


class ToolContract:
    good: ClassVar[Mapping[str, Any]]
    """Arguments that the tool answers with content."""
    fruitless: ClassVar[Mapping[str, Any]]
    """Arguments for which the tool works and finds nothing."""

    def open(self) -> AbstractContextManager[Tool]:
        raise NotImplementedError("say how the tool under test is opened")

    def run(self, args: Mapping[str, Any]) -> Observation:
        with self.open() as tool:
            return asyncio.run(tool.run(args))

    def test_it_describes_itself(self) -> None:
        with self.open() as tool:
            assert isinstance(tool, Tool)
            assert tool.name.isidentifier()
            assert len(tool.description) > 10
            assert {each.name for each in tool.arguments if each.required} <= set(self.good)
            assert set(self.good) <= {each.name for each in tool.arguments}
            assert all(each.type for each in tool.arguments)

    def test_content_is_ok(self) -> None:
        found = self.run(self.good)
        assert found.kind == "ok"
        assert found.text
        assert "\x1b" not in found.text
        assert "\x00" not in found.text

    def test_nothing_is_empty_and_says_so(self) -> None:
        found = self.run(self.fruitless)
        assert found.kind == "empty"
        assert found.text

    def test_an_unknown_argument_names_the_ones_there_are(self) -> None:
        with pytest.raises(ToolError, match=f"no argument 'colour'.*{next(iter(self.good))}"):
            self.run({**self.good, "colour": "red"})

    def test_a_missing_argument_is_named(self) -> None:
        with pytest.raises(ToolError, match=f"needs .*{next(iter(self.good))}"):
            self.run({})

    def test_one_tool_serves_several_event_loops_and_calls_at_once(self) -> None:
        async def several(tool: Tool) -> list[Observation]:
            return list(await asyncio.gather(*(tool.run(self.good) for _ in range(5))))

        with self.open() as tool:
            first, second = asyncio.run(several(tool)), asyncio.run(several(tool))
        assert {each.kind for each in first + second} == {"ok"}
