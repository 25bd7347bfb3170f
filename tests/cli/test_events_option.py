"""`--events FILE`: what happens in a run, as lines of JSON that another program can follow."""

from __future__ import annotations

import asyncio
import json
import math
import os
import runpy
import stat
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, get_args

import pytest

from flows.core.events import Event, StepFinished
from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from flows.runners.local import run_plan
from flows.ui.event_lines import NAMES, EventLines, line_of
from tests.cli.command import PROJECT, RUN_PY, environment, flows
from tests.cli.inside import CHAIN, demo, inside, write
from tests.shapes import SHAPES, plan_of

ASKING = """\
_target_: sequential
name: Asking
input_interface: [question]
output_interface: [api_output]
model: {_target_: model.openai, model: small, base_url: URL, retry: {attempts: 1}}
subflows_config: {ask: {_target_: chat}}
topology: [{goal: Ask, flow: ask}]
inputs: {question: Hello}
"""


def lines(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    assert text.endswith("\n")
    return [json.loads(each) for each in text.splitlines()]


@pytest.mark.long("whole runs of the command")
def test_every_event_of_a_run_is_a_line(tmp_path: Path) -> None:
    ended = demo("human=never", "--json", "--events", "events.jsonl", cwd=tmp_path)
    assert ended.code == 0, ended.err
    found = lines(tmp_path / "events.jsonl")
    assert [each["seq"] for each in found] == list(range(1, len(found) + 1))
    assert {each["run"] for each in found} == {ended.json()["run_id"]}
    assert (found[0]["event"], found[-1]["event"]) == ("run_started", "run_ended")
    assert found[-1]["status"] == "finished"
    rounds = [each for each in found if each["event"] == "round_started"]
    assert [each["round"] for each in rounds] == [1, 2, 3, 4, 5]
    by_address = {each["address"]: each for each in found if each["event"] == "step_finished"}
    assert by_address["Executor#2"]["round"] == 2
    assert by_address[""]["outputs"]["answer"] == ended.json()["outputs"]["answer"]
    calls = [each for each in found if each["event"] == "model_called"]
    assert len(calls) == ended.json()["usage"]["model_calls"]
    times = [datetime.fromisoformat(each["at"]) for each in found]
    assert times == sorted(times)
    assert times[0].utcoffset() == timedelta(0)
    assert stat.S_IMODE((tmp_path / "events.jsonl").stat().st_mode) == 0o600


def test_a_resumed_run_appends_to_the_same_file(tmp_path: Path) -> None:
    file = write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    first = inside("run", file, "--json", "--events", "events.jsonl", cwd=tmp_path)
    run = first.json()["run_id"]
    with (tmp_path / "events.jsonl").open("a") as cut:
        cut.write('{"event": "step_fin')
    again = inside("resume", run, "--json", "--events", "events.jsonl", cwd=tmp_path)
    assert again.code == 0, again.err
    text = (tmp_path / "events.jsonl").read_text().splitlines()
    whole = [json.loads(each) for each in text if each != '{"event": "step_fin']
    assert len(whole) == len(text) - 1
    starts = [each for each in whole if each["event"] == "run_started"]
    assert [(each["run"], each["resumed"]) for each in starts] == [(run, False), (run, True)]
    reused = [each["reused"] for each in whole if each["event"] == "step_finished"]
    assert reused[:3] == [False, False, False]
    assert reused[3:] == [True, True, False]


def test_what_a_model_says_and_that_it_failed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "unused")
    with FakeModel() as server:
        file = write(tmp_path, ASKING.replace("URL", server.base_url))
        command = ("run", file, "--trust", server.base_url)
        server.script(FakeAnswer("Hello there", pieces=("Hello", " there")))
        assert inside(*command, "--events", "good.jsonl", cwd=tmp_path).code == 0
        server.script(FakeAnswer(status=401, body={"error": {"message": "no"}}))
        assert inside(*command, "--events", "bad.jsonl", cwd=tmp_path).code == 3
    good = lines(tmp_path / "good.jsonl")
    text = "".join(each["text"] for each in good if each["event"] == "text_arrived")
    assert text == "Hello there"
    [call] = [each for each in good if each["event"] == "model_called"]
    assert (call["model"], call["kind"], call["finish"]) == ("small", "OpenAIModel", "stop")
    assert call["messages"] == [{"role": "user", "content": "Hello"}]
    assert (call["text"], call["error"]) == ("Hello there", "")
    assert (call["usage"]["input_tokens"], call["usage"]["output_tokens"]) == (11, 7)
    bad = lines(tmp_path / "bad.jsonl")
    [call] = [each for each in bad if each["event"] == "model_called"]
    assert (call["text"], call["finish"], call["error"]) == ("", "", "ModelRefused")
    [erred] = [each for each in bad if each["event"] == "step_erred"]
    assert (erred["address"], erred["error"]) == ("ask#1", "ModelRefused")


