"""The record of a run: what is in it, that damage is noticed, and who may write."""

import asyncio
import multiprocessing
import resource
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.core.file_lock import LOCK
from flows.core.history import reusable
from flows.core.journal import Journal, load
from flows.core.row_log import LOG
from flows.core.rows import Row
from flows.core.store import CHECK_SECONDS, FILE, JournalFile
from flows.errors import JournalError, JournalTaken
from flows.runners.local import run_plan
from tests.shapes import plan_of

FLOW = """
_target_: sequential
input_interface: [n]
subflows_config: {a: {_target_: T.Add}, w: {_target_: T.Write}, s: {_target_: T.Send}}
topology: [{goal: a, flow: a}, {goal: w, flow: w}, {goal: s, flow: s}]
inputs: {n: 1}
"""


def recorded(folder: Path) -> Path:
    plan = plan_of(FLOW, folder)
    return asyncio.run(run_plan(plan, run_id="r")).folder


def test_rows_of_a_run_in_order(tmp_path: Path) -> None:
    rows = load(recorded(tmp_path))

    assert [(row.kind, row.address) for row in rows] == [
        ("start", ""),
        ("outcome", "a#1"),
        ("outcome", "w#1"),
        ("intent", "s#1"),
        ("outcome", "s#1"),
        ("end", ""),
    ]
    assert [row.seq for row in rows] == list(range(1, 7))
    assert rows[1].data()["outputs"] == {"n": 2}
    assert rows[-1].data()["status"] == "finished"
    assert rows[3].digest == rows[4].digest != rows[1].digest


@pytest.mark.parametrize("keep", [0, 1, 100, 512, 4096, 5000])
def test_a_cut_file_is_noticed(tmp_path: Path, keep: int) -> None:
    folder = recorded(tmp_path)
    path = folder / FILE
    path.write_bytes(path.read_bytes()[:keep])

    with pytest.raises(JournalError):
        load(folder)
    with pytest.raises(JournalError):
        Journal.open(folder, create=False)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE journal SET body = replace(body, '2', '3') WHERE id = 2",
        "UPDATE journal SET address = 'a#2' WHERE id = 2",
        "UPDATE journal SET kind = 'failure' WHERE id = 2",
        "UPDATE journal SET digest = '0' WHERE id = 2",
        "UPDATE journal SET at = at + 0.5 WHERE id = 2",
        "DELETE FROM journal WHERE id = 2",
        "DELETE FROM journal WHERE id = 1",
        "UPDATE journal SET id = CASE id WHEN 2 THEN -3 ELSE -2 END WHERE id IN (2, 3);"
        "UPDATE journal SET id = -id WHERE id < 0",
        "INSERT INTO journal SELECT 99, kind, address, digest, body, at, checksum, run"
        " FROM journal WHERE id = 2",
    ],
)
def test_a_changed_row_is_noticed(tmp_path: Path, change: str) -> None:
    folder = recorded(tmp_path)
    connection = sqlite3.connect(folder / FILE)
    connection.executescript(change)
    connection.close()

    with pytest.raises(JournalError, match="is damaged"):
        load(folder)
    with pytest.raises(JournalError, match="is damaged"):
        Journal.open(folder, create=False)


def test_a_damaged_journal_gives_its_lock_back(tmp_path: Path) -> None:
    folder = recorded(tmp_path)
    whole = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(whole[:4096])
    with pytest.raises(JournalError):
        Journal.open(folder, create=False)
    (folder / FILE).write_bytes(whole)

    Journal.open(folder, create=False).close()


def test_only_appended(tmp_path: Path) -> None:
    folder = recorded(tmp_path)
    before = load(folder)
    journal = Journal.open(folder, create=False)
    journal.append("start", "", "", "{}")
    journal.close()

    after = load(folder)
    assert after[: len(before)] == before
    assert len(after) == len(before) + 1


def limit_files(most: int) -> None:
    """No file of this process grows beyond so many bytes, as on a disk that is full."""
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))


