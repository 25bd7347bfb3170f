"""Rows are added once for each key, whole or not at all, and what cannot be added is told."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from flows.data.append import EffectKey, append_rows
from flows.data.catalog import Catalog
from flows.errors import CommandError, QueryFailed, SourceError

Rows = list[dict[str, Any]]


def append(file: Path, rows: Rows, key: str = "k", table: str = "notes", wait: float = 5) -> int:
    return append_rows(file, table, rows, EffectKey(key, "Keep#1", "run-1"), wait=wait)


def ask(file: Path, sql: str) -> list[Any]:
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(sql).fetchall()


def run_sql(file: Path, sql: str) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(sql)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite"


# What is written.


def test_a_new_file_gets_the_table_the_row_and_the_key(file: Path) -> None:
    assert append(file, [{"name": "Ann", "n": 1, "share": 0.5, "sure": True, "note": None}]) == 1
    assert ask(file, "SELECT * FROM notes") == [("Ann", 1, 0.5, 1, None)]
    types = ask(file, "SELECT name, type FROM pragma_table_info('notes')")
    assert types == [
        ("name", "TEXT"), ("n", "INTEGER"), ("share", "REAL"), ("sure", "INTEGER"), ("note", "")
    ]  # fmt: skip
    [(key, step, run, at)] = ask(file, "SELECT * FROM flows_effects")
    assert (key, step, run) == ("k", "Keep#1", "run-1")
    assert at.startswith("20")


def test_the_same_key_adds_nothing_and_another_one_adds(file: Path) -> None:
    row = {"name": "Ann"}
    assert [append(file, [row], key) for key in ("k1", "k1", "k2", "k1")] == [1, 0, 1, 0]
    assert ask(file, "SELECT count(*) FROM notes") == [(2,)]


def test_rows_that_do_not_have_the_same_columns(file: Path) -> None:
    assert append(file, [{"a": 1}, {"b": "x", "A": 1.5}, {"b": None}]) == 3
    assert ask(file, "SELECT a, b FROM notes") == [(1.0, None), (1.5, "x"), (None, None)]
    types = ask(file, "SELECT name, type FROM pragma_table_info('notes')")
    assert types == [("a", "REAL"), ("b", "TEXT")]


def test_no_rows_make_no_file(file: Path) -> None:
    assert append(file, []) == 0
    assert not file.exists()


def test_names_are_names_and_values_are_values(file: Path) -> None:
    table = 'drop"; DROP TABLE flows_effects; --'
    row = {'a"b': "'); DROP TABLE x; --", "select": "{{ x }}", "first col": "é\x00\n", "ключ": ""}
    assert append(file, [row], table=table) == 1
    quoted = table.replace('"', '""')
    assert ask(file, f'SELECT * FROM "{quoted}"') == [tuple(row.values())]
    assert len(ask(file, "SELECT * FROM flows_effects")) == 1


def test_a_table_that_is_there_keeps_its_defaults_and_its_spelling(file: Path) -> None:
    run_sql(file, "CREATE TABLE notes (Id INTEGER PRIMARY KEY, Name TEXT, at TEXT DEFAULT 'now')")
    append(file, [{"name": "Ann"}, {"NAME": "Bob", "id": 7}])
    assert ask(file, "SELECT * FROM notes") == [(1, "Ann", "now"), (7, "Bob", "now")]


def test_the_keys_are_no_table_of_the_data(file: Path) -> None:
    append(file, [{"name": "Ann"}])
    with Catalog({"mine": str(file)}, file.parent) as catalog:
        assert [table.name for table in catalog.tables()] == ["notes"]


# What is refused. Nothing is written then, and the same key can be tried again.


STRICT = "CREATE TABLE notes (id INTEGER PRIMARY KEY, name TEXT NOT NULL, n INTEGER) STRICT"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"nmae": "x"}, ("has no column 'nmae'", "did you mean 'name'?", "columns: id, name, n")),
        ({"name": "x", "n": "many"}, ("cannot store TEXT value in INTEGER column notes.n",)),
        ({"name": "x", "n": 1.5}, ("cannot store REAL value in INTEGER column notes.n",)),
        ({"name": None}, ("NOT NULL constraint failed: notes.name",)),
        ({"name": "x", "id": 1}, ("UNIQUE constraint failed: notes.id",)),
        ({}, ("row 2 has no columns",)),
        ({"": 1}, ("row 2: '' is not the name of a column",)),
        ({"a\x00b": 1}, ("row 2: 'a\\x00b' is not the name of a column",)),
        ({"name": "x", "Name": "y"}, ("row 2: the column 'Name' is there twice",)),
        ({"name": ["x"]}, ("row 2, column 'name': a list cannot be stored", "text, numbers")),
        ({"name": {"a": 1}}, ("a dict cannot be stored",)),
        ({"name": b"x"}, ("a bytes cannot be stored",)),
        ({"n": 2**63}, ("more than 64 bits",)),
        ({"n": float("nan")}, ("nan is not a number that can be stored",)),
        ({"n": float("inf")}, ("inf is not a number",)),
        ({"name": "\ud800"}, ("lone surrogate",)),
    ],
)
def test_a_row_that_is_not_taken(file: Path, row: dict[str, Any], words: tuple[str, ...]) -> None:
    run_sql(file, f"{STRICT}; INSERT INTO notes VALUES (1, 'old', 1)")
    with pytest.raises(QueryFailed) as caught:
        append(file, [{"name": "good"}, row])
    for each in words:
        assert each in str(caught.value)
    assert ask(file, "SELECT name FROM notes") == [("old",)]
    assert ask(file, "SELECT * FROM sqlite_master WHERE name = 'flows_effects'") == []
    assert append(file, [{"name": "good"}]) == 1


def test_a_reference_that_points_nowhere(file: Path) -> None:
    run_sql(
        file,
        "CREATE TABLE person (id INTEGER PRIMARY KEY);"
        "CREATE TABLE notes (person INTEGER REFERENCES person DEFERRABLE INITIALLY DEFERRED)",
    )
    with pytest.raises(QueryFailed, match="FOREIGN KEY constraint failed"):
        append(file, [{"person": 1}])
    assert ask(file, "SELECT count(*) FROM notes") == [(0,)]


def test_a_view_is_told(file: Path) -> None:
    run_sql(file, "CREATE VIEW notes AS SELECT 1 AS n")
    with pytest.raises(QueryFailed, match="cannot modify notes because it is a view"):
        append(file, [{"n": 1}])


def told(file: Path, kind: type[CommandError], words: str, *, wait: float = 5) -> None:
    with pytest.raises(kind) as caught:
        append(file, [{"n": 1}], wait=wait)
    assert type(caught.value) is kind
    assert str(caught.value).startswith(f"{file}: {words}")


def test_a_file_that_is_no_database(file: Path) -> None:
    file.write_bytes(b"name,amount\n" * 400)
    told(file, SourceError, "it is not a SQLite database")
    assert file.read_bytes() == b"name,amount\n" * 400


def test_a_damaged_database(file: Path) -> None:
    run_sql(file, "CREATE TABLE notes (n INTEGER)")
    content = bytearray(file.read_bytes())
    content[4096:] = b"\xff" * len(content[4096:])  # the table's page; the schema before it is well
    file.write_bytes(content)
    told(file, SourceError, "the database is damaged")


def test_a_folder(file: Path) -> None:
    file.mkdir()
    told(file, SourceError, "the file cannot be opened for writing")


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    told(tmp_path / "no" / "x.db", SourceError, f"there is no folder {tmp_path / 'no'}")
    assert list(tmp_path.iterdir()) == []


def test_a_database_of_a_later_format_can_only_be_read(file: Path) -> None:
    run_sql(file, "CREATE TABLE notes (n INTEGER)")
    content = bytearray(file.read_bytes())
    content[18] = 3  # the version that a writer must know
    file.write_bytes(content)
    told(file, SourceError, "it can only be read")


def test_a_full_table(file: Path) -> None:
    run_sql(file, "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, n INTEGER)")
    run_sql(file, f"INSERT INTO notes VALUES ({2**63 - 1}, 0)")
    told(file, QueryFailed, "the disk or the database is full")


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_disk_that_takes_no_more(file: Path) -> None:
    """A file that may not grow, as on a full disk or over a quota."""
    append(file, [{"text": "old"}])
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from flows.data.append import EffectKey, append_rows\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64_000, 64_000))\n"
        "append_rows(Path(sys.argv[1]), 'notes', [{'text': 'x' * 100_000}],\n"
        "            EffectKey('new', '', ''), wait=1)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(file)], capture_output=True, text=True, timeout=60
    )
    assert "SourceError" in done.stderr
    assert "the disk does not take what is written" in done.stderr
    assert ask(file, "SELECT text FROM notes") == [("old",)]
    assert append(file, [{"text": "new"}], "new") == 1


def test_a_writer_that_does_not_end(file: Path) -> None:
    append(file, [{"n": 1}])
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(QueryFailed, match="another writer keeps it locked"):
            append(file, [{"n": 2}], "k2", wait=0.05)
        other.execute("ROLLBACK")
    assert append(file, [{"n": 2}], "k2") == 1


# Several processes, and processes that are killed.


def python(code: str, *arguments: object) -> subprocess.Popen[str]:
    start = "import sys\nfrom pathlib import Path\n"
    start += "from flows.data.append import EffectKey, append_rows\nfile = Path(sys.argv[1])\n"
    return subprocess.Popen(
        [sys.executable, "-c", start + code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@contextmanager
def ended(*processes: subprocess.Popen[str]) -> Iterator[None]:
    """Give the processes up at the end, whatever happens."""
    try:
        yield
    finally:
        for each in processes:
            each.kill()
            each.communicate()


@pytest.mark.long("servers and workers in processes of their own")
def test_two_processes_with_one_key(file: Path) -> None:
    code = """
