"""The runs that a service keeps: added once, taken over from processes that ended."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from flows.errors import UsageError
from flows.services.hosting.store import FILE, HostingStore, StoredRun

RUN = StoredRun("20260101-000000-aaaaaa", "adder", "file", '{"n": 1}', caller="me", key="k")


def test_a_key_is_one_run_however_many_ask_at_once(tmp_path: Path) -> None:
    async def add() -> list[bool]:
        store = HostingStore(tmp_path)
        runs = [replace(RUN, run_id=f"run-{n}") for n in range(5)]
        runs += [replace(RUN, run_id=f"other-{n}", caller="you") for n in range(2)]
        runs += [replace(RUN, run_id=f"free-{n}", key=None) for n in range(2)]
        added = await asyncio.gather(*(store.add(each) for each in runs))
        found = store.find_key("me", "k")
        assert found is not None
        assert (found.run_id, found.state) == ("run-0", "queued")
        store.close()
        return added

    added = asyncio.run(add())
    assert added == [True, *[False] * 4, True, False, True, True]


def test_only_queued_runs_of_ended_processes_are_taken_over(tmp_path: Path) -> None:
    async def work() -> None:
        ended, alive = HostingStore(tmp_path), HostingStore(tmp_path)
        for n in range(3):
            await ended.add(replace(RUN, run_id=f"ended-{n}", key=None))
        await ended.add(replace(RUN, run_id="of-another-file", file="other", key=None))
        await ended.set_state("ended-1", "finished")
        await alive.add(replace(RUN, run_id="alive", key=None))
        ended.close()
        after = HostingStore(tmp_path)
        taken = await after.take_over(["file"])
        assert [(each.run_id, each.tries) for each in taken] == [("ended-0", 0), ("ended-2", 0)]
        assert await after.take_over(["file"]) == []
        after.close()
        last = HostingStore(tmp_path)
        assert [(each.run_id, each.tries) for each in await last.take_over(["file"])] == [
            ("ended-0", 1),
            ("ended-2", 1),
        ]
        last.close()
        alive.close()

    asyncio.run(work())


def test_a_secret_is_the_same_for_all_processes(tmp_path: Path) -> None:
    async def secrets() -> set[str]:
        one, other = HostingStore(tmp_path), HostingStore(tmp_path)
        found = {one.secret("cookie"), other.secret("cookie"), one.secret("cookie")}
        one.close()
        other.close()
        return found

    assert len(asyncio.run(secrets())) == 1
    assert (tmp_path / "service.sqlite").stat().st_mode & 0o077 == 0


def test_a_place_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be used"):
        HostingStore(tmp_path / "file")


def test_the_file_of_another_version_is_said_and_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / FILE) as older:
        older.execute("PRAGMA journal_mode=WAL")
        older.execute("CREATE TABLE runs (run_id TEXT PRIMARY KEY) STRICT")
    older.close()
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(UsageError, match="another version of analyst-flows"):
        HostingStore(tmp_path)
    assert (tmp_path / FILE).read_bytes() == before