def test_standard_output_is_for_the_events_alone(tmp_path: Path) -> None:
    write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    ended = flows("run", "my.yaml", "--events", "-", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert [json.loads(each)["seq"] for each in ended.out.splitlines()] == list(range(1, 9))
    assert "Finished" in ended.err


@pytest.mark.long("the whole demo, with each of its outputs closed")
def test_a_reader_that_goes_away_does_not_end_the_run(tmp_path: Path) -> None:
    command = f'"{sys.executable}" "{RUN_PY}" human=never --events - | head -n 1'
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["event"] == "run_started"
    assert done.stderr.count("No more events are written to -: Broken pipe.") == 1
    assert "Oceania" in done.stderr[done.stderr.index("── Answer ──") :]


def test_a_full_disk_does_not_end_the_run(tmp_path: Path) -> None:
    file = write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    ended = inside("run", file, "--events", "/dev/full", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.out.count("No more events are written to /dev/full: No space left on device") == 1


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("missing/events.jsonl", "No such file or directory"),
        (".", "Is a directory"),
        ("my.yaml/events", "Not a directory"),
    ],
)
def test_a_file_that_cannot_be_written_ends_it_before_it_begins(
    where: str, why: str, tmp_path: Path
) -> None:
    file = write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    ended = inside("run", file, "--events", where, cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert f"events cannot be written to {where}: {why}" in ended.err
    assert not (tmp_path / "runs").exists()
    ended = inside("run", file, "--json", "--events", where, cwd=tmp_path)
    assert (ended.code, ended.json()["status"]) == (2, "failed")
    assert why in ended.json()["reason"]


def test_standard_output_cannot_hold_both(tmp_path: Path) -> None:
    file = write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    ended = inside("run", file, "--json", "--events", "-", cwd=tmp_path)
    assert ended.code == 2
    assert "--json and --events - both want standard output" in ended.err


CIRCLE: list[object] = []
CIRCLE.append(CIRCLE)
DEEP: list[Any] = []
for _ in range(5_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (b"\xff\x00", "_wA="),
        ({3}, [3]),
        (math.nan, "NaN"),
        (-math.inf, "-Infinity"),
        ("two\nlines", "two\nlines"),
        (Path("a/b"), "a/b"),
        (2**70, 2**70),
        ({1: "one", None: 0}, {"1": "one", "None": 0}),
        (CIRCLE, None),
        ("half \ud800", None),
        (DEEP, None),
        (object(), None),
    ],
    ids=lambda each: type(each).__name__,
)
def test_every_value_has_a_form(value: object, written: object) -> None:
    line = line_of(StepFinished("r", 1, "", 0, "f", {"value": value}, 1.0, None, False))
    assert "\n" not in line
    line.encode()
    outputs = json.loads(line)["outputs"]
    if written is not None:
        assert outputs == {"value": written}
    assert (json.loads(line)["run"], json.loads(line)["elapsed_ms"]) == ("r", 1.0)


def test_lines_of_runs_at_once_do_not_mix(tmp_path: Path) -> None:
    plan = plan_of(SHAPES[9].text, tmp_path)
    writers = [EventLines(str(tmp_path / "all.jsonl"), print) for _ in range(4)]

    async def run_all() -> None:
        runs = (run_plan(plan, journal=False, listeners=(each,)) for each in writers)
        await asyncio.gather(*runs)

    asyncio.run(run_all())
    for each in writers:
        each.close()
    found = lines(tmp_path / "all.jsonl")
    for run in {each["run"] for each in found}:
        own = [each["seq"] for each in found if each["run"] == run]
        assert own == list(range(1, len(own) + 1))
    assert len({each["run"] for each in found}) == 4


def test_a_named_pipe_can_be_followed(tmp_path: Path) -> None:
    file = write(tmp_path, CHAIN + "inputs: {answer: a}\n")
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", "pipe"], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert inside("run", file, "--events", "pipe", cwd=tmp_path).code == 0
    read, _ = reader.communicate(timeout=30)
    assert json.loads(read.splitlines()[-1])["event"] == "run_ended"


def test_the_page_of_the_events_is_up_to_date() -> None:
    made = runpy.run_path(str(PROJECT / "docs" / "generate.py"))["events_page"]()
    written = (PROJECT / "docs" / "events.md").read_text(encoding="utf-8")
    assert made == written, "run: python docs/generate.py"
    for kind in get_args(Event):
        assert f"## {NAMES[kind]}\n" in written