print("ready", flush=True)
sys.stdin.readline()
done = [append_rows(file, "notes", [{"n": n}], EffectKey(f"k{n}", "", ""), wait=60)
        for n in range(40)]
print(sum(done))
"""
    both = [python(code, file) for _ in range(2)]
    with ended(*both):
        for each in both:
            assert each.stdout is not None
            each.stdout.readline()
        for each in both:
            assert each.stdin is not None
            each.stdin.write("go\n")
            each.stdin.flush()
        written = [int(each.communicate(timeout=60)[0]) for each in both]
    assert sum(written) == 40
    assert ask(file, "SELECT n, count(*) FROM notes GROUP BY n ORDER BY n") == [
        (n, 1) for n in range(40)
    ]


KILLED_AT = """
import json, os, signal, sqlite3

def write():
    return append_rows(file, "notes", [{"n": 1}, {"n": 2}], EffectKey("k", "", ""), wait=5)

def killed_at(number):
    calls = 0
    def watch(frame, event, called):
        nonlocal calls
        if event == "c_call" and called.__name__ in ("connect", "execute", "close"):
            calls += 1
            if calls == number:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(watch)
    write()
    sys.setprofile(None)
    os._exit(0)

for number in range(1, 100):
    if (child := os.fork()) == 0:
        killed_at(number)
    killed = os.waitpid(child, 0)[1]
    again = write()
    connection = sqlite3.connect(file)
    [rows] = connection.execute("SELECT count(*) FROM notes").fetchone()
    connection.close()
    print(json.dumps([killed, again, rows]), flush=True)
    file.unlink()
    if not killed:
        break
