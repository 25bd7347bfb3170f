"""Journals of schema 1, as the version before wrote them: read, migrated, gone on with."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from flows.core.journal import Journal, load
from flows.core.rows import Row
from flows.core.store import FILE
from flows.errors import JournalError
from flows.runners.door import resume
from tests.kills.attempt import Tell
from tests.kills.points import Point, Points
from tests.kills.process import in_a_process
from tests.shapes import TRUST

SCHEMA_1 = Path(__file__).with_name("schema1")
KEPT = "journal.v1.sqlite"
RUN_IDS = {"finished": "20261121-044455-fdd12d", "killed": "20261121-044456-9c3cd7"}


def placed(name: str, runs: Path) -> Path:
    """A folder of a run with the journal of that name."""
    folder = runs / RUN_IDS[name]
    folder.mkdir(parents=True)
    shutil.copy(SCHEMA_1 / name / FILE, folder)
    return folder


def schema_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


def rows_kept(folder: Path, into: Path) -> Sequence[Row]:
    """What the original that was kept says, read as a journal."""
    into.mkdir()
    shutil.copy(folder / KEPT, into / FILE)
    return load(into)


@pytest.mark.parametrize("name", RUN_IDS)
def test_reading_changes_nothing(name: str, tmp_path: Path) -> None:
    folder = placed(name, tmp_path)
    before = (folder / FILE).read_bytes()

    rows = load(folder)

    assert [(row.kind, row.address) for row in rows][:5] == [
        ("start", ""),
        ("outcome", "a#1"),
        ("intent", "w#1"),
        ("outcome", "w#1"),
        ("intent", "s#1"),
    ]
    assert (folder / FILE).read_bytes() == before
    assert not (folder / KEPT).exists()


@pytest.mark.parametrize("name", RUN_IDS)
def test_opening_migrates_and_keeps_the_original(name: str, tmp_path: Path) -> None:
    folder = placed(name, tmp_path)
    rows = load(folder)

    journal = Journal.open(folder)
    journal.append("start", "", "", "{}")
    journal.close()

    assert journal.rows == rows
    assert load(folder)[:-1] == rows
    assert (schema_of(folder / FILE), schema_of(folder / KEPT)) == (2, 1)
    assert rows_kept(folder, tmp_path / "kept") == rows
    kept = (folder / KEPT).read_bytes()
    Journal.open(folder).close()
    assert (folder / KEPT).read_bytes() == kept


@pytest.mark.parametrize("name", RUN_IDS)
def test_an_old_run_goes_on(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    log = tmp_path / "executed.log"
    monkeypatch.setenv("FLOWS_TEST_LOG", str(log))
    placed(name, tmp_path / "runs")

    result = resume(RUN_IDS[name], runs=tmp_path / "runs", trust=TRUST)

    assert (result.status, result.outputs) == ("finished", {"n": 14})
    executed = log.read_text().splitlines() if log.exists() else []
    assert executed == {"finished": [], "killed": ["s#1", "b#1"]}[name]


def migrate(folder: Path, target: Point | None, tell: Tell) -> None:
    points = Points(target, lambda point: tell({"point": list(point)}))
    points.watch()
    Journal.open(folder).close()


@pytest.mark.long("whole processes are killed and go on")
def test_killed_while_migrating(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At each statement, and at the rename: what is left is the original or the new one."""
    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    log = tmp_path / "unused"
    calm = in_a_process(partial(migrate, placed("killed", tmp_path / "calm"), None), tmp_path, log)
    points = [Point(*each["point"]) for each in calm.told]
    names = [point.name for point in points]
    assert "rename to *.sqlite" in names
    assert names.index("rename to *.sqlite") < names.index("journal.sqlite: ALTER TABLE")

    for number, point in enumerate(points):
        runs = tmp_path / str(number)
        folder = placed("killed", runs)
        rows = load(folder)
        ended = in_a_process(partial(migrate, folder, point), tmp_path, log)

        assert ended.killed, point
        assert load(folder) == rows, point
        if (folder / KEPT).exists():
            assert rows_kept(folder, runs / "kept") == rows, point
        result = resume(RUN_IDS["killed"], runs=runs, trust=TRUST)
        assert (result.status, result.outputs) == ("finished", {"n": 14}), point
        assert rows_kept(folder, runs / "kept at last") == rows, point


def test_a_damaged_old_file_is_refused_and_kept(tmp_path: Path) -> None:
    folder = placed("killed", tmp_path)
    with closing(sqlite3.connect(folder / FILE)) as connection:
        connection.execute("UPDATE journal SET body = replace(body, '3', '4') WHERE seq = 4")
        connection.commit()

    with pytest.raises(JournalError, match="is damaged at row 4"):
        load(folder)
    for _ in range(2):
        with pytest.raises(JournalError, match="is damaged at row 4"):
            Journal.open(folder)
    assert schema_of(folder / KEPT) == 1
