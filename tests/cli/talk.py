"""Runs that wait for a person, for the tests of the commands that answer and show them."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows.errors import JournalError
from flows.records.lookup import places
from tests.cli.command import PROJECT, Ended, environment
from tests.cli.inside import inside, write
from tests.flows_for_tests import __name__ as module

# Two questions, one after the other; what was said to them is the outcome.
TALK = """\
_target_: sequential
name: Talk
input_interface: {goal: str}
output_interface: [first, second]
subflows_config:
  ask: {_target_: human.feedback, request: "What comes first? "}
  again: {_target_: human.feedback, request: "And then? "}
topology:
  - {goal: Ask, flow: ask, output_interface: {keys_to_rename: {human_feedback: first}}}
  - {goal: Ask again, flow: again, output_interface: {keys_to_rename: {human_feedback: second}}}
human: {_target_: human.detached}
inputs: {goal: "Count the trees"}
"""
# Two questions at once, and a third after them.
TWO = """\
_target_: parallel
name: Two
input_interface: {goal: str}
output_interface: [a, b, c]
subflows_config:
  left: {_target_: human.feedback, request: "Left? "}
  right: {_target_: human.feedback, request: "Right? "}
  after: {_target_: human.feedback, request: "After? "}
topology:
  - {goal: l, flow: left, output_interface: {keys_to_rename: {human_feedback: a}, keys_to_select: [a]}}
  - {goal: r, flow: right, output_interface: {keys_to_rename: {human_feedback: b}, keys_to_select: [b]}}
  - goal: a
    flow: after
    after: [left, right]
    output_interface: {keys_to_rename: {human_feedback: c}, keys_to_select: [c]}
human: {_target_: human.detached}
inputs: {goal: g}
"""  # noqa: E501
# A question, while another step goes on.
BESIDE = f"""\
_target_: parallel
name: Beside
input_interface: {{n: int, goal: str}}
output_interface: [a, n]
subflows_config:
  ask: {{_target_: human.feedback, request: "What comes first? "}}
  slow: {{_target_: {module}.Sleep, seconds: 60}}
topology:
  - {{goal: ask, flow: ask, output_interface: {{keys_to_rename: {{human_feedback: a}}, keys_to_select: [a]}}}}
  - {{goal: slow, flow: slow}}
human: {{_target_: human.detached}}
inputs: {{n: 1, goal: g}}
"""  # noqa: E501
# A step that must not be done twice, which takes long enough to be killed.
ONCE = f"""\
_target_: sequential
name: Once
input_interface: {{n: int}}
output_interface: [n]
subflows_config: {{send: {{_target_: {module}.SleepOnce, seconds: 60}}}}
topology: [{{goal: Send it, flow: send}}]
human: {{_target_: human.detached}}
inputs: {{n: 1}}
"""
TRUST = ("--trust", "tests")


class Talk:
    """A folder with a run file, and the commands that run it, answer it and show it.

    `by` is what runs and answers: a process each time, or this one.
    """

    def __init__(
        self, folder: Path, text: str, *trust: str, by: Callable[..., Ended] = inside
    ) -> None:
        self.by = by
        self.folder = folder
        self.trust = trust
        self.file = write(folder, text)
        self.log = folder / "executed.log"
        self.env = environment(PYTHONPATH=str(PROJECT), FLOWS_TEST_LOG=str(self.log))

    def run(self, *arguments: str) -> Ended:
        return self.by("run", self.file, *self.trust, *arguments, cwd=self.folder, env=self.env)

    def resume(self, *arguments: str, run: str = "last", **env: str) -> Ended:
        given = ("resume", run, *self.trust, *arguments)
        return self.by(*given, cwd=self.folder, env={**self.env, **env})

    def answer(self, text: str, *arguments: str, **env: str) -> Ended:
        return self.resume("--answer", text, *arguments, **env)

    def refused(self, text: str, *arguments: str) -> Ended:
        """An answer that is refused before anything runs."""
        return inside("resume", "last", "--answer", text, *arguments, cwd=self.folder)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "flows", *arguments, *self.trust],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def started(self, kind: str, address: str) -> subprocess.Popen[str]:
        """A process that runs the file, once it has recorded that row."""
        process = self.start("run", self.file)
        deadline = time.monotonic() + 60
        while (kind, address) not in self.kinds():
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < deadline
            time.sleep(0.02)
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=90)

    def show(self, run: str = "last") -> dict[str, Any]:
        return inside("show", run, "--json", cwd=self.folder).json()

    def kinds(self) -> list[tuple[str, str]]:
        """The rows of the run: what each is, and of which step."""
        try:
            rows = [row for place in places(self.folder / "runs") for row in place.rows()]
        except JournalError:  # Its process is making the file at this moment.
            return []
        return [(row.kind, row.address) for row in rows]

    def executed(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []


def ended(process: subprocess.Popen[str]) -> Ended:
    out, err = process.communicate(timeout=90)
    return Ended(process.returncode, out, err)