def test_after_a_write_that_failed_nothing_more_is_written(tmp_path: Path) -> None:
    before, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    journal = Journal.open(tmp_path, create=True)
    journal.append("start", "", "", "{}")
    limit_files((tmp_path / LOG).stat().st_size + 20)  # of the next row a piece is written
    try:
        with pytest.raises(JournalError, match="cannot be written: File too large"):
            journal.append("intent", "a#1", "", "{}")
    finally:
        limit_files(before)

    with pytest.raises(JournalError, match="could not be written before"):
        journal.append("intent", "b#1", "", "{}")
    assert [row.kind for row in load(tmp_path)] == ["start"]
    journal.close()
    assert [row.kind for row in load(tmp_path)] == ["start"]
    again = Journal.open(tmp_path)
    again.append("outcome", "a#1", "", "{}")
    again.close()
    assert [row.kind for row in load(tmp_path)] == ["start", "outcome"]


def test_a_file_that_cannot_take_rows_has_them_in_its_log(tmp_path: Path) -> None:
    """Another program that writes to the file keeps it, or the disk is full: no row is lost."""
    before, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    file = JournalFile(tmp_path, new=True, log_bytes=2_000)
    journal = Journal(file, tmp_path.name, owned=True)
    journal.append("start", "", "", "{}")
    wal = (tmp_path / f"{FILE}-wal").stat().st_size
    try:
        limit_files(wal)
        for number in range(60):
            journal.append("outcome", f"a#{number}", "", "{}")
        assert [row.seq for row in load(tmp_path)] == list(range(1, 62))
        journal.close()
    finally:
        limit_files(before)

    assert [row.seq for row in load(tmp_path)] == list(range(1, 62))
    Journal.open(tmp_path).close()
    assert [row.seq for row in load(tmp_path)] == list(range(1, 62))
    assert not (tmp_path / LOG).exists()
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([FILE, LOCK])


def test_readers_see_each_row_once_while_the_file_takes_them(tmp_path: Path) -> None:
    file = JournalFile(tmp_path, new=True, log_bytes=1_000)
    journal = Journal(file, tmp_path.name, owned=True)
    for number in range(1, 60):
        journal.append("outcome", f"a#{number}", "", "{}", durable=number % 5 == 0)
        assert [row.seq for row in load(tmp_path)] == list(range(1, number + 1))
    journal.close()


def test_who_lost_its_claim_writes_nothing_more(tmp_path: Path) -> None:
    """A lock that does not hold, as on some network disks: the file has another writer now."""
    first = Journal.open(tmp_path, create=True)
    first.append("start", "", "", "{}")
    (tmp_path / LOCK).unlink()
    second = Journal.open(tmp_path)
    second.append("outcome", "a#1", "", "{}")
    time.sleep(CHECK_SECONDS)  # outcomes that come faster share a look at the files

    with pytest.raises(JournalTaken, match="another process has taken over the run in"):
        first.append("outcome", "a#1", "", "[]")
    first.close()
    second.close()
    assert [row.kind for row in load(tmp_path)] == ["start", "outcome"]
    assert load(tmp_path)[1].body == "{}"