"""


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_kill_between_any_two_calls_of_the_database(file: Path) -> None:
    """After each the same key is tried again: it finds both rows and the key, or none of them."""
    process = python(KILLED_AT, file)
    with ended(process):
        out, _ = process.communicate(timeout=60)
    found = [json.loads(line) for line in out.splitlines()]
    before, after = [9, 2, 2], [9, 0, 2]  # killed, rows that the retry added, rows in the end
    assert len(found) > 10
    # Only the kill after COMMIT finds the rows; the last process was not killed at all.
    assert found == [*[before] * (len(found) - 2), after, [0, 0, 2]]


@pytest.mark.long("whole processes are killed and go on")
def test_kills_in_a_loop_whose_keys_are_tried_again(file: Path) -> None:
    code = """
for n in range(150):
    row = [{"n": n, "text": "x" * 5000}]
    append_rows(file, "notes", row, EffectKey(f"k{n}", "", ""), wait=60)
    print(n, flush=True)
print("end")
"""
    chance = random.Random(1)
    kills = 0
    while True:
        process = python(code, file)
        with ended(process):
            assert process.stdout is not None
            process.stdout.readline()
            if kills < 5:
                time.sleep(chance.random() * 0.15)
                process.kill()
            out, _ = process.communicate(timeout=60)
        if out.endswith("end\n"):
            break
        kills += 1
        check_pairs(file)
    assert kills
    assert check_pairs(file) == {f"k{n}": 1 for n in range(150)}


def check_pairs(file: Path) -> Mapping[str, int]:
    """How many rows there are for each key: there is no row without one."""
    joined = "flows_effects LEFT JOIN notes ON key = 'k' || n"
    pairs = dict(ask(file, f"SELECT key, count(n) FROM {joined} GROUP BY key"))
    assert set(pairs.values()) <= {1}
    assert ask(file, "SELECT count(*) FROM notes") == [(len(pairs),)]
    assert ask(file, "PRAGMA integrity_check") == [("ok",)]
    return pairs
