"""`flows chat`: a conversation about data, with the real command."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pexpect
import pytest
import yaml

from flows.analysis.conversation.summary import HEADINGS
from tests.cli.command import environment, flows
from tests.cli.farm import farm
from tests.cli.inside import inside
from tests.cli.test_fake_model_command import playing

FIRST = "average milk for each breed"


def turns_of(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def chat(folder: Path, *said: str) -> list[dict[str, Any]]:
    farm(folder)
    lines = "".join(f"{each}\n" for each in said)
    ended = inside("chat", "farm.db", "--json", cwd=folder, stdin=lines)
    assert ended.code == 0, ended.err
    return turns_of(ended.out)


@pytest.mark.long("whole runs of the command")
def test_each_turn_is_an_object(tmp_path: Path) -> None:
    first, second, third = chat(tmp_path, FIRST, "only Jersey", "thanks")
    assert {each[0]: each[1] for each in first["rows"]}["Jersey"] == 16.5
    assert first["status"] == second["status"] == third["status"] == "answered"
    assert second["rows"] == [["Jersey", 16.5]]
    assert "Jersey" in second["question_read"]
    assert "16.5" in second["answer"]
    assert second["citations"]
    assert third["rows"] == []
    assert len({each["session"] for each in (first, second, third)}) == 1


@pytest.mark.long("two turns and three commands of a conversation")
def test_the_session_is_commanded_between_turns(tmp_path: Path) -> None:
    """What is said of a command goes to the person; standard output has the turns alone."""
    farm(tmp_path)
    said = f":set Analyst.max_rows=1\n{FIRST}\n:undo\n{FIRST}\n:show Analyst.max_row\n"
    ended = inside("chat", "farm.db", "--json", cwd=tmp_path, stdin=said)
    assert ended.code == 0, ended.err
    first, second = turns_of(ended.out)
    assert len(first["rows"]) == 1
    assert len(second["rows"]) > 1
    assert "Changed: subflows_config.Analyst.max_rows" in ended.err
    assert "Taken back" in ended.err


def test_a_number_chooses_what_was_offered(tmp_path: Path) -> None:
    asked, answered = chat(tmp_path, "some analysis", "2")
    assert asked["status"] == "clarify"
    options = asked["clarification"]["options"]
    assert 2 <= len(options) <= 4
    assert answered["status"] == "answered"
    assert answered["question_read"].replace("`", "") == options[1]


def test_a_turn_that_cannot_be_answered_is_not_the_end(tmp_path: Path) -> None:
    declined, answered = chat(tmp_path, "what is the meaning of life?", FIRST)
    assert declined["status"] == "abstained"
    assert declined["answer"]
    assert answered["status"] == "answered"


def at_terminal(folder: Path) -> pexpect.spawn[str]:
    """A conversation on a terminal, whose first question was answered."""
    farm(folder)
    child = pexpect.spawn(
        sys.executable, ["-m", "flows", "chat", "farm.db"], cwd=str(folder),
        env=environment(TERM="xterm"), encoding="utf-8", timeout=60, dimensions=(40, 100),
    )  # fmt: skip
    child.expect(">")
    child.sendline(FIRST)
    child.expect("Jersey")
    child.expect(">")
    return child


@pytest.mark.long("a conversation of several turns")
def test_a_person_at_a_terminal(tmp_path: Path) -> None:
    child = at_terminal(tmp_path)
    child.sendline("only Jersey")
    child.expect("Jersey")
    child.expect(">")
    child.sendline("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


@pytest.mark.long("a conversation of several turns")
def test_ctrl_c_at_the_prompt_says_how_to_go_on(tmp_path: Path) -> None:
    child = at_terminal(tmp_path)
    child.sendintr()
    child.expect("go on with: flows resume")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130


@pytest.mark.long("whole processes are killed and go on")
def test_a_killed_conversation_goes_on(tmp_path: Path) -> None:
    farm(tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", "chat", "farm.db", "--json"], cwd=tmp_path,
        env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{FIRST}\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["status"] == "answered"
    process.stdin.write("only Jersey\n")
    process.stdin.flush()
    time.sleep(0.02)  # somewhere in the turn
    process.send_signal(signal.SIGKILL)
    process.communicate()
    ended = flows("resume", "last", "--json", cwd=tmp_path, stdin="only Jersey\nand Angler?\n")
    assert ended.code == 0, ended.err
    found = ended.json()["outputs"]["reply"]
    assert found["said"] == "and Angler?"
    assert "Angler" in found["answer"]


def test_wrong_usage_is_told(tmp_path: Path) -> None:
    nothing = inside("chat", cwd=tmp_path)
    assert nothing.code == 2
    assert "there is no data to talk about" in nothing.err
    missing = inside("chat", "nowhere.csv", cwd=tmp_path)
    assert missing.code == 2
    assert "nowhere.csv" in missing.err


@pytest.mark.long("whole runs of the command")
def test_a_language_model_reads_the_turns(tmp_path: Path) -> None:
    """A reply of another form is corrected; an option is a question that is then answered."""
    (tmp_path / "sales.csv").write_text("region,price\nnorth,4\nsouth,5\nnorth,6\n")
    back = {"need_clarification": "yes", "clarification_question": "What of the sales?",
            "options": ["total price by region", "number of sales by region"]}  # fmt: skip
    read = {"need_clarification": "no", "modified_question": "total price of the north"}
    total = {"sql": "SELECT SUM(price) AS t FROM sales WHERE region = 'north'", "confidence": 0.9}
    plan = {"is_complex": "no", "tasks": ["total price of the north"]}
    short = "## Executive Summary"
    whole = "\n".join((short, *(f"{each}\nIt is {{{{last[0].t}}}} in all." for each in HEADINGS)))
    invented = whole.replace("{{last[0].t}}", "4711", 2)
    replies = [{"need_clarification": "perhaps"}, back, read, {"tasks": []}, plan, total,
               "It is {{last[0].t}}.", short, invented, whole]  # fmt: skip
    turns = [{"reply": each} for each in replies]
    (tmp_path / "script.yaml").write_text(yaml.safe_dump({"turns": turns}, sort_keys=False))
    with playing(tmp_path, "--log", "log.jsonl") as (_, base_url):
        env = environment(OPENAI_BASE_URL=base_url, OPENAI_API_KEY="k")
        ended = inside(
            "chat", "sales.csv", "--model", "openai:small", "--json",
            cwd=tmp_path, env=env, stdin="show me the sales\nthe north alone\n",
        )  # fmt: skip
    assert ended.code == 0, ended.err
    first, second = turns_of(ended.out)
    assert first["status"] == "clarify"
    assert first["clarification"]["options"] == back["options"]
    assert (second["status"], second["rows"]) == ("answered", [[10]])
    assert second["answer"] == "It is 10."
    assert second["question_read"] == "total price of the north"
    assert second["summary"].count("10") == len(HEADINGS)
    log = [json.loads(line)["body"] for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert "show me the sales" in log[2]["messages"][-1]["content"]  # the turn before is told
