"""A recorded run comes to the same again from its journal, or the first difference is named."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import flows
from flows.build.builder import build
from flows.build.plan import RunPlan
from flows.core.events import Event, StepFinished
from flows.core.result import RunResult
from flows.core.store import FILE, JournalFile
from flows.errors import ConfigError, JournalError, ReplayDiffers
from flows.models.fake.server import FakeModel
from flows.runners.door import resume, run
from flows.runners.local import run_plan
from tests.flows_for_tests import EXECUTED
from tests.flows_for_tests import __name__ as module
from tests.shapes import SHAPES, TRUST, Shape, plan_of


def record(text: str, folder: Path, *overrides: str) -> RunResult:
    """Run a text as a run file, and forget that its steps were executed."""
    return recorded(plan_of(text, folder, *overrides))


def recorded(plan: RunPlan) -> RunResult:
    """Run a plan as the run `one`, and forget that its steps were executed."""

    async def run_whole() -> RunResult:
        try:
            return await run_plan(plan, run_id="one")
        finally:
            await plan.aclose()

    result = asyncio.run(run_whole())
    EXECUTED.clear()
    return result


def replayed(folder: Path, *overrides: str) -> RunResult:
    result = flows.replay("one", overrides, runs=folder / "runs", trust=TRUST)
    assert EXECUTED == []
    return result


def differs(folder: Path, *overrides: str) -> ReplayDiffers:
    with pytest.raises(ReplayDiffers) as caught:
        replayed(folder, *overrides)
    assert EXECUTED == []
    return caught.value


def plain(result: RunResult) -> dict[str, Any]:
    """All that a run came to, but for the time that it took."""
    found: dict[str, Any] = json.loads(json.dumps(result.as_json()))
    found["usage"].pop("seconds")
    return found


def files_of(folder: Path) -> dict[Path, bytes]:
    """What is written there, but for what SQLite needs to read a file."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {each: each.read_bytes() for each in found if each.suffix[-4:] not in ("-wal", "-shm")}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_shape(shape: Shape, tmp_path: Path) -> None:
    first = record(shape.text, tmp_path)
    assert (first.status, first.reason, first.outputs) == (
        shape.status, shape.reason, shape.outputs,
    )  # fmt: skip
    before = files_of(tmp_path / "runs")

    events: list[Event] = []
    again = flows.replay("one", runs=tmp_path / "runs", trust=TRUST, listeners=(events.append,))

    assert EXECUTED == []
    assert plain(again) == plain(first)
    assert again.outputs == shape.outputs
    assert sum(isinstance(each, StepFinished) and each.reused for each in events) <= shape.steps
    assert files_of(tmp_path / "runs") == before


LINE = """
_target_: sequential
input_interface: [n]
output_interface: [n]
subflows_config:
  a: {_target_: T.Write}
  b: {_target_: T.Fail, error: ERROR, unless: THERE}
  c: {_target_: T.Add}
topology: [{goal: a, flow: a}, {goal: b, flow: b}, {goal: c, flow: c}]
inputs: {n: 1}
"""


def test_a_run_that_failed_fails_again(tmp_path: Path) -> None:
    first = record(LINE.replace("ERROR", "QueryFailed").replace("THERE", "null"), tmp_path)
    assert (first.status, first.reason) == ("failed", "b#1: QueryFailed: no such column")
    again = replayed(tmp_path)
    assert plain(again) == plain(first)
    assert again.exit_code == first.exit_code == 4


def test_a_run_that_was_gone_on_with(tmp_path: Path) -> None:
    there = tmp_path / "there"
    first = record(LINE.replace("ERROR", "ToolError").replace("THERE", str(there)), tmp_path)
    assert first.status == "failed"
    there.touch()
    last = resume("one", runs=tmp_path / "runs", trust=TRUST)
    assert (last.status, last.outputs) == ("finished", {"n": 4})
    EXECUTED.clear()
    there.unlink()
    assert plain(replayed(tmp_path)) == plain(last)


