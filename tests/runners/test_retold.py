"""What time decided in a run is told again by a resume, and not decided anew."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from pathlib import Path

import pytest

from flows.core.file_lock import LOCK
from flows.core.journal import load
from flows.core.store import FILE
from flows.runners.local import run_plan
from tests.flows_for_tests import EXECUTED
from tests.shapes import plan_of

CAUGHT = """
_target_: circular
early_exit_key: null
max_rounds: 2
input_interface: [n]
output_interface: [n, observation]
subflows_config:
  w: {_target_: T.Write}
  try:
    _target_: T.Catch
    input_interface: [n]
    subflows_config:
      inner:
        _target_: sequential
        timeout: 0.1
        input_interface: [n]
        subflows_config:
          a: {_target_: T.Write}
          k: {_target_: T.Accumulate}
          slow: {_target_: T.Sleep, seconds: 30}
        topology: [{goal: a, flow: a}, {goal: k, flow: k}, {goal: s, flow: slow}]
    topology: [{goal: inner, flow: inner}]
  b: {_target_: T.Write}
topology: [{goal: w, flow: w}, {goal: try, flow: try}, {goal: b, flow: b}]
inputs: {n: 0}
"""


def test_a_time_limit_that_was_caught(tmp_path: Path) -> None:
    plan = plan_of(CAUGHT, tmp_path)
    whole = asyncio.run(run_plan(plan, run_id="whole"))
    assert whole.status == "finished"
    assert "StepTimeout: inner took more than 0.1 s" in whole.outputs["observation"]
    rows = load(plan.runs_folder / "whole")

    for kept in range(1, len(rows) + 1):
        copy = plan.runs_folder / f"kept-{kept}"
        shutil.copytree(plan.runs_folder / "whole", copy)
        with sqlite3.connect(copy / FILE) as journal:
            journal.execute("DELETE FROM journal WHERE id > ?", (kept,))
        journal.close()
        (copy / LOCK).unlink()
        EXECUTED.clear()
        again = asyncio.run(run_plan(plan, run_id=copy.name, resume=True))
        assert again.outputs == whole.outputs
        done = {row.address for row in rows[:kept] if row.kind in ("outcome", "failure")}
        if rows[kept - 1].kind == "failure":  # it may have been the end: it is tried again
            done.discard(rows[kept - 1].address)
        assert not done & set(EXECUTED)
        timed_out = [row.address for row in rows[:kept] if row.kind == "failure"][:-1]
        assert not any(step.startswith(f"{at}/") for at in timed_out for step in EXECUTED)


LOOP = """
_target_: circular
early_exit_key: null
max_rounds: 20
input_interface: [n]
output_interface: [n]
subflows_config: {s: {_target_: T.Sleep, seconds: 0.1}}
topology: [{goal: sleep, flow: s}]
inputs: {n: 0}
limits: {wall_time: 0.25}
"""


def test_a_limit_on_wall_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_of(LOOP, tmp_path)
    whole = asyncio.run(run_plan(plan, run_id="r"))
    assert whole.status == "unfinished"
    assert whole.outputs["n"] <= 2  # the limit ends the third sleep
    EXECUTED.clear()

    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    again = asyncio.run(run_plan(plan, run_id="r", resume=True))

    assert (again.status, again.outputs, again.reason) == (
        whole.status,
        whole.outputs,
        whole.reason,
    )
    assert EXECUTED == []


def test_the_time_of_a_try_that_was_stopped_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(LOOP.replace("0.1}", "30}").replace("0.25", "60"), tmp_path)

    async def stopped(resume: bool) -> None:
        async with asyncio.timeout(0.3):
            await run_plan(plan, run_id="r", resume=resume)

    for resume in (False, True):
        with pytest.raises(TimeoutError):
            asyncio.run(stopped(resume))
    assert [row.kind for row in load(plan.runs_folder / "r")] == ["start", "stop"] * 2

    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    assert asyncio.run(run_plan(plan, run_id="r", resume=True)).seconds > 0.4


def test_looking_at_a_run_leaves_nothing_beside_it(tmp_path: Path) -> None:
    plan = plan_of(LOOP.replace("0.25", "60").replace("0.1}", "0}"), tmp_path)
    folder = asyncio.run(run_plan(plan, run_id="r")).folder
    before = sorted(each.name for each in folder.iterdir())
    assert load(folder)[-1].kind == "end"
    assert sorted(each.name for each in folder.iterdir()) == before
