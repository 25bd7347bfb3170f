"""The log of a file that many runs share, read for one run after the other."""

from __future__ import annotations

import asyncio
from pathlib import Path

from flows.core.journal import Journal, load, read_rows
from flows.core.row_log import LOG, LogIndex
from flows.core.rows import Row
from flows.core.store import FILE, JournalFile

NAMES = ("a", "b", "c")


def test_an_index_gives_the_rows_of_each_run_while_they_are_written(tmp_path: Path) -> None:
    """Also when the log was emptied between two looks at it, as the file took its rows."""

    async def use() -> list[int]:
        file = JournalFile(tmp_path, new=True, grouped=True, log_bytes=3_000)
        journals = [Journal(file, name) for name in NAMES]
        index, sizes = LogIndex(tmp_path / LOG), []
        for number in range(30):
            for each in journals[number % 2 :]:
                each.append("outcome", f"step#{number}", "", f'"{"x" * 200}"', durable=False)
            file.flush()
            sizes.append(len(index.read(1)))
            for run, name in enumerate(NAMES, 1):
                found: list[Row] = read_rows(file.connection, tmp_path / FILE, run, index)
                assert found == load(tmp_path, name)
                assert len(found) == (number // 2 + 1 if name == "a" else number + 1)
        file.close()
        return sizes

    sizes = asyncio.run(use())
    assert sizes != sorted(sizes)  # it was emptied meanwhile


def test_a_row_that_is_not_whole_ends_what_an_index_gives(tmp_path: Path) -> None:
    async def write() -> None:
        file = JournalFile(tmp_path, new=True, grouped=True)
        journal = Journal(file, "a")
        for number in range(3):
            journal.append("outcome", f"step#{number}", "", "{}", durable=False)
        file.flush()
        index, log = LogIndex(tmp_path / LOG), tmp_path / LOG
        whole = log.read_bytes()
        log.write_bytes(whole[:-1])
        assert [each.address for each in index.read(1)] == ["step#0", "step#1"]
        log.write_bytes(whole)
        assert [each.address for each in index.read(1)] == ["step#0", "step#1", "step#2"]
        log.write_bytes(whole.replace(b"step#1", b"step#9"))
        assert [each.address for each in index.read(1)] == ["step#0"]
        assert index.read(2) == []
        file.close()

    asyncio.run(write())
