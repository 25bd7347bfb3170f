"""Sessions: variables live on, are replayed when their process is lost, and can be thrown away."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from flows.core.sandbox import SandboxConfig
from flows.sandbox.python import PythonSandbox
from tests.sandbox.conftest import Bench


def test_variables_live_on(bench: Bench) -> None:
    bench.run("x = 20", session="live")
    done = bench.run("y = x + 1\ny", session="live")
    assert done.result == "21"
    assert [each.name for each in done.variables] == ["y"]


def test_what_is_done_to_a_table_lives_on(bench: Bench, sales: Path) -> None:
    tables = {"sales": sales}
    bench.run("sales['twice'] = sales['sold'] * 2", session="tables", tables=tables)
    done = bench.run("int(sales['twice'].sum())", session="tables", tables=tables)
    assert done.result == "20"


def test_a_new_file_of_a_table_is_read_anew(bench: Bench, tmp_path: Path) -> None:
    import pandas as pd

    path = tmp_path / "t.parquet"
    for value in (1, 22):
        pd.DataFrame({"a": [value] * value}).to_parquet(path)
        done = bench.run("int(t['a'][0])", session="files", tables={"t": path})
        assert done.result == str(value)


def test_files_come_back_when_they_are_new_or_changed(bench: Bench) -> None:
    first = bench.run("open('a.txt', 'w').write('1')", session="written")
    second = bench.run("open('b.txt', 'w').write('2')", session="written")
    third = bench.run("open('a.txt', 'a').write('3')", session="written")
    names = [[each.name for each in done.files] for done in (first, second, third)]
    assert names == [["a.txt"], ["b.txt"], ["a.txt"]]


def test_an_error_leaves_the_session_alive(bench: Bench) -> None:
    bench.run("x = 1\n1 / 0", session="errors")
    assert bench.run("x", session="errors").result == "1"


def test_a_session_that_was_ended_is_replayed(bench: Bench) -> None:
    past = ["x = 5\nprint('again')\nplt.plot([x])"]
    bench.run(past[0], session="lost")
    late = bench.run("while True: pass", session="lost", seconds=0.5)
    done = bench.run("x", session="lost", past=past)
    assert late.status == "timeout"
    assert (done.result, done.stdout, done.figures) == ("5", "", ())
    assert "the session was started anew: 1 earlier pieces ran again" in done.notes


def test_a_piece_that_ended_its_process_is_not_replayed(bench: Bench) -> None:
    died = bench.run("import os\nos._exit(1)", session="deadly")
    done = bench.run("y", session="deadly", past=["import os\nos._exit(1)", "y = 2"])
    assert died.status == "died"
    assert done.result == "2"
    assert "1 earlier pieces were left out" in done.notes


def test_a_living_session_does_not_replay(bench: Bench) -> None:
    bench.run("n = 1", session="once")
    assert bench.run("n", session="once", past=["n = 1", "n += 1"]).result == "1"


def test_a_forgotten_session_knows_nothing(bench: Bench) -> None:
    bench.run("x = 1", session="forgotten")
    bench.runner.run(bench.sandbox.forget("forgotten"))
    done = bench.run("x", session="forgotten")
    assert done.fault is not None
    assert done.fault.type == "NameError"


def test_the_session_used_longest_ago_makes_room(bench: Bench) -> None:
    for name in ("one", "two", "three"):
        bench.run("x = 1", session=name)
    again = bench.run("x", session="one", past=["x = 1"])
    assert any("started anew" in note for note in again.notes)
    assert bench.run("x", session="three").result == "1"


def test_calls_to_one_session_wait_for_each_other(bench: Bench) -> None:
    async def both() -> list[str]:
        calls = (bench.sandbox.execute("n = [*n, 1]\nlen(n)", session="queue") for _ in range(3))
        return [each.result for each in await asyncio.gather(*calls)]

    bench.run("n = []", session="queue")
    assert sorted(bench.runner.run(both())) == ["1", "2", "3"]


def test_a_closed_sandbox_leaves_no_process_and_no_folder() -> None:
    async def use() -> tuple[int, str]:
        sandbox = PythonSandbox(SandboxConfig(seconds=20))
        try:
            folder = (await sandbox.execute("import os\nos.getcwd()", session="s")).result
            keeper = sandbox._keeper
            assert keeper is not None
            pid = keeper.child.pid
        finally:
            await sandbox.aclose()
        return pid, folder.strip("'")

    pid, folder = asyncio.run(use())
    assert not Path(folder).parent.parent.exists()
    assert not Path(f"/proc/{pid}").exists() or os.waitpid(pid, os.WNOHANG)
