"""Sessions: variables live on, are replayed when their process is lost, and can be thrown away."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from flows.core.sandbox import SandboxConfig
from flows.sandbox import keeper
from flows.sandbox.keeper import ALL_LAYERS
from flows.sandbox.processes import tree
from flows.sandbox.python import PythonSandbox
from tests.processes import is_gone
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


@pytest.mark.long("code in a sandbox of its own")
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


@asynccontextmanager
async def opened(
    seconds: float, layers: Sequence[str] = ALL_LAYERS
) -> AsyncIterator[tuple[int, Path]]:
    """The zygote of a sandbox that is open, and the folder in which code has run in a session."""
    sandbox = PythonSandbox(SandboxConfig(seconds=seconds), layers)
    try:
        done = await sandbox.execute("import os\nos.getcwd()", session="s")
        assert sandbox._keeper is not None
        yield sandbox._keeper.child.pid, Path(done.result.strip("'"))
    finally:
        await sandbox.aclose()


async def used(seconds: float, layers: Sequence[str] = ALL_LAYERS) -> tuple[int, Path]:
    """As `opened`, of a sandbox that is closed by now."""
    async with opened(seconds, layers) as found:
        return found


def test_a_closed_sandbox_leaves_no_guest_and_no_folder() -> None:
    async def use() -> tuple[int, Path, set[int]]:
        async with opened(20) as (zygote, folder):
            return zygote, folder, set(tree(zygote))

    zygote, folder, before = asyncio.run(use())
    [guest] = before - set(tree(zygote))
    assert is_gone(guest)
    assert not folder.parent.exists()


def test_the_next_sandbox_of_the_process_takes_over_the_zygote() -> None:
    first, folder = asyncio.run(used(21))
    second, other = asyncio.run(used(21))
    assert first == second
    assert folder != other


def test_a_sandbox_with_other_limits_or_walls_has_a_zygote_of_its_own() -> None:
    zygote, _ = asyncio.run(used(22))
    others = asyncio.run(used(23)), asyncio.run(used(23, [*ALL_LAYERS[:-1]]))
    assert len({zygote, *(other for other, _ in others)}) == 3
    assert is_gone(zygote)  # no more than one rests


def test_where_a_guest_could_leave_something_no_zygote_rests() -> None:
    without = [each for each in ALL_LAYERS if each != "landlock"]
    zygote, folder = asyncio.run(used(24, without))
    assert is_gone(zygote)
    assert not folder.parent.parent.exists()


def test_a_zygote_that_died_at_rest_is_started_again() -> None:
    zygote, _ = asyncio.run(used(25))
    os.kill(zygote, signal.SIGKILL)
    while not is_gone(zygote):
        time.sleep(0.01)
    another, _ = asyncio.run(used(25))
    assert another != zygote


def test_two_sandboxes_at_once_share_nothing() -> None:
    async def both() -> tuple[int, int]:
        async with opened(26) as (one, _), opened(26) as (other, _):
            return one, other

    one, other = asyncio.run(both())
    assert one != other


def test_a_zygote_ends_that_nobody_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper, "IDLE_SECONDS", 0.1)
    zygote, _ = asyncio.run(used(27))
    while not is_gone(zygote):
        time.sleep(0.01)
    assert asyncio.run(used(27))[0] != zygote
