"""Bits that flip and ends that are lost: rows are as they were written, or it is said.

Of a file that a killed process left, the rows after the last that was synced may be missing: they
stand for steps without effects, are taken again, and a power cut may take them too. Such a loss at
the end of a log cannot be told from one. All rows before are there, or it is said.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Literal, get_args

import pytest

from flows.core.file_lock import LOCK, head_of
from flows.core.journal import Journal, load
from flows.core.row_log import LOG
from flows.core.rows import Kind, Row
from flows.core.store import FILE, JournalFile
from flows.errors import JournalError
from tests.kills.process import in_a_process

Left = Literal["ended", "killed", "shared", "shared and ended"]
WAL = f"{FILE}-wal"
LEFT: tuple[Left, ...] = get_args(Left)
STEPS: tuple[tuple[Kind, str, bool], ...] = (
    ("start", "", True),
    ("outcome", "count#1", False),
    ("outcome", "append#1", True),
    ("intent", "send#1", True),
    ("outcome", "send#1", True),
    ("outcome", "count#2", False),
    ("outcome", "count#3", False),
)


@dataclass(frozen=True)
class Record:
    """The files of a folder, the rows of its runs as written, and how many of each were synced.
    The run None is alone in its file."""

    files: Mapping[str, bytes]
    rows: Mapping[str | None, Sequence[Row]]
    synced: Mapping[str | None, int]


async def write_rows(folder: Path, left: Left) -> None:
    """Rows as a run leaves them, one too long for a page; only `ended` closes the file. Then this
    process dies."""
    shared = left.startswith("shared")
    file = JournalFile(folder, new=True, grouped=shared)
    journals = [Journal(file, name) for name in (("r1", "r3") if shared else (folder.name,))]
    for number, (kind, address, durable) in enumerate(STEPS):
        for journal in journals:
            text = "long " * 4_000 if number == 2 else "short"
            body = json.dumps({"outputs": {"text": text}, "used": 0.5})
            journal.append(kind, address, f"{number:024d}", body, durable=durable)
        file.flush()
    if left.endswith("ended"):
        for journal in journals:
            journal.append("end", "", "", '{"status":"finished","failed_at":[]}')
        file.close()
    os.kill(os.getpid(), signal.SIGKILL)


@cache
def recorded(left: Left) -> Record:
    folder = Path(mkdtemp())
    try:
        ended = in_a_process(
            lambda _: asyncio.run(write_rows(folder, left)), folder, folder / "unused"
        )
        assert not ended.trouble
        files = {each.name: each.read_bytes() for each in folder.iterdir()}
        names: tuple[str | None, ...] = ("r1", "r3") if left.startswith("shared") else (None,)
        synced = head_of(folder) // len(names)
        return Record(
            files, {name: load(folder, name) for name in names}, dict.fromkeys(names, synced)
        )
    finally:
        shutil.rmtree(folder)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: thousands of files are written and synced."""
    memory = Path("/dev/shm")
    folder = Path(mkdtemp(dir=memory if os.access(memory, os.W_OK) else tmp_path))
    yield folder
    shutil.rmtree(folder)


def damage(content: bytes, chance: random.Random) -> tuple[bytes, str]:
    """The content with one bit turned, or without its end; and what was done."""
    at = chance.randrange(len(content))
    if chance.random() < 0.15:
        return content[:at], f"cut at {at}"
    bit = chance.randrange(8)
    return content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :], f"{at}, bit {bit}"


def read_by_load(folder: Path, name: str | None) -> Sequence[Row]:
    return load(folder, name)


def read_to_go_on(folder: Path, name: str | None) -> Sequence[Row]:
    if name is None:
        journal = Journal.open(folder)
        journal.close()
        return journal.rows
    file = JournalFile(folder)
    try:
        if name not in file.runs:
            raise JournalError(f"no run {name}")
        return Journal(file, name).rows
    finally:
        file.close()


def flip_and_read(times: int, seed: int, place: Path) -> tuple[Counter[str], list[str]]:
    """So many damages; how often they were said, harmless, or took rows that were not synced."""
    chance = random.Random(seed)
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(times):
        left = chance.choice(LEFT)
        record = recorded(left)
        names = [name for name in record.files if record.files[name]]
        name = chance.choice([*names, *(each for each in names if each in (FILE, WAL, LOG))])
        damaged, what = damage(record.files[name], chance)
        for read in (read_by_load, read_to_go_on):
            folder = place / f"{number}-{read.__name__}"
            folder.mkdir()
            for each, content in {**record.files, name: damaged}.items():
                (folder / each).write_bytes(content)
            for run, rows in record.rows.items():
                found = judge(read, folder, run, rows, record.synced[run], name)
                seen[found] += 1
                if found == "wrong":
                    wrong.append(f"{left} {name} {what}: {read.__name__} {run}")
            shutil.rmtree(folder)
    return seen, wrong


Read = Callable[[Path, str | None], Sequence[Row]]


def judge(
    read: Read, folder: Path, run: str | None, rows: Sequence[Row], synced: int, name: str
) -> str:
    """What came of damage to the file `name`: an error, all rows, or all that were synced."""
    try:
        found = read(folder, run)
    except JournalError:
        return "said"
    if list(found) == list(rows):
        return "harmless"
    is_end = len(found) >= synced and list(found) == list(rows[: len(found)])
    return "unsynced" if is_end and name in (WAL, LOG) else "wrong"


@pytest.mark.long("whole runs at size")
def test_damage_is_noticed(place: Path) -> None:
    seen, wrong = flip_and_read(300, 1, place)

    assert wrong == []
    assert seen["said"] > 100
    assert seen["harmless"] > 50


@pytest.mark.soak("ten thousand damaged journals")
@pytest.mark.timeout(900)
def test_ten_thousand_damages_are_noticed(place: Path) -> None:
    seen, wrong = flip_and_read(10_000, 2, place)

    assert wrong == []
    assert min(seen["said"], seen["harmless"], seen["unsynced"]) > 100


def test_what_a_killed_process_left_is_whole() -> None:
    record = recorded("killed")

    assert set(record.files) >= {FILE, WAL, LOG, LOCK}
    assert [(row.kind, row.address) for row in record.rows[None]] == [
        (kind, address) for kind, address, _ in STEPS
    ]
    assert record.synced[None] == 5