def test_a_run_that_waits_waits_again(tmp_path: Path) -> None:
    text = LINE.replace("T.Fail, error: ERROR, unless: THERE", "T.Ask, answer: nowhere")
    first = record(text, tmp_path)
    assert (first.status, first.exit_code) == ("waiting", 75)
    assert plain(replayed(tmp_path)) == plain(first)


SPENDING = """
_target_: circular
early_exit_key: null
max_rounds: 20
input_interface: [n]
output_interface: [n]
subflows_config: {m: {_target_: T.Spend}}
topology: [{goal: spend, flow: m}]
inputs: {n: 0}
"""


@pytest.mark.parametrize(
    "limit", ["limits.rounds=3", "limits.model_calls=2", "limits.tokens=25", "limits.rounds=0"]
)
@pytest.mark.parametrize("on_limit", ["partial", "raise"])
def test_a_run_at_its_limit(tmp_path: Path, limit: str, on_limit: str) -> None:
    first = record(SPENDING, tmp_path, limit, f"limits.on_limit={on_limit}")
    assert first.status == ("unfinished" if on_limit == "partial" else "failed")
    assert plain(replayed(tmp_path)) == plain(first)


def test_a_run_whose_time_was_up(tmp_path: Path) -> None:
    text = SPENDING.replace("T.Spend", "T.Sleep, seconds: 0.1")
    first = record(text, tmp_path, "limits.wall_time=0.35")
    assert first.status == "unfinished"
    assert first.outputs["n"] in (1, 2, 3, 4)
    assert plain(replayed(tmp_path)) == plain(first)


TIMED = """
_target_: sequential
input_interface: [n]
output_interface: [observation]
subflows_config:
  c:
    _target_: T.Catch
    input_interface: [n]
    subflows_config:
      inner:
        _target_: parallel
        timeout: 0.3
        input_interface: [n]
        output_interface: [x, y]
        subflows_config: {a: {_target_: T.Write}, slow: {_target_: T.Sleep}, b: {_target_: T.Add}}
        topology:
          - {goal: s, flow: slow, output_interface: {keys_to_rename: {n: y}}}
          - {goal: a, flow: a, output_interface: {keys_to_rename: {n: x}}}
          - goal: b
            flow: b
            after: [a]
            input_interface: {keys_to_copy: {x: n}}
            output_interface: {keys_to_rename: {n: z}}
    topology: [{goal: i, flow: inner}]
  k: {_target_: T.Echo}
topology: [{goal: c, flow: c}, {goal: k, flow: k}]
inputs: {n: 1}
"""


def test_a_composite_whose_time_was_up(tmp_path: Path) -> None:
    first = record(TIMED, tmp_path)
    assert first.status == "finished"
    assert "StepTimeout: inner took more than 0.3 s" in first.outputs["observation"]
    assert plain(replayed(tmp_path)) == plain(first)


TOGETHER = """
_target_: parallel
input_interface: [n]
output_interface: [x, y, z]
subflows_config:
  line:
    _target_: sequential
    input_interface: [n]
    output_interface: [n]
    subflows_config: {w: {_target_: T.Write}, slow: {_target_: T.Sleep, seconds: 30}}
    topology: [{goal: w, flow: w}, {goal: slow, flow: slow}]
  pause: {_target_: T.Sleep, seconds: 0.1}
  bad: BAD
topology:
  - {goal: l, flow: line, output_interface: {keys_to_rename: {n: x}}}
  - {goal: p, flow: pause, output_interface: {keys_to_rename: {n: y}}}
  - {goal: b, flow: bad, after: [pause], output_interface: {keys_to_rename: {n: z}}}
inputs: {n: 1}
limits: {model_calls: 0}
"""


@pytest.mark.parametrize(
    ("bad", "status", "outputs"),
    [
        ("{_target_: T.Fail}", "failed", {}),
        ("{_target_: T.Spend}", "unfinished", {"y": 2}),
    ],
)
def test_a_step_that_was_still_running_when_another_ended_the_run(
    tmp_path: Path, bad: str, status: str, outputs: Mapping[str, int]
) -> None:
    first = record(TOGETHER.replace("BAD", bad), tmp_path)
    assert (first.status, first.outputs) == (status, outputs)
    assert plain(replayed(tmp_path)) == plain(first)


