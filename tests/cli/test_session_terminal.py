"""A person at a real terminal changes a session, which is killed, and goes on as changed."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pexpect
import pytest

from tests.cli.command import RUN_PY, environment
from tests.cli.inside import inside

ASKED = "q quits"
HOLDS = "holds from the next step on"
KEY_TO_OTHERS = '{_target_: model.openai, model: m, base_url: "http://evil.example/v1"}'


class SessionTerminal:
    """A terminal in which the command runs, and what is typed in it."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.child = pexpect.spawn(
            sys.executable,
            list(arguments),
            cwd=str(folder),
            env=environment(TERM="xterm", OPENAI_API_KEY="sk-of-the-environment"),
            encoding="utf-8",
            timeout=100,
            dimensions=(50, 160),
        )
        self.child.expect(ASKED)

    def say(self, text: str, *told: str) -> None:
        """Type an answer or a command, and wait until it is told of and the next one is asked."""
        self.child.send(f"{text}\r")
        for each in (*told, ASKED):
            self.child.expect_exact(each)

    def end(self) -> None:
        self.child.send("q\r")
        self.child.expect(pexpect.EOF)
        self.child.wait()


@pytest.mark.long("the demo in two processes, at a real terminal")
def test_a_swap_survives_a_kill_and_is_taken_back(tmp_path: Path) -> None:
    goal = "goal=Which continent had the highest average life expectancy in 2007?"
    first = SessionTerminal(tmp_path, str(RUN_PY), goal)
    first.say(":swap Executer.sql=sql", "did you mean: Executor")
    first.say(f":set model={KEY_TO_OTHERS}", "would be sent to http://evil.example")
    first.say(":swap Executor.sql=ask", "'sql' is now 'ask'", HOLDS)
    first.child.kill(signal.SIGKILL)
    first.child.close()

    second = SessionTerminal(tmp_path, "-m", "flows", "resume", "last")
    second.say(":show Executor.sql", "_target_: ask")
    second.say("the lowest instead", "Round 2 of 30", "Africa had the lowest")
    second.say(":save new.yaml", "Saved: new.yaml")
    second.say(":undo", "'ask' is now 'sql'", HOLDS)
    second.say(":swap Executor.sql=python", "'sql' is now 'python'", HOLDS)  # of other arguments
    second.end()
    assert second.child.exitstatus == 0

    assert inside("check", "new.yaml", cwd=tmp_path).code == 0
    assert "_target_: ask" in (tmp_path / "new.yaml").read_text()
    replayed = inside("replay", "last", cwd=tmp_path)
    assert (replayed.code, "no live call" in replayed.out) == (0, True), replayed
    shown = inside("show", "last", "--json", cwd=tmp_path).json()
    sql = [each["flow"] for each in shown["steps"] if each["address"].startswith("Executor#1")]
    assert "Executor/sql/compile" in sql
    assert [(each["undo"], each["asked"]) for each in shown["changes"]] == [
        (False, ["HumanFeedback#1"]),
        (True, ["HumanFeedback#2"]),
        (False, ["HumanFeedback#2"]),
    ]


@pytest.mark.long("whole runs of the command")
def test_ctrl_c_at_a_command_stops_and_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "my.yaml").write_text(
        "_target_: circular\nmax_rounds: 2\nearly_exit_key: EARLY_EXIT\n"
        "input_interface: [goal]\noutput_interface: [human_feedback]\n"
        'subflows_config: {Ask: {_target_: human.feedback, request: "And now? q quits "}}\n'
        "topology: [{goal: Ask, flow: Ask}]\n"
        "human: {_target_: human.terminal}\ninputs: {goal: g}\n"
    )
    terminal = SessionTerminal(tmp_path, "-m", "flows", "run", "my.yaml")
    terminal.say(":set max_rounds=3 early_exit_key=EARLY_EXIT", "2 is now 3", HOLDS)
    terminal.child.send(":set max_rounds=4")
    terminal.child.sendintr()
    terminal.child.expect(r"flows resume (\S+)")
    terminal.child.expect(pexpect.EOF)
    terminal.child.wait()
    shown = inside("show", "last", "--json", cwd=tmp_path).json()
    assert [each["said"] for each in shown["changes"]] == [
        ":set max_rounds=3 early_exit_key=EARLY_EXIT"
    ]
