"""`flows ask --batch`: many questions, a line each, in their order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from flows.library.ask.answer import KEYS
from tests.cli.command import PROJECT, Ended, environment, flows
from tests.cli.farm import AVERAGE, farm, jsonl
from tests.cli.inside import inside
from tests.processes import is_gone


def answers(ended: Ended) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ended.out.splitlines()]


@pytest.mark.long("several batches of questions")
def test_lines_come_in_order_and_a_bad_one_fails_alone(tmp_path: Path) -> None:
    (tmp_path / "asked").mkdir()
    farm(tmp_path / "asked")
    farm(tmp_path, "other.db")
    jsonl(
        tmp_path / "asked" / "b.jsonl",
        [
            {"id": "a", "question": "How many cows are there?", "data": ["farm.db"]},
            "{no json",
            {"id": "c", "question": " ", "data": ["farm.db"]},
            {"id": "d", "question": "How many cows are there?"},
            "",
            {"id": "e", "question": "How many barns are there?", "data": ["gone.db"]},
            {"id": "f", "question": AVERAGE, "data": ["other.db"]},
            {"id": ["g"], "question": "Why is the sky blue?", "data": "farm.db"},
            "[1]",
        ],
    )
    ended = inside("ask", "--batch", "asked/b.jsonl", "--json", "--processes", "1", cwd=tmp_path)
    assert ended.code == 0, ended.err
    found = answers(ended)
    assert [each["id"] for each in found] == ["a", 2, "c", "d", "e", "f", ["g"], 9]
    assert all(set(each) == {"id", *KEYS} for each in found)
    statuses = [each["status"] for each in found]
    assert statuses == ["answered", *["failed"] * 4, "answered", "abstained", "failed"]
    assert found[0]["rows"] == [[30]]
    for place, line in ((1, "line 2"), (2, "line 3"), (3, "line 4"), (7, "line 9")):
        assert line in found[place]["reason"]
    assert found[4]["reason"].startswith("line 6: source 'gone': there is no file")
    # Each is a run of its own, though many stand in one journal.
    shown = inside("show", found[5]["run_id"], cwd=tmp_path)
    assert shown.code == 0
    assert AVERAGE in shown.out
    assert len({each["run_id"] for each in found if each["run_id"]}) == 3


@pytest.mark.long("several batches of questions")
def test_every_line_is_json_whatever_the_ids_and_questions_are(tmp_path: Path) -> None:
    farm(tmp_path)
    count = '"question": "How many cows are there?"'
    ids = ("NaN", "1e999", "1e3", '"\\ud800"')
    half = '{"id": 5, "question": "How many \\udc00?"}'
    jsonl(tmp_path / "b.jsonl", [*(f'{{"id": {each}, {count}}}' for each in ids), half])
    command = ("ask", "--batch", "b.jsonl", "--data", "farm.db", "--json", "--processes", "1")
    ended = flows(*command, cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    found = [json.loads(line, parse_constant=refuse) for line in ended.out.splitlines()]
    assert [each["id"] for each in found] == [1, 2, 1000.0, "\ud800", 5]
    assert [each["status"] for each in found] == [*["failed"] * 2, *["answered"] * 2, "failed"]
    assert "NaN is no number" in found[0]["reason"]
    assert "half a character" in found[4]["reason"]


@pytest.mark.long("several batches of questions")
def test_one_question_alone_is_found_again(tmp_path: Path) -> None:
    farm(tmp_path)
    jsonl(tmp_path / "b.jsonl", [{"question": "How many cows are there?"}])
    ended = inside("ask", "--batch", "b.jsonl", "--data", "farm.db", "--json", cwd=tmp_path)
    [found] = answers(ended)
    assert (found["id"], found["rows"]) == (1, [[30]])
    assert inside("show", found["run_id"], cwd=tmp_path).code == 0


def test_a_line_that_is_no_json_is_told_in_words(tmp_path: Path) -> None:
    jsonl(tmp_path / "b.jsonl", ["{'question': 'How many?'}", '{"question": "How many?",}'])
    found = answers(inside("ask", "--batch", "b.jsonl", "--json", cwd=tmp_path))
    assert [each["reason"] for each in found] == [
        'line 1 is no JSON: column 2: names and texts stand in straight double quotes (")',
        "line 2 is no JSON: column 26: a comma stands before the closing }",
    ]


def test_a_line_that_is_a_question_alone_is_told_what_a_line_is(tmp_path: Path) -> None:
    jsonl(tmp_path / "b.jsonl", ["How many cows are there?"])
    [found] = answers(inside("ask", "--batch", "b.jsonl", "--json", cwd=tmp_path))
    assert found["reason"].endswith('such as {"question": "How many rows are there?"}')


def test_an_empty_file_gives_nothing(tmp_path: Path) -> None:
    jsonl(tmp_path / "b.jsonl", [])
    ended = inside("ask", "--batch", "b.jsonl", "--json", cwd=tmp_path)
    assert (ended.code, ended.out) == (0, "")


@pytest.mark.long("several batches of questions")
def test_a_config_that_nothing_can_be_asked_with_ends_it(tmp_path: Path) -> None:
    farm(tmp_path)
    jsonl(tmp_path / "b.jsonl", [{"question": "How many?", "data": ["farm.db"]}] * 3)
    ended = inside("ask", "--batch", "b.jsonl", "--json", "answer_abov=1", cwd=tmp_path)
    assert ended.code == 2
    assert "answer_above" in ended.err
    assert ended.out == ""
    assert inside("ask", "--batch", "none.jsonl", cwd=tmp_path).code == 2


def started(folder: Path, lines: int, *options: str) -> subprocess.Popen[str]:
    farm(folder)
    units = [f"How many cows have milk more than {n % 29}?" for n in range(lines)]
    jsonl(folder / "b.jsonl", [{"id": n, "question": each} for n, each in enumerate(units)])
    return subprocess.Popen(
        [sys.executable, "-m", "flows", "ask", "--batch", "b.jsonl", "--data", "farm.db",
         "--processes", "1", *(options or ("--json",))],
        cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def children(pid: int) -> list[int]:
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                state = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(state[1]) == pid:
                found.append(int(folder.name))
    return found


def assert_gone(pid: int) -> None:
    deadline = time.monotonic() + 60
    while not is_gone(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert is_gone(pid)


@pytest.mark.long("whole processes are killed and go on")
def test_a_worker_that_dies_loses_no_line(tmp_path: Path) -> None:
    running = started(tmp_path, 120)
    assert running.stdout is not None
    first = [running.stdout.readline() for _ in range(3)]
    [worker] = children(running.pid)
    os.kill(worker, signal.SIGKILL)
    with running:
        rest = running.stdout.readlines()
    assert running.returncode == 0
    found = [json.loads(line) for line in (*first, *rest)]
    assert [each["id"] for each in found] == list(range(120))
    assert [each["rows"] for each in found] == [[[30 - n % 29]] for n in range(120)]


@pytest.mark.long("a batch on all cores, in processes")
@pytest.mark.parametrize("options", [("--json",), ()])
def test_who_stops_reading_ends_it(tmp_path: Path, options: tuple[str, ...]) -> None:
    running = started(tmp_path, 5000, *options)
    assert running.stdout is not None
    assert running.stdout.readline()
    [worker] = children(running.pid)
    running.stdout.close()
    assert running.wait(30) == 0
    said = running.communicate()[1]
    assert said == ""
    assert_gone(worker)


@pytest.mark.long("a batch in processes")
def test_a_worker_that_is_told_to_end_while_it_ends_says_nothing(tmp_path: Path) -> None:
    running = started(tmp_path, 200)
    assert running.stdout is not None
    assert running.stdout.readline()
    [worker] = children(running.pid)
    running.stdout.close()
    while not is_gone(worker):
        os.kill(worker, signal.SIGTERM)
        time.sleep(0.0005)
    assert running.wait(30) == 0
    assert running.communicate()[1] == ""


@pytest.mark.long("whole processes are killed and go on")
def test_a_worker_whose_batch_was_killed_ends_in_silence(tmp_path: Path) -> None:
    running = started(tmp_path, 5000)
    assert running.stdout is not None
    running.stdout.readline()
    [worker] = children(running.pid)
    running.kill()
    with running:
        said = running.communicate()[1]  # the worker has it too, and closes it when it ends
    assert said == ""
    assert_gone(worker)


@pytest.mark.long("a batch on all cores, in processes")
def test_ctrl_c_ends_it_and_its_processes(tmp_path: Path) -> None:
    running = started(tmp_path, 5000)
    assert running.stdout is not None
    running.stdout.readline()
    [worker] = children(running.pid)
    running.send_signal(signal.SIGINT)
    with running:
        running.stdout.read()
    assert running.returncode == 130
    assert_gone(worker)


@pytest.mark.long("a batch on all cores, in processes")
def test_the_benchmark_checks_every_answer(tmp_path: Path) -> None:
    out = tmp_path / "rates.json"
    sizes = ["--questions", "12", "--databases", "1", "--rows", "40", "--repeats", "1", "--cold"]
    script = str(PROJECT / "benchmarks" / "ask_batch.py")
    command = [sys.executable, script, *sizes, "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=90, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text())["questions_per_second"]["median"] > 0