@pytest.mark.long("runs that are killed and gone on with")
def test_a_run_that_waits_to_hear_what_came_of_a_step(tmp_path: Path) -> None:
    plan_of(LINE.replace("T.Fail, error: ERROR, unless: THERE", "T.SleepOnce"), tmp_path)
    command = [sys.executable, "-m", "tests.runners.process", str(tmp_path)]
    log = tmp_path / "log"
    environment = {**os.environ, "FLOWS_TEST_LOG": str(log)}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=environment)
    while not log.exists() or "b#1" not in log.read_text():
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.wait()
    [folder] = (tmp_path / "runs").iterdir()
    folder.rename(tmp_path / "runs" / "one")
    last = resume("one", runs=tmp_path / "runs", trust=TRUST)
    assert last.status == "waiting"
    EXECUTED.clear()
    assert plain(replayed(tmp_path)) == plain(last)


def test_a_run_in_a_journal_that_many_share(tmp_path: Path) -> None:
    plan = plan_of(CHAIN, tmp_path)
    plan.runs_folder.mkdir()
    file = JournalFile(plan.runs_folder, new=True, grouped=True)

    async def run_both() -> list[RunResult]:
        return await asyncio.gather(*(run_plan(plan, run_id=each, file=file) for each in "ab"))

    try:
        first = asyncio.run(run_both())
    finally:
        file.close()
    EXECUTED.clear()
    for result in first:
        again = flows.replay(result.run_id, runs=plan.runs_folder, trust=TRUST)
        assert plain(again) == plain(result)
    assert EXECUTED == []
    forked = flows.fork("b", "c#1", ["c.amount=5"], runs=plan.runs_folder, trust=TRUST)
    assert EXECUTED == ["c#1"]
    assert forked.outputs == {"n": first[1].outputs["n"] + 4}


