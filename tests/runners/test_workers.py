"""Elements of maps and steps of parallel flows that other processes do: the same run as without."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import flows
from flows.build.builder import build
from flows.cli import main
from flows.core.events import Event, ModelCalled, Notice
from flows.core.pace import Pace
from flows.core.result import RunResult
from flows.errors import ConfigError, UsageError
from flows.models.fake.server import FakeModel
from flows.runners.door import resume
from flows.runners.local import run_plan
from flows.tools.sources.python import PythonFunction
from tests.flows_for_tests import EXECUTED
from tests.flows_for_tests import __name__ as module
from tests.processes import is_gone
from tests.runners.worked import (
    TWO,
    Owner,
    check_all_done,
    check_same,
    executed,
    of,
    rows_of,
    run_in,
)
from tests.shapes import SHAPES, TRUST, Shape, plan_of


@pytest.fixture(autouse=True)
def _log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLOWS_TEST_LOG", str(tmp_path / "executed.log"))
    EXECUTED.clear()


def test_a_run_with_workers_is_the_same_run(tmp_path: Path) -> None:
    done = check_same(of("T.Send", [3, 1, 2, "x", 5]), tmp_path)
    assert EXECUTED == []  # all was done elsewhere
    assert [each and each for each in done.outputs["results"]] == [5, 3, 4, None, 7]
    assert len(done.outputs["failures"]) == 1
    assert len(done.artifacts) == 8


@pytest.mark.long("each starts two processes")
@pytest.mark.parametrize(
    "shape",
    [each for each in SHAPES if "_target_: map" in each.text or "_target_: parallel" in each.text],
    ids=str,
)
def test_every_shape_that_has_calls_beside_each_other(shape: Shape, tmp_path: Path) -> None:
    done = check_same(shape.text, tmp_path)
    assert (done.status, done.outputs) == (shape.status, shape.outputs)


@pytest.mark.long("starts processes")
def test_a_failure_is_told_and_recorded_as_without_workers(tmp_path: Path) -> None:
    kept = check_same(of("T.Fail, error: Own", [1, 2]), tmp_path)
    assert [each.error for each in kept.outputs["failures"]] == [
        "each#1/second#1: OwnToolError: an error of its own",
        "each#2/second#1: OwnToolError: an error of its own",
    ]  # fmt: skip
    stopped, _ = run_in(
        tmp_path / "stop", of("T.Fail", [1]).replace("keep\nsub", "stop\nsub"), *TWO
    )
    assert (stopped.status, stopped.reason) == ("failed", "each#1/second#1: ValueError: no good")


@pytest.mark.long("starts processes")
def test_who_asks_a_person_waits_and_the_others_go_on(tmp_path: Path) -> None:
    answer = tmp_path / "answer"
    text = of(f"T.Ask, answer: {answer}", [1, 2])
    waiting, _ = run_in(tmp_path, text, *TWO)
    assert waiting.status == "waiting"
    done = executed(tmp_path)
    answer.write_text("10")
    gone_on, _ = run_in(tmp_path, text, *TWO, resumed=True)
    assert gone_on.outputs["results"] == (12, 13)
    more = executed(tmp_path) - done
    assert set(more) == {"each#1/second#1", "each#2/second#1"}


@pytest.mark.long("five processes are killed")
def test_five_killed_workers_lose_and_double_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0.3")
    owner = Owner(tmp_path, of("T.Sleep", list(range(60))))
    for kill in range(5):
        begun = len(executed(tmp_path))
        owner.wait_until(lambda begun=begun: len(executed(tmp_path)) > begun + 8)  # type: ignore[misc]
        os.kill(owner.workers()[kill % 2], signal.SIGKILL)
    result = owner.end()
    assert result["outputs"]["results"] == [n + 2 for n in range(60)]
    check_all_done(owner.rows(), 60)
    # Steps whose rows had come were not done again: at most what three elements had begun.
    again = executed(tmp_path).total() - 4 * 60
    assert again <= 5 * 3 * 4


@pytest.mark.long("processes are killed")
def test_a_killed_owner_takes_its_workers_along_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWS_TEST_SECONDS", "0.3")
    owner = Owner(tmp_path, of("T.Sleep", list(range(24))))
    owner.wait_until(lambda: executed(tmp_path).total() > 40)
    workers = owner.workers()
    owner.process.kill()
    owner.process.communicate()
    deadline = time.monotonic() + 10
    while not all(map(is_gone, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    recorded = {row.address for row in owner.rows() if row.kind == "outcome"}
    before = executed(tmp_path)
    (run,) = (tmp_path / "runs").iterdir()
    done = resume(run.name, runs=tmp_path / "runs", trust=TRUST)
    assert done.outputs["results"] == tuple(n + 2 for n in range(24))
    check_all_done(owner.rows(), 24)
    assert not recorded & set(executed(tmp_path) - before)


@pytest.mark.long("a process is killed")
def test_what_must_not_be_done_twice_is_asked_for_when_its_worker_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOWS_TEST_SECONDS", "60")
    owner = Owner(tmp_path, of("T.SleepOnce", [7]))
    owner.wait_until(lambda: "each#1/second#1" in executed(tmp_path))
    for each in owner.workers():
        os.kill(each, signal.SIGKILL)
    result = owner.end()
    assert result["status"] == "waiting"
    assert "each#1/second#1 began and what came of it is unknown" in result["reason"]
    assert executed(tmp_path)["each#1/second#1"] == 1


@pytest.mark.long("processes are killed")
def test_what_kills_two_workers_is_done_by_the_run_itself(tmp_path: Path) -> None:
    done, events = run_in(tmp_path, of(f"T.Deadly, process: {os.getpid()}", [1]), *TWO)
    assert done.outputs["results"] == (3,)
    notices = [each.text for each in events if isinstance(each, Notice)]
    assert notices == ["2 workers ended while they did each#1; it is done here"]
    assert executed(tmp_path)["each#1/second#1"] == 3


CHATS = """
_target_: map
over: numbers
as: what
collect: api_output
on_failure: keep
model: {_target_: model.openai, model: small, base_url: URL, api_key: "${env:SOME_KEY}"}
subflows_config:
  each: {_target_: chat, human_prompt: ask, system_prompt: rules}