HOLD = """
import sys
from pathlib import Path
from flows.core.journal import Journal
journal = Journal.open(Path(sys.argv[1]), create=True)
journal.append("start", "", "", "{}")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.long("whole runs at size")
def test_one_process_writes_and_others_may_read(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"

        with pytest.raises(JournalError, match="another process is running"):
            Journal.open(tmp_path, create=False)
        assert [row.kind for row in load(tmp_path)] == ["start"]
    finally:
        holder.kill()
        holder.communicate()

    journal = Journal.open(tmp_path, create=False)
    assert [row.kind for row in journal.rows] == ["start"]
    journal.close()


def test_the_lock_is_not_inherited_by_children(tmp_path: Path) -> None:
    journal = Journal.open(tmp_path, create=True)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        journal.close()
        Journal.open(tmp_path, create=False).close()
    finally:
        child.communicate(b"\n")


def test_another_schema_is_refused(tmp_path: Path) -> None:
    folder = recorded(tmp_path)
    connection = sqlite3.connect(folder / FILE)
    connection.execute("PRAGMA user_version=3")
    connection.close()

    with pytest.raises(JournalError, match="has schema 3; this version reads 1 to 2"):
        Journal.open(folder, create=False)
    with pytest.raises(JournalError, match="has schema 3; this version reads 1 to 2"):
        load(folder)


def test_a_file_that_is_no_journal(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text("no database at all" * 100)

    with pytest.raises(JournalError, match="not a database"):
        load(tmp_path)
    with pytest.raises(JournalError, match="not a database"):
        Journal.open(tmp_path, create=False)


def test_another_database_is_left_as_it_is(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / FILE)
    connection.execute("CREATE TABLE mine (a)")
    connection.commit()
    connection.close()

    with pytest.raises(JournalError):
        Journal.open(tmp_path, create=False)

    connection = sqlite3.connect(tmp_path / FILE)
    tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    connection.close()
    assert tables == ["mine"]


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match="there is no run in"):
        load(tmp_path)
    with pytest.raises(JournalError, match="there is no run in"):
        Journal.open(tmp_path, create=False)
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal.open(tmp_path / "nowhere", create=True)


def row(seq: int, kind: str, address: str, body: str = "{}") -> Row:
    return Row(seq, kind, address, "", body, 0.0, "")


FAILED = '{"error": "ToolError", "type": "ToolError", "message": "x"}'
WAITING = '{"error": "FlowsError", "type": "Waiting", "message": "x"}'


def kinds(rows: list[Row]) -> dict[str, str]:
    return {address: each.kind for address, each in reusable(rows).items()}


def test_the_last_word_of_a_step_counts() -> None:
    rows = [row(1, "intent", "a"), row(2, "outcome", "a"), row(3, "intent", "b")]
    assert kinds(rows) == {"a": "outcome", "b": "intent"}


def test_a_failure_that_was_dealt_with_is_kept() -> None:
    rows = [row(1, "failure", "a", FAILED), row(2, "outcome", "b")]
    assert kinds(rows) == {"a": "failure", "b": "outcome"}


def test_a_failure_at_the_end_of_a_killed_run_is_tried_again() -> None:
    rows = [row(1, "outcome", "b"), row(2, "failure", "a", FAILED), row(3, "failure", "c", FAILED)]
    assert kinds(rows) == {"b": "outcome", "a": "failure"}
    assert kinds([*rows, row(4, "start", "")]) == {"b": "outcome", "a": "failure"}


def test_a_failure_before_the_end_of_a_run_that_did_not_fail_is_kept() -> None:
    end = row(2, "end", "", '{"failed_at": []}')
    assert kinds([row(1, "failure", "a", FAILED), end]) == {"a": "failure"}


def test_the_failures_that_ended_a_run_are_tried_again() -> None:
    end = row(4, "end", "", '{"failed_at": ["a", "c"]}')
    rows = [row(1, "failure", "a", FAILED), row(2, "outcome", "b"), row(3, "failure", "c", FAILED)]
    assert kinds([*rows, end]) == {"b": "outcome"}
    again = [row(5, "start", ""), row(6, "outcome", "a"), row(7, "outcome", "d")]
    assert kinds([*rows, end, *again]) == {"a": "outcome", "b": "outcome", "d": "outcome"}


def test_a_step_that_waited_is_asked_again() -> None:
    assert kinds([row(1, "failure", "a", WAITING), row(2, "outcome", "b")]) == {"b": "outcome"}


def test_the_outcome_of_an_atomic_top_flow_is_kept() -> None:
    assert kinds([row(1, "outcome", ""), row(2, "end", "", '{"failed_at": []}')]) == {"": "outcome"}


def _append(folder: str, times: int) -> None:
    journal = Journal.open(Path(folder), create=False)
    for _ in range(times):
        journal.append("start", "", "", "{}")
    journal.close()


@pytest.mark.long("several processes write one journal")
def test_one_process_after_the_other(tmp_path: Path) -> None:
    Journal.open(tmp_path, create=True).close()
    for _ in range(3):
        process = multiprocessing.get_context("spawn").Process(
            target=_append, args=(str(tmp_path), 4)
        )
        process.start()
        process.join()
        assert process.exitcode == 0

    assert [each.seq for each in load(tmp_path)] == list(range(1, 13))
