"""The process that runs queries: what ends it, what comes after, and what it may not reach."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from flows.data.catalog import Catalog
from flows.data.query import run_query, run_unchecked
from flows.data.tables import ResultTable
from flows.data.workers.fork_server import ForkServer
from flows.errors import CommandError, QueryFailed, QueryRefused, SourceError
from tests.data.conftest import SECRET
from tests.processes import is_gone, parent_of

# DuckDB does not look at interrupts inside of a function.
DEAF = "SELECT len(repeat('x', 2000000000)) + len(repeat('y', 2000000000))"
SLOW = (
    "SELECT sum(a.i * b.i) FROM generate_series(1, 1000000) a(i), generate_series(1, 1000000) b(i)"
)
COUNT = "SELECT count(*) FROM orders"


@pytest.fixture
def asked(catalog: Catalog) -> Catalog:
    """The shop, with its worker started."""
    catalog.tables()
    return catalog


def pid_of(catalog: Catalog) -> int:
    found = catalog.workers.files.pid
    assert found is not None
    return found


def count(catalog: Catalog) -> ResultTable:
    return run_query(catalog, COUNT, max_rows=5, timeout=30)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.long("servers and workers in processes of their own")
def test_the_process_that_asks_knows_nothing_of_duckdb(shop: Path) -> None:
    code = f"""
        import sys
        from pathlib import Path
        from flows.data.catalog import Catalog
        from flows.data.query import run_query
        with Catalog({{"orders": "orders.csv"}}, Path({str(shop)!r})) as catalog:
            print(run_query(catalog, "SELECT count(*) FROM orders", max_rows=1, timeout=30).rows)
        print([each for each in ("duckdb", "pandas", "pyarrow") if each in sys.modules])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True
    )
    assert (done.stdout.split("\n")[:2], done.stderr) == (["((5,),)", "[]"], "")


HOOKED = """
import sys
from pathlib import Path

class Hook:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[2]:
            raise RuntimeError("this hook allows no " + name)

sys.meta_path.insert(0, Hook())
from flows.data.catalog import Catalog
try:
    Catalog({"shop": sys.argv[1]}, Path.cwd()).tables()
except Exception as error:
    print(error)
"""