inputs: {numbers: [a, b, c, d, e, f]}
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    monkeypatch.setenv("SOME_KEY", "secret-of-mine")
    with FakeModel() as running:
        yield running


def run_chats(
    folder: Path, server: FakeModel, *overrides: str, unbuildable: bool = False
) -> tuple[RunResult, list[Event]]:
    """What six chats at once come to, in a folder of their own."""
    (folder / "prompts").mkdir(parents=True)
    (folder / "prompts" / "ask.j2").write_text("{#- variables: what -#}\nSay {{ what }}!\n")
    (folder / "prompts" / "rules.j2").write_text("{#- variables: -#}\nBe short.\n")
    file = folder / "run.yaml"
    file.write_text(CHATS.replace("URL", server.base_url))
    trust = (*TRUST, server.base_url)
    plan, _ = build(file, (f"runs={folder / 'runs'}", *overrides), trust=trust)
    if unbuildable:  # the run has read it
        (folder / "prompts" / "ask.j2").unlink()
    events: list[Event] = []

    async def run_whole() -> RunResult:
        async with plan.in_use():
            return await run_plan(plan, run_id="one", listeners=(events.append,))

    return asyncio.run(run_whole()), events


@pytest.mark.long("starts processes")
def test_workers_that_cannot_be_built_leave_all_to_the_run_and_say_why(
    tmp_path: Path, server: FakeModel
) -> None:
    done, events = run_chats(tmp_path, server, *TWO, unbuildable=True)
    assert (done.status, len(server.requests)) == ("finished", 6)
    (notice,) = [each for each in events if isinstance(each, Notice)]
    assert notice.alarm
    assert "no workers, so all is done here: " in notice.text
    assert "there is no prompt 'ask'" in notice.text


@pytest.mark.long("starts processes")
def test_budgets_hold_over_all_workers(tmp_path: Path, server: FakeModel) -> None:
    overrides = ("limits.model_calls=4", "max_concurrency=2")
    done, events = run_chats(tmp_path, server, *TWO, *overrides)
    assert (done.status, done.reason) == (
        "unfinished", "the run's limit on model_calls (4) is reached",
    )  # fmt: skip
    assert done.usage.model_calls == 4
    assert len(server.requests) <= 4
    assert sum(isinstance(each, ModelCalled) for each in events) >= 3
    calls = [row.data() for row in rows_of(tmp_path) if row.kind == "call"]
    assert ["system" in each for each in calls] == [True, False, False, False]


@pytest.mark.long("takes its time")
def test_requests_per_minute_are_those_of_all_workers(tmp_path: Path, server: FakeModel) -> None:
    began = time.perf_counter()
    done, _ = run_chats(tmp_path / "there", server, *TWO, "limits.requests_per_minute=120")
    assert done.status == "finished"
    assert len(server.requests) == 6
    assert time.perf_counter() - began >= 5 * 0.5


def test_a_model_is_asked_at_even_distances() -> None:
    async def ask() -> list[float]:
        pace, began, at = Pace(600), time.perf_counter(), []

        async def one(model: str) -> None:
            await pace.wait(model)
            at.append(time.perf_counter() - began)

        await asyncio.gather(*(one("a") for _ in range(4)), one("b"))
        return sorted(at)

    _, other, *more = asyncio.run(ask())
    assert other < 0.09  # another model has turns of its own
    assert [round(each, 1) for each in more] == [0.1, 0.2, 0.3]


def test_functions_of_the_program_are_not_sent(tmp_path: Path) -> None:
    """They are known to this process alone."""

    def process() -> int:
        """Tell which process this is.

        Returns:
            its number
        """
        return os.getpid()

    file = tmp_path / "run.yaml"
    file.write_text(of("T.Add", [1]).replace("T.", f"{module}."))
    with pytest.raises(UsageError, match="cannot be called by workers"):
        flows.run(file, TWO, trust=TRUST, functions=[PythonFunction(process)])


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("runner.processes=0", "1"),
        ("runner.kind=slurm", "allowed: local, ray"),
        ("runner=slurm", "ray"),
        ("runner.address=10.0.0.1:6379", "only a Ray cluster has an address"),
    ],
)
def test_a_wrong_runner_is_refused(override: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=problem):
        plan_of(of("T.Add", [1]), tmp_path, override)


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_a_missing_ray_is_said_with_the_line_that_installs_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "run.yaml"
    file.write_text("defaults: [autogpt, _self_]\n")
    with pytest.raises(SystemExit) as ended:
        main(["check", str(file), "runner=ray"])
    assert ended.value.code == 2
    told = capsys.readouterr()
    assert "pip install 'analyst-flows[ray]'" in told.out + told.err
