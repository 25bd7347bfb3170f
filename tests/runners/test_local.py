"""The local runner and the synchronous door."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from textwrap import dedent

import pytest

from flows.build.plan import RunPlan
from flows.core.events import Event, RunEnded, RunStarted
from flows.core.journal import load
from flows.errors import ConfigError, JournalError, UsageError
from flows.records.lookup import find_run
from flows.runners.door import resume, run, run_and_close
from flows.runners.local import new_run_id, run_plan
from tests.flows_for_tests import __name__ as module
from tests.shapes import SHAPES, TRUST, plan_of

TEXT = """
_target_: sequential
name: Line
input_interface: {n: int, m: "int?"}
output_interface: [n]
subflows_config: {a: {_target_: T.Add}, w: {_target_: T.Write}}
topology: [{goal: a, flow: a}, {goal: w, flow: w}]
inputs: {n: 1}
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "line.yaml"
    file.write_text(dedent(TEXT).replace("T.", f"{module}."))
    return file


def test_run_and_resume(file: Path) -> None:
    events: list[Event] = []
    first = run(file, trust=TRUST, listeners=(events.append,))

    assert (first.status, first.outputs, first.exit_code) == ("finished", {"n": 3}, 0)
    assert first.folder == Path("runs") / first.run_id
    started, ended = events[0], events[-1]
    assert isinstance(started, RunStarted)
    assert (started.run, started.title, started.resumed) == (first.run_id, "Line", False)
    assert isinstance(ended, RunEnded)

    again = resume(first.run_id, trust=TRUST)
    assert (again.outputs, again.run_id) == (first.outputs, first.run_id)


def test_overrides_are_recorded(file: Path) -> None:
    first = run(file, ["a.amount=10", "inputs.n=5", "runs=elsewhere"], trust=TRUST)
    assert first.outputs == {"n": 16}
    file.unlink()
    assert resume(first.run_id, runs="elsewhere", trust=TRUST).outputs == {"n": 16}


def test_trust_is_not_recorded(file: Path) -> None:
    first = run(file, trust=TRUST)
    with pytest.raises(ConfigError, match="--trust tests"):
        resume(first.run_id)


def test_inputs_given_in_python_are_recorded(file: Path, tmp_path: Path) -> None:
    plan = plan_of(TEXT, tmp_path)
    given = RunPlan(plan.flow, {"n": 7}, runs_folder=tmp_path / "runs", spec=plan.spec)
    asyncio.run(run_plan(given, run_id="r"))
    assert resume("r", runs=tmp_path / "runs", trust=TRUST).outputs == {"n": 9}


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("~inputs.n", "missing input 'n'"),
        ("inputs.n=one", "input 'n': Input should be a valid integer"),
        ("+inputs.nn=2", "unknown input 'nn', did you mean 'n'?"),
    ],
)
def test_wrong_inputs_make_no_run(file: Path, override: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        run(file, [override], trust=TRUST)
    assert problem in str(caught.value)
    assert not Path("runs").exists()


def test_without_a_journal_nothing_is_written(tmp_path: Path) -> None:
    plan = plan_of(SHAPES[0].text, tmp_path)
    result = asyncio.run(run_plan(plan, journal=False))
    assert result.status == "finished"
    assert not (tmp_path / "runs").exists()


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    plan = plan_of(SHAPES[0].text, tmp_path)
    asyncio.run(run_plan(plan, run_id="r"))
    before = load(tmp_path / "runs" / "r")
    with pytest.raises(UsageError, match="cannot be made"):
        asyncio.run(run_plan(plan, run_id="r"))
    assert load(tmp_path / "runs" / "r") == before


def test_a_runs_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    plan = plan_of(SHAPES[0].text, tmp_path)
    with pytest.raises(UsageError, match="cannot be made"):
        asyncio.run(run_plan(plan))


@pytest.mark.parametrize("run_id", ["", ".", "..", "a/b", "../runs", "nothing"])
def test_no_such_run(tmp_path: Path, run_id: str) -> None:
    (tmp_path / "runs" / "one" / "deeper").mkdir(parents=True)
    with pytest.raises(UsageError, match="the last are: one"):
        find_run(tmp_path / "runs", run_id)
    assert find_run(tmp_path / "runs", "one").folder == tmp_path / "runs" / "one"


def test_a_run_that_never_began_cannot_be_resumed(tmp_path: Path) -> None:
    (tmp_path / "runs" / "r").mkdir(parents=True)
    with pytest.raises(JournalError, match="there is no run in"):
        resume("r", runs=tmp_path / "runs")


def test_ids_sort_by_time_and_differ() -> None:
    ids = {new_run_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(Path(each).name == each for each in ids)


def test_services_are_closed_whatever_happens(tmp_path: Path) -> None:
    closed: list[str] = []

    class Held:
        def __init__(self, name: str) -> None:
            self.name = name

        async def aclose(self) -> None:
            closed.append(self.name)
            if self.name == "bad":
                raise RuntimeError("cannot be closed")

    plan = plan_of("{_target_: T.Add, inputs: {m: 1}}", tmp_path)
    held = RunPlan(plan.flow, plan.inputs, services=(Held("one"), Held("bad"), Held("two")))
    with pytest.raises(RuntimeError, match="cannot be closed"):
        asyncio.run(run_and_close(held))
    assert set(closed) == {"one", "bad", "two"}


def test_as_json_is_json(tmp_path: Path) -> None:
    plan = plan_of("{_target_: T.Save, inputs: {n: 1}}", tmp_path)
    result = asyncio.run(run_plan(plan, run_id="r"))
    data = json.loads(json.dumps(result.as_json()))
    assert list(data) == ["run_id", "status", "reason", "outputs", "usage", "artifacts", "folder"]
    assert set(data["usage"]) == {
        "model_calls",
        "input_tokens",
        "output_tokens",
        "cost",
        "unpriced_calls",
        "possibly_billed",
        "rounds",
        "seconds",
    }


@pytest.mark.parametrize(
    ("error", "code"),
    [("ValueError", 4), ("ToolError", 4), ("ModelUnreachable", 3)],
)
def test_exit_codes(tmp_path: Path, error: str, code: int) -> None:
    plan = plan_of(f"{{_target_: T.Fail, error: {error}, inputs: {{n: 1}}}}", tmp_path)
    result = asyncio.run(run_plan(plan))
    assert (result.status, result.exit_code) == ("failed", code)


def test_a_waiting_run(tmp_path: Path) -> None:
    plan = plan_of(f"{{_target_: T.Ask, answer: {tmp_path / 'x'}, inputs: {{n: 1}}}}", tmp_path)
    result = asyncio.run(run_plan(plan))
    assert (result.status, result.exit_code) == ("waiting", 75)


def test_cancelling_leaves_a_journal_that_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_of(TEXT.replace("T.Write", "T.Sleep"), tmp_path)

    async def cancelled() -> None:
        async with asyncio.timeout(0.1):
            await run_plan(plan, run_id="r")

    with pytest.raises(TimeoutError):
        asyncio.run(cancelled())
    rows = [(row.kind, row.address) for row in load(tmp_path / "runs" / "r")]
    assert rows == [("start", ""), ("outcome", "a#1"), ("stop", "")]

    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0")
    assert asyncio.run(run_plan(plan, run_id="r", resume=True)).outputs == {"n": 3}


def test_a_folder_of_runs_that_cannot_be_made_is_told_with_the_way_out(file: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be made: Not a directory; .*runs=FOLDER"):
        run(file, ["inputs.n=5", f"runs={file}"], trust=TRUST)
