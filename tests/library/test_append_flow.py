"""A step that adds rows adds them once, however often it is tried."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from flows.core.result import RunResult
from flows.errors import ConfigError
from flows.models.fake.server import FakeModel
from tests.cli.command import environment, flows, python
from tests.library.world import World, decision

KEEP = "name: Keep\n_target_: table.append\ndatabase: shop.db\ntable: notes\n"


def rows(sql: str = "SELECT * FROM notes") -> list[Any]:
    with closing(sqlite3.connect("file:shop.db?mode=ro", uri=True)) as connection:
        return connection.execute(sql).fetchall()


def keep(world: World, row: Any, *overrides: str) -> RunResult:
    return world.run(KEEP, *overrides, inputs={"row": row})


def test_a_row_is_added(world: World) -> None:
    result = keep(world, {"name": "Ann", "amount": 2.5})
    assert result.outputs["written"] == 1
    observation = result.outputs["observation"]
    assert (observation.kind, observation.text) == (
        "ok",
        "1 row was added to the table 'notes' of shop.db.",
    )
    assert rows() == [("Ann", 2.5)]
    assert rows("SELECT step, run FROM flows_effects") == [("", result.run_id)]


def test_rows_are_added_all_or_none(world: World) -> None:
    assert keep(world, [{"n": 1}, {"n": 2}]).outputs["written"] == 2
    failed = keep(world, [{"n": 3}, {"m": 4}])
    assert failed.status == "failed"
    assert "the table 'notes' has no column 'm' (columns: n)" in failed.reason
    assert rows() == [(1,), (2,)]


def test_no_rows(world: World) -> None:
    result = keep(world, [])
    assert (result.outputs["written"], result.outputs["observation"].kind) == (0, "empty")
    assert not Path("shop.db").exists()


def test_two_runs_add_two_rows(world: World) -> None:
    for _ in range(2):
        keep(world, {"n": 1})
    assert rows() == [(1,), (1,)]


@pytest.mark.parametrize("row", ["text", 3, None, [1], [[1]]])
def test_a_row_has_named_values(world: World, row: Any) -> None:
    with pytest.raises(ConfigError, match="row"):
        keep(world, row)


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("database=shop.csv", "rows are added to SQLite files only"),
        ("database=shop.duckdb", r"must end in \.sqlite, \.sqlite3, \.db, \.db3"),
        ("table=''", "a table's name is text"),
        ("table=sqlite_notes", "are kept for other tables"),
        ("table=Flows_Effects", "are kept for other tables"),
        ("+wait=-1", "greater than or equal to 0"),
    ],
)
def test_a_wrong_config_is_told_before_the_run(world: World, override: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        world.check(KEEP, override)


# Kills the process when the rows are committed and the step has not said so yet.
KILLED = """
import os, signal, sys, threading
from flows.cli import main

def watch(frame, event, called):
    if event == "c_call" and called.__name__ == "close" and frame.f_globals["__name__"] == OURS:
        os.kill(os.getpid(), signal.SIGKILL)

OURS = "flows.data.append"
threading.setprofile(watch)
sys.argv = ["flows", "run", "keep.yaml"]
main()
"""


@pytest.mark.long("whole runs, whose code runs in the sandbox")
def test_a_step_that_is_done_again_adds_nothing(world: World) -> None:
    world.write("keep.yaml", f"{KEEP}inputs: {{row: [{{n: 1}}, {{n: 2}}]}}\n")
    killed = python("-c", KILLED, cwd=world.folder)
    assert killed.code == -signal.SIGKILL, killed.err
    assert rows() == [(1,), (2,)]

    [run] = [each.name for each in Path("runs").iterdir()]
    again = world.resume(run)

    assert (again.status, again.outputs["written"]) == ("finished", 0)
    assert again.outputs["observation"].text == (
        "An earlier try of this step had added 2 rows to the table 'notes' of shop.db; "
        "nothing was added again."
    )
    assert rows() == [(1,), (2,)]


@pytest.mark.long("whole runs of a flow")
def test_a_controller_can_give_the_command(world: World, server: FakeModel) -> None:
    server.script(
        decision("note", row={"text": "closed since May", "extra": ["x"]}),
        decision("note", row={"text": "closed since May"}),
        decision("finish", answer="Done."),
    )
    note = "{_target_: table.append, database: shop.db, table: notes}"
    world.auto("model=openai", f"+subflows_config.Executor.subflows_config.note={note}")
    assert world.observations()[:2] == [
        (
            "error",
            "note failed: row 1, column 'extra': a list cannot be stored "
            "(text, numbers, true, false and null can)",
        ),
        ("ok", "1 row was added to the table 'notes' of shop.db."),
    ]
    assert rows() == [("closed since May",)]
    system = server.requests[0].body["messages"][0]["content"]
    assert '"note": Adds a row to a table of a database file.' in system
    assert '"row" (object or list of object)' in system


LOOP = """\
name: Loop
_target_: circular
max_rounds: 200
input_interface: [row]
subflows_config:
  Keep: {_target_: table.append, database: shop.db, table: notes}
topology:
  - {goal: keep it, flow: Keep}
inputs: {row: {n: 1}}
"""


@pytest.mark.long("whole processes are killed and go on")
def test_kills_of_a_run_that_is_resumed(world: World) -> None:
    """Killed at some moment, resumed, killed again: in the end there is a row for each round."""
    world.write("loop.yaml", LOOP)
    start = [sys.executable, "-m", "flows"]
    command = [*start, "run", "loop.yaml"]
    for enough in (5, 20, 40):
        with subprocess.Popen(
            command, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        ) as process:
            until = time.monotonic() + 60
            while process.poll() is None and written() < enough and time.monotonic() < until:
                time.sleep(0.002)
            os.kill(process.pid, signal.SIGKILL)
        [run] = [each.name for each in Path("runs").iterdir()]
        command = [*start, "resume", run]
    assert 40 <= written() < 200
    ended = flows("resume", run, cwd=world.folder)
    assert written() == 200, ended
    steps = rows("SELECT step, run FROM flows_effects ORDER BY rowid")
    assert steps == [(f"Keep#{number}", run) for number in range(1, 201)]


def written() -> int:
    try:
        return int(rows("SELECT count(*) FROM notes")[0][0])
    except sqlite3.OperationalError:  # not there yet, or being written
        return 0