@pytest.mark.long("runs that are killed and gone on with")
def test_a_run_that_was_killed_has_to_come_to_an_end_first(tmp_path: Path) -> None:
    plan_of(LINE.replace("T.Fail, error: ERROR, unless: THERE", "T.Sleep"), tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.runners.process", str(tmp_path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    run_id = process.stderr.readline().decode().strip()
    process.kill()
    process.communicate()
    with pytest.raises(JournalError, match="has not come to an end; go on with it first"):
        flows.replay(run_id, runs=tmp_path / "runs", trust=TRUST)


def test_a_damaged_run_is_refused(tmp_path: Path) -> None:
    record(LINE.replace("ERROR", "ToolError").replace("THERE", "null"), tmp_path)
    journal = tmp_path / "runs" / "one" / FILE
    content = bytearray(journal.read_bytes())
    at = content.index(b'"n":1')
    content[at : at + 5] = b'"n":7'
    journal.write_bytes(content)
    with pytest.raises(JournalError, match="damaged"):
        replayed(tmp_path)


CHAIN = """
_target_: sequential
name: Chain
input_interface: [n]
output_interface: [n]
subflows_config:
  a: {_target_: T.Add}
  inner:
    _target_: sequential
    input_interface: [n]
    output_interface: [n]
    subflows_config: {b: {_target_: T.Add}, k: {_target_: T.Accumulate}}
    topology: [{goal: b, flow: b}, {goal: k, flow: k}]
  c: {_target_: T.Add}
topology: [{goal: a, flow: a}, {goal: i, flow: inner}, {goal: c, flow: c}]
inputs: {n: 1}
"""
CONFIGS = [
    ("a.amount=5", "a#1", "config", "a.amount: (not there) is now 5"),
    ("inner.b.amount=5", "inner#1/b#1", "config", "inner.b.amount: (not there) is now 5"),
    ("c.amount=5", "c#1", "config", "c.amount"),
    ("c._target_=tests.flows_for_tests.Double", "c#1", "config", "c._target_"),
    ("inner.topology.0.goal=other", "inner#1/b#1", "config", "inner.topology.0.goal: 'b'"),
    ("description=other", "a#1", "config", "description: (not there) is now 'other'"),
    ("n=2", "a#1", "inputs", "n: 1 is now '2'"),
    ("limits.rounds=0", "", "", ""),
]


@pytest.mark.parametrize(("override", "step", "why", "problem"), CONFIGS)
def test_a_changed_config_is_named(
    tmp_path: Path, override: str, step: str, why: str, problem: str
) -> None:
    record(CHAIN, tmp_path)
    if not why:  # it has no rounds
        assert replayed(tmp_path, override).status == "finished"
        return
    error = differs(tmp_path, override)
    assert (error.step, error.why) == (step, why)
    assert problem in error.problem


def test_a_limit_that_changes_the_end_is_named(tmp_path: Path) -> None:
    record(SPENDING, tmp_path, "limits.rounds=3")
    error = differs(tmp_path, "limits.rounds=2")
    assert (error.step, error.why) == ("", "config")
    assert "limits.rounds: 3 is now 2" in error.problem


def test_an_override_that_is_wrong_is_refused(tmp_path: Path) -> None:
    record(CHAIN, tmp_path)
    with pytest.raises(ConfigError, match="has no 'innr'"):
        replayed(tmp_path, "innr.b.amount=5")


TALK = """
_target_: sequential
input_interface: [n]
output_interface: [api_output]
model: {_target_: model.openai, model: small, base_url: URL, api_key: "${env:SOME_KEY}"}
data: {trees: trees.csv}
subflows_config:
  a: {_target_: T.Echo}
  chat: {_target_: chat, human_prompt: ask, system_prompt: rules, context: [tables]}
topology:
  - {goal: a, flow: a, input_interface: {keys_to_rename: {n: value}}}
  - {goal: c, flow: chat, input_interface: {keys_to_rename: {value: what}}}
inputs: {n: 7}
"""


@pytest.fixture
def server() -> Iterator[FakeModel]:
    with FakeModel() as running:
        yield running


@pytest.fixture
def talk(tmp_path: Path, server: FakeModel, monkeypatch: pytest.MonkeyPatch) -> RunResult:
    """A run with prompts, data, a model and a key of its own."""
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "ask.j2").write_text("{#- variables: what -#}\nSay\n{{ what }}!\n")
    (tmp_path / "prompts" / "rules.j2").write_text("{#- variables: tables -#}\n{{ tables }}\n")
    (tmp_path / "trees.csv").write_text("kind,height\noak,20\nelm,30\n")
    monkeypatch.setenv("SOME_KEY", "secret-of-mine")
    file = tmp_path / "run.yaml"
    file.write_text(TALK.replace("URL", server.base_url).replace("T.", f"{module}."))
    trust = (*TRUST, server.base_url)  # for the run alone: a replay sends nothing
    plan, _ = build(file, (f"runs={tmp_path / 'runs'}",), trust=trust)
    return recorded(plan)


