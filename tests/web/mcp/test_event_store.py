"""Streams over HTTP that are taken up again after a cut, by the session that they are of alone."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")

from mcp.server.streamable_http import EventMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCResponse

from flows.web.mcp.event_store import RecentEvents, SessionEvents


def message(text: str) -> JSONRPCMessage:
    return JSONRPCNotification(jsonrpc="2.0", method=text)


async def missed(session: SessionEvents, last: str) -> tuple[list[str], str | None]:
    found: list[str] = []

    async def hear(event: EventMessage) -> None:
        found.append(cast(JSONRPCNotification, event.message).method)

    return found, await session.replay_events_after(last, hear)


def test_a_session_gets_what_it_has_missed_and_nothing_of_another() -> None:
    async def use() -> None:
        recent = RecentEvents()
        mine, theirs = SessionEvents(recent), SessionEvents(recent)
        opened = await mine.store_event("1", None)
        stolen = await theirs.store_event("1", message("their secret"))
        first = await mine.store_event("1", message("first"))
        await mine.store_event("2", message("of another request"))
        await mine.store_event("1", message("second"))
        assert await missed(mine, opened) == (["first", "second"], "1")
        assert await missed(mine, first) == (["second"], "1")
        for unknown in (
            stolen,
            first.replace("-1", "-7"),
            "1",
            "99-99",
            "",
            "-1",
            "x",
            "9" * 500,
            "\uff11",
        ):
            assert await missed(mine, unknown) == ([], None)

    asyncio.run(use())


def test_what_is_kept_has_a_bound_and_who_was_away_for_long_gets_what_is_left() -> None:
    async def use() -> None:
        recent = RecentEvents(most_events=3)
        session = SessionEvents(recent)
        ids = [await session.store_event("1", message(str(n))) for n in range(5)]
        assert len(recent.events) == 3
        for each in ids[:3]:
            assert await missed(session, each) == (["2", "3", "4"][-4 + ids.index(each) :], "1")

    asyncio.run(use())


def test_an_answer_that_is_gone_is_told_as_an_error() -> None:
    """The client waits for it, and would come back for ever."""

    async def use() -> None:
        recent = RecentEvents(most_events=2)
        session, found = SessionEvents(recent), []

        async def hear(event: EventMessage) -> None:
            found.append(event.message)

        opened = await session.store_event("7", None)
        answer = JSONRPCResponse(jsonrpc="2.0", id=7, result={})
        await session.store_event("7", answer)
        await session.replay_events_after(opened, hear)
        assert found == [answer]
        for number in range(2):
            await session.store_event("8", message(str(number)))
        assert await session.replay_events_after(opened, hear) is None
        assert isinstance(found[-1], JSONRPCError)
        assert found[-1].id == 7
        assert "is not kept any more" in found[-1].error.message

    asyncio.run(use())