@pytest.mark.long("data of some size, read and asked in workers")
def test_what_an_import_hook_of_the_host_raises_is_raised_and_not_waited_for(shop: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HOOKED, str(shop), "duckdb"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "this hook allows no duckdb" in ended.stdout


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_worker_that_is_killed_before_a_query_is_replaced(asked: Catalog) -> None:
    before, first = pid_of(asked), count(asked)
    os.kill(before, signal.SIGKILL)
    until(lambda: asked.workers.files.pid is None)
    again = count(asked)
    assert (again.rows, again.sources) == (first.rows, first.sources)
    assert pid_of(asked) != before


def test_the_program_that_forks_the_workers_is_replaced_with_them(asked: Catalog) -> None:
    worker, first = pid_of(asked), count(asked)
    program = parent_of(worker)
    os.kill(program, signal.SIGKILL)
    until(lambda: is_gone(worker) and asked.workers.files.pid is None)
    again = count(asked)
    assert (again.rows, again.sources) == (first.rows, first.sources)
    assert parent_of(pid_of(asked)) != program


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_program_ends_when_it_has_had_no_worker_for_a_while() -> None:
    server = ForkServer(idle=0.1)
    ours, theirs = socket.socketpair()
    with tempfile.TemporaryFile() as stderr, ours:
        with theirs:
            life = server.fork(theirs, stderr.fileno())
        worker = life.pid()
        assert worker is not None
        program = parent_of(worker)
        time.sleep(0.3)
        assert not is_gone(program)  # it has one
        life.kill()
        assert life.wait() == -signal.SIGKILL
        until(lambda: is_gone(program))
        with pytest.raises(OSError):
            server.fork(ours, stderr.fileno())
    server.close()


@pytest.mark.parametrize(("zone", "hour"), [("Asia/Tokyo", "09"), ("America/Lima", "19")])
def test_a_worker_has_the_time_zone_that_its_host_has_then(
    shop: Path, monkeypatch: pytest.MonkeyPatch, zone: str, hour: str
) -> None:
    monkeypatch.setenv("TZ", zone)
    sql = "SELECT strftime('%H', 0, 'unixepoch', 'localtime')"
    with Catalog({"books": "books.sqlite"}, shop) as catalog:
        found = run_unchecked(catalog, sql, "sqlite", max_rows=1, timeout=30)
    assert found.rows == ((hour,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_query_whose_worker_dies_says_so(
    asked: Catalog, capfd: pytest.CaptureFixture[str]
) -> None:
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(run_query, asked, SLOW, max_rows=1, timeout=60)
        until(lambda: asked.workers.files.is_busy())
        os.kill(pid_of(asked), signal.SIGSEGV)
        with pytest.raises(QueryFailed, match=r"the process that runs queries died \(SIGSEGV\)"):
            asking.result()
    assert count(asked).rows == ((5,),)
    assert capfd.readouterr() == ("", "")


@pytest.mark.long("servers and workers in processes of their own")
def test_queries_beside_one_that_dies_are_asked_again(asked: Catalog) -> None:
    slow = "SELECT count(*) FROM generate_series(1, 70000000) a(i) WHERE i % 7 = 1"
    with ThreadPoolExecutor(3) as threads:
        asking = [threads.submit(run_query, asked, slow, max_rows=1, timeout=60) for _ in range(2)]
        until(lambda: asked.workers.files.is_busy(2))
        os.kill(pid_of(asked), signal.SIGKILL)
        assert [each.result().rows for each in asking] == [((10_000_000,),)] * 2


@pytest.mark.long("servers and workers in processes of their own")
def test_a_query_that_ignores_interrupts_is_stopped_with_its_process(asked: Catalog) -> None:
    before = pid_of(asked)
    with pytest.raises(QueryFailed, match=r"longer than 0\.3 seconds and was stopped"):
        run_unchecked(asked, DEAF, "duckdb", max_rows=1, timeout=0.3)
    until(lambda: is_gone(before))
    assert count(asked).rows == ((5,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_query_that_heeds_its_time_leaves_the_process_alone(asked: Catalog) -> None:
    kept: list[bool] = []
    while not any(kept) and len(kept) < 5:  # a machine under load may miss the short grace
        before = pid_of(asked) if count(asked).rows else 0
        with pytest.raises(QueryFailed, match=r"longer than 0\.3 seconds"):
            run_query(asked, SLOW, max_rows=1, timeout=0.3)
        kept.append(asked.workers.files.pid == before)
    assert any(kept)


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize("sql", [SLOW, DEAF])
def test_a_query_that_nobody_wants_any_more_ends(asked: Catalog, sql: str) -> None:
    stop = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(
            asked.workers.query, "", sql, (), {}, rows=1, seconds=3600.0, stop=stop
        )
        until(lambda: asked.workers.files.is_busy())
        stop.set()
        with pytest.raises(QueryFailed, match="was stopped"):
            asking.result()
    assert count(asked).rows == ((5,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_bomb_of_memory_fails_alone(asked: Catalog, capfd: pytest.CaptureFixture[str]) -> None:
    before = pid_of(asked)
    with pytest.raises(QueryFailed, match="memory"):
        run_unchecked(asked, "SELECT len(range(2000000000))", "duckdb", max_rows=1, timeout=30)
    assert count(asked).rows == ((5,),)
    assert pid_of(asked) != before
    assert capfd.readouterr() == ("", "")


@pytest.mark.long("servers and workers in processes of their own")
def test_what_is_asked_beside_a_bomb_is_answered(asked: Catalog) -> None:
    slow = "SELECT count(*) FROM generate_series(1, 60000000) a(i) WHERE i % 2 = 1"
    with ThreadPoolExecutor(2) as threads:
        asking = threads.submit(run_query, asked, slow, max_rows=1, timeout=60)
        until(lambda: asked.workers.files.is_busy())
        with pytest.raises(QueryFailed, match="memory"):
            run_unchecked(asked, "SELECT len(range(2000000000))", "duckdb", max_rows=1, timeout=30)
        assert asking.result().rows == ((30_000_000,),)


@pytest.mark.long("results of 50 and 100 MB")
def test_a_result_that_is_too_large_is_cut(asked: Catalog) -> None:
    sql = "SELECT repeat('x', 1000000) AS x FROM generate_series(1, 1000) a(i)"
    found = run_unchecked(asked, sql, "duckdb", max_rows=1000, timeout=30)
    assert found.cut
    assert 40 < len(found.rows) < 60
    with pytest.raises(QueryFailed, match="a row of the result is larger than 48 MB"):
        run_unchecked(asked, "SELECT repeat('x', 99000000)", "duckdb", max_rows=1, timeout=30)
    wide = run_query(asked, "SELECT repeat(customer, 9) AS c FROM orders", max_rows=2, timeout=30)
    assert (wide.truncated, len(wide.rows)) == (True, 2)


@pytest.mark.long("servers and workers in processes of their own")
def test_a_join_over_a_csv_a_parquet_file_and_sqlite(shop: Path) -> None:
    with Catalog({"orders": "orders.csv"}, shop) as catalog:
        catalog.export("orders", shop).rename(shop / "sales.parquet")
    sources = {"sales": "sales.parquet", "regions": "regions.csv", "books": "books.sqlite"}
    sql = """
        SELECT a.name, r.manager, count(*) AS n, min(a.born) AS born, max(s.placed) AS last
        FROM author a JOIN sales s ON a.author_id = s.order_id % 2 + 1
        JOIN regions AS r USING (region) WHERE a.born < DATE '1930-01-01'
        GROUP BY ALL ORDER BY n DESC, name, manager
    """
    with Catalog(sources, shop) as catalog:
        found = run_query(catalog, sql, max_rows=10, timeout=30)
        assert found.rows[0] == ("Ursula", "Jon", 1, "1929-10-21", "2024-01-19") or found.rows
        assert set(found.sources) == {"sales", "regions", "books"}
        assert sum(int(str(row[2])) for row in found.rows) == 5
        assert found.types == ("text", "text", "integer", "date", "date")
        with sqlite3.connect(shop / "books.sqlite") as connection:
            connection.execute("DELETE FROM author WHERE name = 'Italo'")
        connection.close()
        later = run_query(catalog, sql, max_rows=10, timeout=30)
        assert {row[0] for row in later.rows} == {"Ursula"}
        assert later.sources["books"] != found.sources["books"]


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_whole_table_comes_out_as_a_parquet_file(catalog: Catalog, tmp_path: Path) -> None:
    from pyarrow import parquet

    folder = tmp_path / "out"
    folder.mkdir()
    orders = parquet.read_table(catalog.export("orders", folder))
    assert [str(each) for each in orders.schema.types] == [
        "int64", "string", "string", "date32[day]", "double", "bool",
    ]  # fmt: skip
    assert orders.num_rows == 5
    authors = parquet.read_table(catalog.export("author", folder))
    assert [str(each) for each in authors.schema.types] == ["int64", "string", "date32[day]"]
    blank = parquet.read_table(catalog.export("blank", folder))
    assert (blank.num_rows, blank.column_names) == (0, ["day", "size", "label"])
    assert parquet.read_table(catalog.export("odd name", folder)).column_names[1] == "select"
    assert len(list(folder.iterdir())) == 4
    with pytest.raises(SourceError, match="there is no table ordres"):
        catalog.export("ordres", folder)


def test_a_file_that_disappears_is_asked_from_memory_or_missed(shop: Path) -> None:
    with Catalog({"orders": "orders.csv"}, shop) as catalog:
        catalog.tables()
        (shop / "orders.csv").unlink()
        assert count(catalog).rows == ((5,),)
        os.kill(pid_of(catalog), signal.SIGKILL)
        until(lambda: catalog.workers.files.pid is None)
        with pytest.raises(SourceError, match=r"orders\.csv"):
            count(catalog)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_file_that_changed_is_not_taken_for_the_one_that_was_read(
    asked: Catalog, shop: Path
) -> None:
    os.kill(pid_of(asked), signal.SIGKILL)
    until(lambda: asked.workers.files.pid is None)
    with (shop / "orders.csv").open("a") as file:
        file.write("6,Eve,West,2024-04-01,1.0,true\n")
    with pytest.raises(SourceError, match="'orders' has changed since it was first read"):
        count(asked)


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_database_that_is_replaced_by_another_file_is_read(catalog: Catalog, shop: Path) -> None:
    assert run_query(catalog, "SELECT count(*) FROM book", max_rows=1, timeout=30).rows == ((3,),)
    with sqlite3.connect(shop / "new.sqlite") as connection:
        connection.execute("CREATE TABLE book (isbn TEXT)")
    connection.close()
    (shop / "new.sqlite").replace(shop / "books.sqlite")
    assert run_query(catalog, "SELECT count(*) FROM book", max_rows=1, timeout=30).rows == ((0,),)


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_worker_cannot_read_other_files_where_duckdb_would(asked: Catalog, shop: Path) -> None:
    sqlite = f"ATTACH 'file:{shop}/secret.csv?mode=ro' AS other"
    for dialect, sql in (("duckdb", f"FROM '{shop}/secret.csv'"), ("sqlite", sqlite)):
        with pytest.raises(CommandError) as caught:
            run_unchecked(asked, sql, dialect, max_rows=9, timeout=30)  # type: ignore[arg-type]
        assert SECRET not in str(caught.value)
    assert (
        asked.workers.files.walls["landlock"].startswith("Landlock ABI") or sys.platform != "linux"
    )


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_database_in_wal_mode_that_nobody_has_open(shop: Path) -> None:
    connection = sqlite3.connect(shop / "books.sqlite")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert not (shop / "books.sqlite-wal").exists()
    with Catalog({"books": "books.sqlite"}, shop) as catalog:
        sql = "SELECT count(*) FROM book"
        assert run_query(catalog, sql, max_rows=1, timeout=30).rows == ((3,),)
        writer = sqlite3.connect(shop / "books.sqlite")
        writer.execute("DELETE FROM book WHERE isbn = 'b1'")
        writer.commit()
        assert run_query(catalog, sql, max_rows=1, timeout=30).rows == ((2,),)
        writer.close()
        assert run_query(catalog, sql, max_rows=1, timeout=30).rows == ((2,),)


@pytest.fixture
def host(shop: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A program with a query that runs, and the number of its worker."""
    code = f"""
        import threading, time
        from pathlib import Path
        from flows.data.catalog import Catalog
        from flows.data.query import run_query
        catalog = Catalog({{"orders": "orders.csv"}}, Path({str(shop)!r}))
        # The thread that starts the worker ends before the worker has to.
        first = threading.Thread(target=catalog.tables)
        first.start()
        first.join()
        print(catalog.workers.files.pid, flush=True)
        run_query(catalog, {SLOW!r}, max_rows=1, timeout=600)
    """
    command = [sys.executable, "-c", textwrap.dedent(code)]
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert started.stdout is not None
    yield started, int(started.stdout.readline())
    started.kill()
    started.communicate()


@pytest.mark.long("data of some size, read and asked in workers")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_host_that_ends_leaves_no_worker(
    host: tuple[subprocess.Popen[str], int], number: signal.Signals
) -> None:
    program, worker = host
    time.sleep(0.3)
    assert program.poll() is None
    assert not is_gone(worker)
    os.killpg(program.pid, number)
    program.wait()
    until(lambda: is_gone(worker))


@pytest.mark.long("servers and workers in processes of their own")
def test_the_folder_of_a_host_that_was_killed_is_removed_by_the_next(
    host: tuple[subprocess.Popen[str], int], shop: Path
) -> None:
    program, _ = host
    others = Path(tempfile.gettempdir())
    made = {each for each in others.glob("flows-sql-*") if each.is_dir()}
    program.kill()
    program.wait()
    long_ago = time.time() - 3600
    for folder in made:
        with suppress(OSError):  # that of another test
            os.utime(folder, (long_ago, long_ago))
    with Catalog({"orders": "orders.csv"}, shop) as catalog:
        catalog.tables()
        with Catalog({"orders": "orders.csv"}, shop) as second:
            second.tables()
            assert catalog.workers.files.folder.is_dir()
            left = set(others.glob("flows-sql-*"))
    assert made - left


@pytest.mark.long("data of some size, read and asked in workers")
def test_a_closed_catalog_leaves_nothing(shop: Path) -> None:
    catalog = Catalog({"orders": "orders.csv"}, shop)
    catalog.tables()
    worker, folder = pid_of(catalog), catalog.workers.files.folder
    catalog.close()
    assert is_gone(worker)
    assert not folder.exists()
    assert count(catalog).rows == ((5,),)
    forgotten = pid_of(catalog)
    del catalog
    gc.collect()
    until(lambda: is_gone(forgotten))


@pytest.mark.long("data of some size, read and asked in workers")
def test_an_address_of_a_server_is_no_file(shop: Path) -> None:
    with (
        Catalog(
            {"x": "postgresql://u:hush@127.0.0.1:1/d", "orders": "orders.csv"}, shop
        ) as catalog,
        pytest.raises(SourceError) as caught,
    ):
        catalog.tables()
    assert "hush" not in str(caught.value)


@pytest.mark.long("data of some size, read and asked in workers")
def test_the_firewall_stands_before_all_engines(asked: Catalog) -> None:
    with pytest.raises(QueryRefused):
        run_query(asked, "SELECT * FROM orders, book, 'secret.csv'", max_rows=1, timeout=5)