def test_without_model_key_and_data(
    tmp_path: Path, talk: RunResult, server: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert talk.status == "finished"
    assert len(server.requests) == 1
    monkeypatch.delenv("SOME_KEY")
    (tmp_path / "trees.csv").unlink()
    assert plain(replayed(tmp_path)) == plain(talk)
    assert len(server.requests) == 1


def test_in_another_place(tmp_path: Path, talk: RunResult) -> None:
    there = tmp_path / "another" / "place"
    shutil.copytree(tmp_path / "runs", there / "runs")
    shutil.move(tmp_path / "prompts", there / "prompts")
    again = flows.replay("one", runs=there / "runs", base=there, trust=TRUST)
    assert again.outputs == talk.outputs


def test_a_changed_prompt_is_named(tmp_path: Path, talk: RunResult) -> None:
    (tmp_path / "prompts" / "ask.j2").write_text("{#- variables: what -#}\nSay\n{{ what }}?\n")
    error = differs(tmp_path)
    assert (error.step, error.why) == ("chat#1", "prompt")
    assert error.problem == "ask.j2, line 3: '{{ what }}!' is now '{{ what }}?'"


@pytest.mark.parametrize(
    ("override", "problem"),
    [
        ("model=offline", "model._target_: 'model.openai' is now 'model.offline'"),
        ("model.model=large", "model.model: 'small' is now 'large'"),
        ("chat.model=offline", "chat.model._target_: (not there) is now 'model.offline'"),
        ("data.trees=other.csv", "data.trees"),
    ],
)
def test_another_model_or_source_is_named(
    tmp_path: Path, talk: RunResult, override: str, problem: str
) -> None:
    error = differs(tmp_path, override)
    assert (error.step, error.why) == ("chat#1", "config")
    assert problem in error.problem


def test_a_secret_is_not_shown(tmp_path: Path, talk: RunResult) -> None:
    error = differs(tmp_path, "model.api_key=another-secret")
    assert "model.api_key" in error.problem
    assert "another-secret" not in str(error)
    assert "secret-of-mine" not in str(error)


CODE = """
from tests.flows_for_tests import Add


class Mine(Add):
    async def run(self, inputs, run):
        return type(inputs)(n=inputs.n + 10)
"""
REPLAY = """
import flows, sys
from flows.errors import ReplayDiffers
try:
    print(flows.replay("one", runs=sys.argv[1], trust=("tests", "mine")).outputs)
except ReplayDiffers as error:
    print(error.step, error.why, error.problem)
"""


@pytest.mark.long("runs that are killed and gone on with")
def test_changed_code_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "__init__.py").touch()
    (mine / "steps.py").write_text(dedent(CODE))
    monkeypatch.syspath_prepend(tmp_path)
    text = CHAIN.replace("c: {_target_: T.Add}", "c: {_target_: mine.steps.Mine}")
    file = tmp_path / "run.yaml"
    file.write_text(dedent(text).replace("T.", f"{module}."))
    trust = (*TRUST, "mine")
    result = run(file, (f"runs={tmp_path / 'runs'}",), trust=trust)
    (tmp_path / "runs" / result.run_id).rename(tmp_path / "runs" / "one")

    assert _replay_in_a_process(tmp_path) == str(dict(result.outputs))
    (mine / "steps.py").write_text(dedent(CODE).replace("+ 10", "+ 11"))
    assert _replay_in_a_process(tmp_path) == "c#1 code the code of Mine (steps.py) was changed"
    (mine / "steps.py").write_text(dedent(CODE))
    assert _replay_in_a_process(tmp_path) == str(dict(result.outputs))


def _replay_in_a_process(folder: Path) -> str:
    path = f"import sys; sys.path.insert(0, {str(folder)!r})\n"
    done = subprocess.run(
        [sys.executable, "-c", path + REPLAY, str(folder / "runs")],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


AUTO = """
defaults: [autogpt, override human: never, _self_]
memory: {folder: memory}
data: {trees: trees.csv}
inputs: {goal: "Which kind is the highest? How many rows has trees? What is the mean height?"}
limits: {model_calls: 3, on_limit: finalize}
"""


@pytest.mark.long("whole runs that are stopped and go on")
def test_a_run_that_gave_a_last_answer_at_its_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # where the memory's folder starts from
    (tmp_path / "trees.csv").write_text("kind,height\noak,20\nelm,30\n")
    first = record(AUTO, tmp_path)
    assert first.status == "unfinished"
    assert first.outputs["answer"]
    assert plain(replayed(tmp_path)) == plain(first)


@pytest.mark.long("whole runs that are stopped and go on")
def test_a_thousand_steps_are_replayed_in_their_order(tmp_path: Path) -> None:
    text = SPENDING.replace("T.Spend", "T.Accumulate, name: m").replace("output_interface: [n]", "")
    text = text.replace("20", "1000")
    first = record(text, tmp_path)
    assert plain(replayed(tmp_path)) == plain(first)
