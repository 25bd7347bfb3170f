"""Following a journal while it is written, in a file of one run or of many."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from flows.core.journal import Journal
from flows.core.store import FILE, JournalFile
from flows.errors import JournalError
from flows.records.lookup import RunPlace, find_run
from flows.records.tail import RowTail


def kinds(tail: RowTail) -> list[tuple[int, str]]:
    return [(row.seq, row.kind) for row in tail.read()]


def test_each_row_is_given_once_while_the_file_is_written_and_afterwards(tmp_path: Path) -> None:
    folder = tmp_path / "20260101-000000-aaaaaa"
    folder.mkdir()
    journal = Journal.open(folder, create=True)
    journal.append("start", "", "", "{}")
    tail = RowTail(find_run(tmp_path, folder.name))
    assert kinds(tail) == [(1, "start")]
    assert kinds(tail) == []
    journal.append("outcome", "a#1", "d", "{}")
    journal.append("outcome", "b#1", "d", "{}")
    assert kinds(tail) == [(2, "outcome"), (3, "outcome")]
    tail.rest()
    journal.append("stop", "", "", '{"used": 1.0}')
    journal.close()
    assert kinds(tail) == [(4, "stop")]
    assert kinds(tail) == []
    again = Journal.open(folder)
    again.append("start", "", "", "{}")
    assert kinds(tail) == [(5, "start")]
    tail.rest()
    again.close()


def test_runs_that_share_a_file_are_told_apart(tmp_path: Path) -> None:
    async def write() -> None:
        file = JournalFile(tmp_path, new=True, grouped=True)
        one, other = Journal(file, "one"), Journal(file, "other")
        for number in range(3):
            await one.write("outcome", f"one#{number}", "", "{}")
            await other.write("outcome", f"other#{number}", "", "{}")
            if not number:
                tails = [RowTail(find_run(tmp_path, each)) for each in ("one", "other")]
                assert [kinds(each) for each in tails] == [[(1, "outcome")]] * 2
        assert [kinds(each) for each in tails] == [[(2, "outcome"), (3, "outcome")]] * 2
        for each in tails:
            each.rest()
        file.close()

    asyncio.run(write())


def test_a_changed_row_is_noticed(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path, create=True)
    journal.append("start", "", "", "{}")
    tail = RowTail(RunPlace(tmp_path.name, tmp_path, tmp_path, False, 0, 0.0))
    tail.read()
    journal.append("outcome", "a#1", "d", "{}")
    journal.close()
    with sqlite3.connect(tmp_path / FILE) as writer:
        writer.execute("UPDATE journal SET body = '[]' WHERE id = 2")
    writer.close()
    with pytest.raises(JournalError, match="damaged at row 2"):
        tail.read()
    tail.rest()
