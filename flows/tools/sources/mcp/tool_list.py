"""The tools of an MCP server, as it lists them now."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from flows.tools.sources.mcp.session import McpSession

if TYPE_CHECKING:
    from mcp_types import Tool


class ToolList:
    """The list of a server, read again whenever somebody asks. Who asks while it is being read
    shares that reading."""

    def __init__(self, session: McpSession) -> None:
        self._session = session
        self._reading: asyncio.Task[None] | None = None
        self._announced = 0
        self.tools: Mapping[str, Tool] = {}
        self.has_new_names = False  # tools have come or gone since `names_are_known`

    @property
    def is_old(self) -> bool:
        """Whether it is known to differ from what was last taken from it."""
        return self.has_new_names or self._announced != self._session.announced

    def names_are_known(self) -> None:
        """Note that somebody has taken the names as they are."""
        self.has_new_names = False

    async def refresh(self) -> None:
        """Read the list. Errors: `ToolError`; the list stays as it was then."""
        loop = asyncio.get_running_loop()
        if self._reading is None or self._reading.done() or self._reading.get_loop() is not loop:
            self._reading = asyncio.create_task(self._read())
            self._reading.add_done_callback(_taken)
        # Who asked first may give up; the others still wait for it.
        await asyncio.shield(self._reading)

    async def aclose(self) -> None:
        """Give up a reading."""
        reading, self._reading = self._reading, None
        if reading is not None and reading.get_loop() is asyncio.get_running_loop():
            reading.cancel()
            await asyncio.wait({reading})

    async def _read(self) -> None:
        announced = self._session.announced
        tools = {each.name: each for each in await self._session.tools()}
        self._announced = announced
        self.has_new_names = self.has_new_names or tools.keys() != self.tools.keys()
        self.tools = tools


def _taken(reading: asyncio.Task[None]) -> None:
    """Take the error of a reading that nobody waits for any more."""
    if not reading.cancelled():
        reading.exception()
