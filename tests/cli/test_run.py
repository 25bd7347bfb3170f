"""`flows run` and `run.py` without a terminal: pipes, JSON, the user's own data, wrong usage."""

from __future__ import annotations

import csv
import json
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.models.fake.answer import FakeAnswer
from flows.models.fake.server import FakeModel
from tests.cli.command import RUN_PY, environment, run_py
from tests.cli.inside import demo, inside


@pytest.mark.long("whole runs of the command")
def test_the_demo_answers_with_nobody_asked(tmp_path: Path) -> None:
    ended = run_py("human=never", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "Round 1 of 30" in ended.out
    for command in ("describe", "sql", "chart", "finish"):
        assert f"Command    {command}" in ended.out
    assert 'GROUP BY "continent"' in ended.out  # the SQL that made the table
    answer = ended.out[ended.out.index("── Answer ──") :]
    assert "Oceania" in answer
    assert "80.72" in answer
    assert "average_lifeExp = 80.7195" in answer  # the cell behind the number
    assert "no source" not in answer
    assert "The line chart of average_lifeExp by year is in `figure-" in answer
    assert "Warning" not in answer
    assert "model calls" in answer
    folder = next((tmp_path / "runs").iterdir())
    assert folder.name in answer
    assert (folder / "journal.sqlite").is_file()


@pytest.mark.long("whole runs of the command")
def test_json_is_one_object_and_progress_goes_to_stderr(tmp_path: Path) -> None:
    ended = demo("--json", "human=never", cwd=tmp_path)
    assert ended.code == 0, ended.err
    found = ended.json()
    assert found["status"] == "finished"
    assert "Oceania" in found["outputs"]["answer"]
    assert found["usage"]["model_calls"] >= 4
    assert found["usage"]["rounds"] == 5
    assert found["run_id"] in ended.err
    assert "Round 2 of 30" in ended.err
    for artifact in found["artifacts"]:
        content = (tmp_path / found["folder"] / artifact["path"]).read_bytes()
        assert len(content) == artifact["bytes"]
    cited = {each["text"]: each for each in found["outputs"]["citations"]}
    assert cited["80.72"]["origin"] == "cell"
    assert cited["80.72"]["sql"].startswith("SELECT")


@pytest.mark.long("whole runs of the command")
def test_lines_of_a_pipe_are_the_answers(tmp_path: Path) -> None:
    ended = run_py(cwd=tmp_path, stdin="\n\nq\n")
    assert ended.code == 0, ended.err
    assert "Round 3 of 30" in ended.out
    assert "Round 4 of 30" not in ended.out
    assert "the person ended the run" in ended.out


def test_feedback_from_a_pipe_changes_the_next_command(tmp_path: Path) -> None:
    goal = "goal=Which continent had the highest average life expectancy in 2007?"
    ended = demo(goal, "--json", cwd=tmp_path, stdin="only in 1952\n\n\n\n")
    assert ended.code == 0, ended.err
    assert "80.7195" in ended.err
    answer = ended.json()["outputs"]["answer"]
    assert "1952" in answer
    assert "69.25" in answer or "69.26" in answer


@pytest.mark.long("the whole demo, with a closed and an empty standard input")
@pytest.mark.parametrize("closed", [False, True])
def test_with_nobody_there_the_demo_goes_on_and_says_so(tmp_path: Path, closed: bool) -> None:
    how = "<&-" if closed else "</dev/null"
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" "{RUN_PY}" {how}'],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Nobody is there" in done.stdout
    assert done.stdout.count("Nobody is there") == 1
    assert "Oceania" in done.stdout


@pytest.mark.long("whole runs of the command")
def test_elsewhere_nobody_there_means_to_wait(tmp_path: Path) -> None:
    ended = demo("human=terminal", "--json", cwd=tmp_path)
    assert ended.code == 75
    found = ended.json()
    assert found["status"] == "waiting"
    resumed = inside("resume", found["run_id"], "--json", cwd=tmp_path, stdin="\n\n\n\n\n")
    assert resumed.code == 0, resumed.err
    assert resumed.json()["status"] == "finished"
    assert resumed.json()["usage"]["model_calls"] == 6  # none of them was made twice


def test_a_file_and_data_of_ones_own(tmp_path: Path) -> None:
    """Columns that nobody has seen before, at places that are relative to different folders."""
    words = random.Random(7)
    kinds = ["".join(words.choices("bdfgklmnprstvz", k=1)) + "orb" + str(n) for n in range(4)]
    table = tmp_path / "ledger.csv"
    rows = [(words.choice(kinds), round(words.uniform(1, 90), 2)) for _ in range(200)]
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("wugkind", "blicket_weight"), *rows])
    totals = {kind: sum(w for k, w in rows if k == kind) for kind in kinds}
    best = max(totals, key=lambda kind: totals[kind])
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "my.yaml").write_text("defaults: [autogpt, _self_]\nname: Mine\n")
    ended = inside(
        "run",
        "project/my.yaml",
        "goal=Which wugkind has the highest total blicket weight?",
        "data.ledger=ledger.csv",
        "Executor.sql.max_rows=50",
        "human=never",
        "--json",
        cwd=tmp_path,
    )
    assert ended.code == 0, ended.err
    answer = ended.json()["outputs"]["answer"]
    assert best in answer
    assert f"{totals[best]:.2f}" in answer.replace(",", "")


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize(
    "named", [("data.fleet=fleet.csv",), ("--data", "fleet.csv"), ("--data", "ships=fleet.csv")]
)
def test_a_question_to_the_demo_may_be_about_a_file_of_ones_own(
    tmp_path: Path, named: tuple[str, ...]
) -> None:
    (tmp_path / "fleet.csv").write_text("vessel,tonnage\nAda,120\nBeo,310\nCyd,95\n")
    goal = "goal=Which vessel has the highest tonnage?"
    ended = demo(*named, goal, "human=never", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "Demo" in ended.err
    assert "Beo" in ended.json()["outputs"]["answer"]
    [cited] = [each for each in ended.json()["outputs"]["citations"] if each["text"] == "310"]
    table = "ships" if "ships=fleet.csv" in named else "fleet"
    assert f' FROM "{table}" ' in cited["sql"]


FLEET = "vessel,tonnage\nAda,120\nBeo,310\nCyd,95\n"
TONNAGE = "goal=Which vessel has the highest tonnage?"


@pytest.mark.long("whole runs of the command")
def test_a_goal_and_data_need_no_run_file(tmp_path: Path) -> None:
    """In an empty folder, and all that can be done with a run afterwards can be done with it."""
    (tmp_path / "fleet.csv").write_text(FLEET)
    ended = inside("run", TONNAGE, "data.f=fleet.csv", "human=never", "--json", cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert "Beo" in ended.json()["outputs"]["answer"]
    assert sorted(each.name for each in tmp_path.iterdir()) == [".flows", "fleet.csv", "runs"]
    assert inside("replay", "last", cwd=tmp_path).code == 0
    explained = inside("explain", "last", "answer", cwd=tmp_path)
    assert (explained.code, "Executor#1/sql#1" in explained.out) == (0, True), explained.err
    forked = ("fork", "last", "--at", "Controller#1", "goal=What is the total tonnage?", "--json")
    assert "525" in inside(*forked, cwd=tmp_path).json()["outputs"]["answer"]


@pytest.mark.long("whole runs of the command")
def test_a_run_without_a_file_is_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "fleet.csv").write_text(FLEET)
    prompts = tmp_path / "prompts"
    ended = inside("run", TONNAGE, "--data", "fleet.csv", "human=detached", cwd=tmp_path)
    assert ended.code == 75, ended.err
    assert not prompts.exists()
    while ended.code == 75:
        ended = inside("resume", "last", "--answer", "", "--json", cwd=tmp_path)
    assert "Beo" in ended.json()["outputs"]["answer"]


def test_without_a_file_there_may_be_prompts_beside(tmp_path: Path) -> None:
    """The working folder is that of a run file, for prompts as for data."""
    prompts = tmp_path / "prompts"
    prompts.mkdir()
    (prompts / "controller.system.j2").write_text("{{ nothing_gives_this }}")
    ended = inside("check", TONNAGE, cwd=tmp_path)
    assert ended.code == 2
    assert "prompts/controller.system.j2:1:" in ended.err


@pytest.mark.long("whole runs of the command")
@pytest.mark.parametrize("command", ["run", "check", "config", "graph"])
def test_without_file_goal_and_data_it_says_what_to_give(tmp_path: Path, command: str) -> None:
    ended = inside(command, "human=never", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "no flows.yaml here" in ended.err
    assert 'goal="Which region has the highest revenue?" data.sales=sales.csv' in ended.err
    [line] = re.findall(r"its shortest form is the line: (.+)", ended.err)
    (tmp_path / "demo.yaml").write_text(line)
    assert inside("check", TONNAGE, cwd=tmp_path).code == 0


@pytest.mark.long("whole runs of the command")
def test_a_built_in_config_has_a_name(tmp_path: Path) -> None:
    for arguments in (("check", TONNAGE), ("check", "autogpt", TONNAGE)):
        ended = inside(*arguments, cwd=tmp_path)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith("autogpt: nothing is wrong")
    ended = inside("config", "ask", "--json", cwd=tmp_path)
    assert ended.json()["config"]["_target_"] == "ask"
    assert "Controller" in inside("graph", "autogpt", cwd=tmp_path).out
    ended = inside("graph", "autgpt", cwd=tmp_path)
    assert ended.code == 2
    assert "no built-in config of that name" in ended.err
    assert "did you mean: autogpt" in ended.err


@pytest.mark.long("whole runs of the command")
def test_a_flow_may_have_a_model_of_its_own(tmp_path: Path) -> None:
    decision = {
        "thought": "the answer is known",
        "command": "finish",
        "command_args": {"answer": "It is 42."},
    }
    with FakeModel() as server:
        server.script(FakeAnswer(text=json.dumps(decision)))
        env = environment(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="unused")
        ended = demo("Controller.model=openai", "human=never", "--json", cwd=tmp_path, env=env)
    assert ended.code == 0, ended.err
    found = ended.json()
    assert found["outputs"]["answer"] == "It is 42."
    assert found["outputs"]["citations"][0]["origin"] == "none"  # a number out of nowhere is told


@pytest.mark.long("whole runs of the command")
def test_a_model_that_cannot_be_reached_is_exit_3(tmp_path: Path) -> None:
    env = environment(OPENAI_BASE_URL="http://127.0.0.1:9/v1", OPENAI_API_KEY="unused")
    overrides = ("model=openai", "model.retry.attempts=1", "human=never", "--json")
    ended = demo(*overrides, cwd=tmp_path, env=env)
    assert ended.code == 3
    assert ended.json()["status"] == "failed"
    assert "127.0.0.1" in ended.json()["reason"]
    assert "Traceback" not in ended.err


@pytest.mark.long("whole runs of the command")
def test_limits_end_a_run_unfinished_with_what_there_is(tmp_path: Path) -> None:
    ended = demo("limits.model_calls=3", "human=never", "--json", cwd=tmp_path)
    assert ended.code == 0
    assert ended.json()["status"] == "unfinished"
    assert "model_calls" in ended.json()["reason"]


@pytest.mark.long("whole runs of the command")
def test_commands_that_all_fail_make_the_run_degraded(tmp_path: Path) -> None:
    offered = [f"Executor.{name}.offered=true" for name in ("wiki_search", "ddg_search")]
    goal = "goal=Who is the mayor of Vienna?"
    ended = demo(goal, "human=never", "--json", *offered, cwd=tmp_path)
    assert ended.code == 0, ended.err
    assert ended.json()["status"] == "degraded"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("max_rounds=many",), "max_rounds"),
        (("Executor.sql.max_row=5",), "max_rows"),
        (("model=openay",), "openai"),
        (("data.sales=missing.csv", "human=never"), "missing.csv"),
        (("goal=",), "goal"),
        (("--no-such-option",), "--no-such-option"),
    ],
)
def test_wrong_usage_says_what_and_where(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    ended = demo(*arguments, cwd=tmp_path)
    assert ended.code == 2, (ended.out, ended.err)
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ended = run_py("nowhere.yaml", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert "nowhere.yaml" in ended.err
    assert "Traceback" not in ended.err


def test_wrong_usage_with_json_is_still_one_object(tmp_path: Path) -> None:
    ended = demo("Executor.sql.max_row=5", "--json", cwd=tmp_path)
    assert ended.code == 2
    assert ended.json()["status"] == "failed"
    assert "max_row" in ended.json()["reason"]


def test_help_tells_the_exit_codes(tmp_path: Path) -> None:
    ended = demo("--help", cwd=tmp_path)
    assert ended.code == 0
    for code in ("0", "2", "3", "4", "75", "130"):
        assert code in ended.out


def test_a_goal_that_is_no_text_is_refused(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(RUN_PY), "human=never", b"goal=Wh\xffat?"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 2
    assert "not UTF-8" in done.stderr
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize("arguments", [("run", "--json", "--nope"), ("resume", "--json")])
def test_a_wrong_option_with_json_is_one_object(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    ended = inside(*arguments, cwd=tmp_path)
    assert ended.code == 2
    assert ended.json()["status"] == "failed"


@pytest.mark.long("the whole demo, with each of its outputs closed")
@pytest.mark.parametrize("where", [">/dev/full", ">&-", "| true"])
def test_an_output_that_takes_nothing_is_no_traceback(tmp_path: Path, where: str) -> None:
    command = f'set -o pipefail; "{sys.executable}" "{RUN_PY}" human=never --json {where}'
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == (2 if "full" in where else 0)


@pytest.mark.long("whole runs of the command")
def test_ctrl_c_ends_a_query_at_once(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_text("n\n" + "\n".join(str(n) for n in range(3000)))
    slow = "SELECT count(*) FROM n a, n b, n c, n d WHERE a.n % 7 = b.n % 5 + c.n + d.n"
    ask = {"command": "sql", "command_args": {"question": "How many?"}}
    with FakeModel() as server:
        server.script(FakeAnswer(text=json.dumps(ask)), FakeAnswer(text=json.dumps({"sql": slow})))
        child = subprocess.Popen(
            [
                sys.executable,
                str(RUN_PY),
                "human=never",
                "data.n=n.csv",
                "model=openai",
                "--events",
                "events.jsonl",
            ],
            cwd=tmp_path,
            env=environment(OPENAI_BASE_URL=server.base_url, OPENAI_API_KEY="unused"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        events = tmp_path / "events.jsonl"
        while not (events.exists() and "Executor#1/sql#1/query#1" in events.read_text()):
            assert child.poll() is None
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=100)  # the query itself would take for ever
    assert child.returncode == 130, err
    assert "flows resume" in err
    assert "Traceback" not in err
