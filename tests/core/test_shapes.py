"""Every graph shape, in every mode: without a journal, with one, resumed after every row of it."""

import asyncio
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from flows.build.plan import RunPlan
from flows.core.file_lock import LOCK
from flows.core.journal import load
from flows.core.result import RunResult
from flows.core.rows import Row
from flows.core.store import FILE
from flows.runners.local import run_plan
from tests.flows_for_tests import EXECUTED
from tests.shapes import SHAPES, Shape, plan_of

every_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)


def check(shape: Shape, result: RunResult) -> None:
    assert (result.status, result.reason) == (shape.status, shape.reason)
    assert result.outputs == shape.outputs


@every_shape
def test_without_a_journal(shape: Shape, tmp_path: Path) -> None:
    plan = plan_of(shape.text, tmp_path)
    EXECUTED.clear()

    check(shape, asyncio.run(run_plan(plan, journal=False)))

    assert len(EXECUTED) == len(set(EXECUTED)) == shape.steps


@every_shape
def test_a_plan_runs_twice_at_once(shape: Shape, tmp_path: Path) -> None:
    plan = plan_of(shape.text, tmp_path)

    async def both() -> tuple[RunResult, RunResult]:
        one, two = run_plan(plan, run_id="one"), run_plan(plan, run_id="two")
        return await asyncio.gather(one, two)

    for result in asyncio.run(both()):
        check(shape, result)


@every_shape
def test_resumed_after_every_row(shape: Shape, tmp_path: Path) -> None:
    plan = plan_of(shape.text, tmp_path)
    EXECUTED.clear()
    whole = asyncio.run(run_plan(plan, run_id="whole"))
    check(shape, whole)
    assert len(EXECUTED) == shape.steps
    rows = load(plan.runs_folder / "whole")

    for kept in range(1, len(rows) + 1):
        result = resume_with(plan, rows[:kept], f"kept-{kept}", tmp_path)
        check_resumed(shape, whole, rows[:kept], rows, result)


def resume_with(plan: RunPlan, rows: list[Row], run_id: str, folder: Path) -> RunResult:
    """Resume a copy of the whole run whose journal ends after these rows."""
    copy = plan.runs_folder / run_id
    shutil.copytree(plan.runs_folder / "whole", copy)
    connection = sqlite3.connect(copy / FILE)
    connection.execute("DELETE FROM journal WHERE id > ?", (len(rows),))
    connection.commit()
    connection.close()
    (copy / LOCK).unlink()
    EXECUTED.clear()
    return asyncio.run(run_plan(plan, run_id=run_id, resume=True))


def check_resumed(
    shape: Shape, whole: RunResult, kept: list[Row], rows: list[Row], result: RunResult
) -> None:
    known = {row.address: row.kind for row in kept if row.kind not in ("start", "end")}
    begun_once = [at for at, kind in known.items() if kind == "intent" and at.startswith("b#")]
    if shape.name == "effects" and begun_once:
        assert result.status == "waiting"
        assert "what came of it is unknown" in result.reason
        return
    check(shape, result)
    # A failure after which nothing was recorded is tried again.
    if kept[-1].kind == "failure":
        known[kept[-1].address] = "intent"
    done = {at for at, kind in known.items() if kind != "intent"}
    every = {row.address for row in rows if row.kind in ("outcome", "failure")}
    assert Counter(EXECUTED) == Counter(every - done)
    assert result.usage == whole.usage
    assert result.rounds == whole.rounds
    assert {each.sha256 for each in result.artifacts} == {each.sha256 for each in whole.artifacts}


def test_the_table_is_long_enough() -> None:
    assert len(SHAPES) >= 30
    assert len({shape.name for shape in SHAPES}) == len(SHAPES)
