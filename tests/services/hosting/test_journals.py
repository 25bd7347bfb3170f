"""Journals that many runs of a service share: what stays in memory when they are over is little."""

from __future__ import annotations

import asyncio
import gc
from pathlib import Path

from flows.services.hosting.journals import (
    RUNS_A_FILE,
    JournalReaders,
    SharedJournals,
    journal_name,
)

RUNS = 3 * RUNS_A_FILE


def test_what_is_kept_open_does_not_grow_with_the_runs_of_before(tmp_path: Path) -> None:
    journals, readers = SharedJournals(), JournalReaders()

    async def write(folder: Path, name: str) -> None:
        with journals.journal(folder, name, "normal") as journal:
            await journal.write("start", "", "", "{}")

    async def write_and_read(numbers: range) -> None:
        places = [(tmp_path / journal_name("owner", each), f"run-{each}") for each in numbers]
        await asyncio.gather(*(write(*each) for each in places))
        for folder, name in places:
            place = readers.place(folder, name)
            assert place is not None
            assert [row.kind for row in readers.rows(place)] == ["start"]

    async def use() -> tuple[int, int, int, int]:
        await write_and_read(range(20))
        statements = _statements()
        await write_and_read(range(20, RUNS_A_FILE - 1))
        more = _statements()
        files = _open_files(tmp_path)
        await write_and_read(range(RUNS_A_FILE - 1, RUNS))
        return statements, more, files, _open_files(tmp_path)

    try:
        before, after, files, later_files = asyncio.run(use())
    finally:
        journals.close()
        readers.close()
    assert after <= before + 5
    assert later_files <= 2 * files


def _statements() -> int:
    """The texts of SQL that connections have compiled and keep."""
    gc.collect()
    return sum(type(each).__name__ == "Statement" for each in gc.get_objects())


def _open_files(folder: Path) -> int:
    own = Path("/proc/self/fd")
    return sum(
        str(each.readlink()).startswith(str(folder)) for each in own.iterdir() if each.is_symlink()
    )
