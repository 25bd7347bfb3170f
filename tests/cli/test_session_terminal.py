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
TURN = "\x1b[0m>"  # the prompt of a conversation
HOLDS = "holds from the next step on"
KEY_TO_OTHERS = '{_target_: model.openai, model: m, base_url: "http://evil.example/v1"}'


class SessionTerminal:
    """A terminal in which the command runs, and what is typed in it."""

    def __init__(self, folder: Path, *arguments: str, asked: str = ASKED) -> None:
        self.asked = asked
        self.child = pexpect.spawn(
            sys.executable,
            list(arguments),
            cwd=str(folder),
            env=environment(TERM="xterm", OPENAI_API_KEY="sk-of-the-environment"),
            encoding="utf-8",
            timeout=100,
            dimensions=(50, 160),
        )
        self.child.expect_exact(asked)

    def say(self, text: str, *told: str) -> None:
        """Type an answer or a command, and wait until it is told of and the next one is asked."""
        self.child.send(f"{text}\r")
        for each in (*told, self.asked):
            self.child.expect_exact(each)

    def kill(self) -> None:
        self.child.kill(signal.SIGKILL)
        self.child.close()

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
    first.kill()

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


SHOP = '''\
def get_order(order: str) -> dict[str, str | float]:
    """Gets an order: its status and its total.

    Args:
        order: the order's number, e.g. 'KT-2011'
    """
    return {"order": order, "status": "shipped", "total": 99.5}
'''


@pytest.mark.long("two commands in two processes each, at a real terminal")
def test_an_interpreter_is_changed_at_its_question(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(SHOP)
    trusted, asked = ("--trust", "./shop.py"), "Which order do you mean"
    told = ("-m", "flows", "interpret", "What is the status of the order?")
    first = SessionTerminal(tmp_path, *told, "--functions", "shop.py", *trusted, asked=asked)
    first.say(":set max_turn=9", "did you mean")
    first.say(":set max_turns=9", "12 is now 9", HOLDS)
    first.kill()

    resume = ("-m", "flows", "resume", "last")
    second = SessionTerminal(tmp_path, *resume, *trusted, asked=asked)
    second.say(":undo", "9 is now 12", HOLDS)
    second.say(":undo", "nothing to take back")
    second.say(":set search_first=6", "5 is now 6", HOLDS)
    second.child.send("KT-2011\r")
    second.child.expect_exact("shipped")
    second.child.expect(pexpect.EOF)
    second.child.wait()
    assert second.child.exitstatus == 0
    assert inside("replay", "last", *trusted, cwd=tmp_path).code == 0


@pytest.mark.long("two commands in two processes each, at a real terminal")
def test_a_conversation_is_changed_between_two_turns(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text("region,revenue\nnorth,10\nsouth,20\nnorth,5\n")
    first = SessionTerminal(tmp_path, "-m", "flows", "chat", "sales.csv", asked=TURN)
    first.say("total revenue by region", "south")
    first.say(":set Analyst.max_rows=1", "is now 1.", HOLDS)
    first.kill()

    second = SessionTerminal(tmp_path, "-m", "flows", "resume", "last", asked=TURN)
    second.say(":show Analyst", "max_rows: 1")
    second.say(":undo", "Taken back", HOLDS)
    second.say("only north", "15")
    second.end()
    assert second.child.exitstatus == 0
    assert inside("replay", "last", cwd=tmp_path).code == 0
