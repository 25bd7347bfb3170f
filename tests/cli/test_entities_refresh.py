"""`flows entities refresh` by schedule, stopped and killed: the old entities or the new ones."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.memory.entities.lookup import find_entities
from flows.memory.entities.stores import EngineStore, RedisEntityStore, SQLiteEntityStore
from tests.cli.inside import inside
from tests.servers.redis import RedisServer, redis_program

REFRESH = """\
entities: STORE
data: {styles: styles.csv, bodies: bodies.csv}
types:
  - {type: style, table: styles, key: code}
  - {type: body, table: bodies, key: code}
"""
SQLITE = "{_target_: entities.sqlite, path: shop.sqlite3}"
SECONDS = 120.0


def write_data(folder: Path, rows: int, turn: int) -> None:
    for name, first in (("styles", "S"), ("bodies", "B")):
        lines = [f"{first}-{number},{turn}" for number in range(rows)]
        whole = folder / f"{name}.new"
        whole.write_text("\n".join(["code,turn", *lines, ""]))
        whole.replace(folder / f"{name}.csv")  # a refresh at work never sees half a file


def command(folder: Path, *more: str) -> subprocess.Popen[str]:
    words = [sys.executable, "-m", "flows", "entities", "refresh", "refresh.yaml", *more]
    return subprocess.Popen(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def sqlite_of(folder: Path) -> EngineStore:
    return SQLiteEntityStore(SQLiteEntityStore.Config(path=folder / "shop.sqlite3"))


def turns(store: EngineStore, rows: int) -> set[object]:
    """The turns of entities of both types, all of which have to be there, in one call."""
    asked = [f"{first}-{number}" for first in "SB" for number in range(0, rows, max(1, rows // 30))]
    found = find_entities(store.engine, asked, ())
    assert len(found.records) == len(asked)
    return {each.values["turn"] for each in found.records}


def wait_for(done: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + SECONDS
    while not done():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.long("whole runs of the command")
def test_a_schedule_refreshes_until_it_is_stopped_and_a_turn_that_fails_keeps_the_old(
    tmp_path: Path,
) -> None:
    write_data(tmp_path, 20, 1)
    (tmp_path / "refresh.yaml").write_text(REFRESH.replace("STORE", SQLITE) + "every: 1h\n")
    with command(tmp_path, "--every", "0.2s") as process:
        store = sqlite_of(tmp_path)
        try:
            wait_for(lambda: bool(store.engine.types()) and turns(store, 20) == {1}, process)
            write_data(tmp_path, 20, 2)
            wait_for(lambda: turns(store, 20) == {2}, process)
            (tmp_path / "styles.csv").write_text("cod,turn\nS-1,3\n")
            time.sleep(1)
            assert turns(store, 20) == {2}
            write_data(tmp_path, 20, 4)
            wait_for(lambda: turns(store, 20) == {4}, process)
        finally:
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=SECONDS)
            store.engine.close()
    assert process.returncode == 130, err
    assert out.count("style: 20 entities") >= 2
    assert "not refreshed: " in err
    assert "there is no column 'code'" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("refresh", "refresh.yaml", "--every", "soon"), "--every: 'soon' is no interval"),
        (("refresh", "refresh.yaml", "--every", "500d"), "longer than a year"),
        (("refresh", "refresh.yaml", "every=often"), "'often' is no interval, such as 90s"),
        (("list", "--every", "5m"), "--every is of a refresh"),
        (("refresh", "refresh.yaml", "types.1.type=style"), "the type style is there twice"),
    ],
)
def test_what_is_no_schedule_is_said(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    write_data(tmp_path, 1, 1)
    (tmp_path / "refresh.yaml").write_text(REFRESH.replace("STORE", SQLITE))
    ended = inside("entities", *words, cwd=tmp_path)
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.long("whole runs of the command")
def test_once_is_once_whatever_the_file_says(tmp_path: Path) -> None:
    write_data(tmp_path, 1, 1)
    (tmp_path / "refresh.yaml").write_text(REFRESH.replace("STORE", SQLITE) + "every: 1h\n")
    assert inside("entities", "refresh", "refresh.yaml", "--every", "0", cwd=tmp_path).code == 0


@pytest.mark.long("whole runs of the command")
def test_ctrl_c_in_a_refresh_leaves_the_old_entities(tmp_path: Path) -> None:
    rows = 60_000
    write_data(tmp_path, 100, 1)
    (tmp_path / "refresh.yaml").write_text(REFRESH.replace("STORE", SQLITE))
    assert inside("entities", "refresh", "refresh.yaml", cwd=tmp_path).code == 0
    write_data(tmp_path, rows, 2)
    written = tmp_path / "shop.sqlite3-wal"
    with command(tmp_path) as process:
        store = sqlite_of(tmp_path)
        assert turns(store, 100) == {1}
        wait_for(lambda: written.exists() and written.stat().st_size > 2_000_000, process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=SECONDS)
    assert process.returncode == 130
    assert turns(store, 100) == {1}
    assert {each.name: each.count for each in store.engine.types()} == {"style": 100, "body": 100}
    store.engine.close()
    write_data(tmp_path, 100, 3)  # and nobody is said to be loading
    assert inside("entities", "refresh", "refresh.yaml", cwd=tmp_path).code == 0


@contextmanager
def places(kind: str, folder: Path) -> Iterator[Callable[[int], tuple[Path, EngineStore]]]:
    """Makes, for a number, a folder with a store of its own and the file that refreshes it."""

    def made(number: int, store: str) -> Path:
        own = folder / str(number)
        own.mkdir()
        (own / "refresh.yaml").write_text(REFRESH.replace("STORE", store))
        return own

    if kind == "sqlite":

        def of_sqlite(number: int) -> tuple[Path, EngineStore]:
            own = made(number, SQLITE)
            return own, sqlite_of(own)

        yield of_sqlite
        return
    with RedisServer() as server:

        def of_redis(number: int) -> tuple[Path, EngineStore]:
            name = f"store-{number}"
            given = f"url: '{server.url}', name: {name}, password: {server.password}"
            own = made(number, f"{{_target_: entities.redis, {given}}}")
            values = {"url": server.url, "name": name, "password": server.password}
            return own, RedisEntityStore(RedisEntityStore.Config.model_validate(values))

        yield of_redis


@contextmanager
def watched(store: EngineStore, rows: int) -> Iterator[list[set[object]]]:
    """What a reader sees meanwhile, call by call."""
    found: list[set[object]] = []
    stop = threading.Event()

    def watch() -> None:
        while not stop.is_set():
            found.append(turns(store, rows))
            time.sleep(0.005)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield found
    finally:
        stop.set()
        watching.join()


@pytest.mark.long("a command is killed eight times in the middle of its work, for each store")
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_a_refresh_that_is_killed_shows_the_old_or_the_new_and_never_a_mixture(
    tmp_path: Path, kind: str
) -> None:
    if kind == "redis" and redis_program() is None:
        pytest.skip("redis-server is not installed")
    rows, drawn, seen = 6_000, random.Random(11), set()
    with places(kind, tmp_path) as place:
        folder, store = place(0)
        write_data(folder, rows, 1)
        started = time.monotonic()
        with command(folder) as process:
            assert process.wait(SECONDS) == 0
        whole = time.monotonic() - started
        store.engine.close()
        for number in range(1, 9):
            folder, store = place(number)
            write_data(folder, rows, 1)
            with command(folder) as process:
                assert process.wait(SECONDS) == 0, process.communicate()
            write_data(folder, rows, 2)
            with watched(store, rows) as found, command(folder) as process:
                time.sleep(whole * drawn.uniform(0.3, 1.1))
                process.kill()
            assert all(len(each) == 1 for each in found), found
            [turn] = turns(store, rows)
            seen.add(turn)
            assert {each.count for each in store.engine.types()} == {rows}
            store.engine.close()
    assert 1 in seen  # some were killed before they had put anything in place
