"""Entities in a SQLite file: the contract, and what a file can be like."""

from __future__ import annotations

import asyncio
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from flows.core.entity_store import EntityRecord
from flows.errors import StoreError
from flows.memory.entities.stores import SQLiteEntityStore
from tests.contracts.entity_store import STYLE, EntityStoreContract


def opened(folder: Path) -> SQLiteEntityStore:
    return SQLiteEntityStore(SQLiteEntityStore.Config(path=folder / "entities.sqlite3"))


class TestSQLite(EntityStoreContract):
    def open(self, place: Path) -> SQLiteEntityStore:
        return opened(place)


def test_looking_makes_no_file(tmp_path: Path) -> None:
    asyncio.run(opened(tmp_path).get(["KT-2011"]))
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "entities.sqlite3").write_text("This is a letter, and no database at all. " * 50)
    store = opened(tmp_path)
    with pytest.raises(StoreError, match="cannot be read: file is not a database"):
        asyncio.run(store.get(["KT-2011"]))
    with pytest.raises(StoreError, match="cannot be written"):
        asyncio.run(store.put([STYLE]))


def test_a_writer_that_waited_too_long_says_for_whom(tmp_path: Path) -> None:
    path = tmp_path / "entities.sqlite3"
    asyncio.run(opened(tmp_path).put([STYLE]))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    store = SQLiteEntityStore(SQLiteEntityStore.Config(path=path, wait_s=0.05))
    with pytest.raises(StoreError, match=r"another process has been writing for 0\.05 s"):
        asyncio.run(store.put([STYLE]))
    other.close()


KILLED = """
import sys
from pathlib import Path
from flows.core.entity_store import EntityRecord
from flows.memory.entities.sqlite import SQLiteEngine
engine = SQLiteEngine(Path(sys.argv[1]))
loading = engine.begin("style")
engine.write(loading, [EntityRecord(type="style", key=f"N-{each}") for each in range(500)], None)
print("written", flush=True)
sys.stdin.read()
"""


def test_a_killed_loading_changes_nothing_and_the_next_clears_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(tmp_path)
    asyncio.run(store.put([STYLE]))
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, tmp_path / "entities.sqlite3"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        process.send_signal(signal.SIGKILL)
    assert [each.count for each in asyncio.run(store.types())] == [1]
    with pytest.raises(StoreError, match="are being loaded"):
        asyncio.run(store.load("style", [STYLE]))
    monkeypatch.setattr("flows.memory.entities.sqlite.LOADING_SECONDS", 0.0)
    new = EntityRecord(type="style", key="KT-3000")
    assert asyncio.run(store.load("style", [new])) == 1
    assert asyncio.run(store.get(["KT-3000"])).records == (new,)
    import sqlite3

    with sqlite3.connect(tmp_path / "entities.sqlite3") as file:
        assert file.execute("SELECT count(*) FROM entities").fetchall() == [(1,)]
