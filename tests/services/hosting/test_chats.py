"""Conversations that a service hosts: their data are closed when idle, and nothing is lost."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from flows.errors import ConfigError, SourceError, UsageError
from flows.services.hosting.chats import ChatData, ChatSessions
from flows.services.hosting.open_service import open_service

SECONDS = 60.0


def sales(path: Path) -> Path:
    path.write_text("region,revenue\nNorth,1\nSouth,2\n")
    return path


def has_open_data() -> bool:
    """Whether this process has the folder of a process open that queries its data."""
    opened = Path("/proc/self/fd").iterdir()
    return any("/flows-sql-" in os.path.realpath(each) for each in opened)


async def until_closed() -> None:
    for _ in range(round(SECONDS * 20)):
        if not has_open_data():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("the data are still open")


@pytest.mark.long("two turns, and seconds without one")
def test_data_are_closed_when_idle_and_opened_for_the_next_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def converse() -> None:
        async with open_service([], state=tmp_path / "state") as service:
            chats = ChatSessions(service, tmp_path / "state", ChatData(idle_seconds=2))
            brought = chats.uploads.check(sales(chats.uploads.place("sales.csv")))
            record = await chats.start("total revenue", [brought.id])
            await service.wait(record.id, SECONDS)
            assert "3" in chats.turn(record.id, 1).answer
            assert has_open_data()
            await until_closed()
            await chats.say(record.id, "total revenue by region")
            await service.wait(record.id, SECONDS)
            told = chats.turn(record.id, 2).answer
            assert "North" in told
            assert "South" in told
            await until_closed()

    asyncio.run(converse())


@pytest.mark.long("two services, one after the other")
def test_a_session_whose_data_are_gone_is_still_there_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    state, begun = tmp_path / "state", []

    async def begin() -> None:
        async with open_service([], state=state) as service:
            chats = ChatSessions(service, state, ChatData())
            brought = chats.uploads.check(sales(chats.uploads.place("sales.csv")))
            begun.append(await chats.start("total revenue", [brought.id]))
            await service.wait(begun[0].id, SECONDS)
            await service.store.set_state(begun[0].id, "queued")

    async def go_on() -> None:
        async with open_service([], state=state) as service:
            chats = ChatSessions(service, state, ChatData())
            await chats.recover()
            assert chats.all() == begun
            assert "3" in chats.turn(begun[0].id, 1).answer
            with pytest.raises((ConfigError, SourceError, UsageError), match=r"sales\.csv"):
                await chats.say(begun[0].id, "total revenue by region")

    asyncio.run(begin())
    Path(begun[0].files[0]).unlink()
    asyncio.run(go_on())
