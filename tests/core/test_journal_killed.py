"""A process that writes a journal is killed at each point of it: no row that it had written is
lost, none stands there twice, and who opens the journal then goes on with it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from flows.core.journal import Journal, load
from flows.core.store import JournalFile
from tests.kills.points import Point, Points, WatchedFile
from tests.kills.process import in_a_process

ROWS = 16
NAMES = ("r1", "r2")
Tell = Callable[[dict[str, Any]], None]


async def write_rows(folder: Path, target: Point | None, grouped: bool, tell: Tell) -> None:
    """Rows of two runs that share a file, or of one; each is told of once it is written."""
    points = Points(target, None if target else lambda point: tell({"point": list(point)}))
    points.watch()
    file = WatchedFile(folder, points, new=True, grouped=grouped)
    names = NAMES if grouped else (folder.name,)
    journals = [Journal(file, name) for name in names]
    for number in range(ROWS):
        for journal, name in zip(journals, names, strict=True):
            body = json.dumps({"outputs": {"text": "long " * 100}, "used": 0.5})
            durable = number % 3 > 0
            commit = journal.append("outcome", f"a#{number}", "", body, durable=durable)
            if commit is not None:
                await commit
            if durable or not grouped:
                tell({"written": [name, number]})
    file.close()


def attempt(folder: Path, target: Point | None, grouped: bool, tell: Tell) -> None:
    asyncio.run(write_rows(folder, target, grouped, tell))


@pytest.mark.timeout(600)
@pytest.mark.long("a process of its own for each point of a journal")
@pytest.mark.parametrize("grouped", [False, True])
def test_no_written_row_is_lost(grouped: bool, tmp_path: Path) -> None:
    calm = tmp_path / "calm"
    calm.mkdir()
    ended = in_a_process(partial(attempt, calm, None, grouped), tmp_path, tmp_path / "unused")
    assert not ended.trouble
    points = [Point(*each["point"]) for each in ended.told if "point" in each]
    assert len({point.name for point in points}) > 8
    assert len([each for each in points if each.name == "rows of the log: after COMMIT"]) >= 3

    for number, point in enumerate(points):
        folder = tmp_path / str(number)
        folder.mkdir()
        work = partial(attempt, folder, point, grouped)
        ended = in_a_process(work, tmp_path, tmp_path / "unused")
        assert ended.killed, point
        told: dict[str, int] = {}
        for each in ended.told:
            if "written" in each:
                told[each["written"][0]] = each["written"][1]
        check(folder, told, grouped, point)


def check(folder: Path, told: dict[str, int], grouped: bool, point: Point) -> None:
    """All rows that were told of are there, in their order, for who reads and for who goes on."""
    before = {name: [row.address for row in read(folder, name, grouped)] for name in told}
    for name, last in told.items():
        assert before[name] == [f"a#{n}" for n in range(len(before[name]))], point
        assert len(before[name]) > last, (point, name)
    if not told:
        return
    file = JournalFile(folder, grouped=grouped)
    try:
        for name in told:
            journal = Journal(file, name)
            assert [row.address for row in journal.rows] == before[name], point
            if not grouped:
                journal.append("end", "", "", "{}")
    finally:
        file.close()
    for name in told:
        after = [row.address for row in read(folder, name, grouped)]
        assert after == [*before[name], *([] if grouped else [""])], point


def read(folder: Path, name: str, grouped: bool) -> list[Any]:
    return load(folder, name if grouped else None)
